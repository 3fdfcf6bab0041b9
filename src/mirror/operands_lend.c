/* A rank's route may take for a moment what the other ranks leave free. */
#include "mirror/mirror_table.h"
#include "mirror/operands.h"

static bool has_room(struct budget *budget, size_t bytes)
{
    const size_t all = atomic_load(&budget->bytes), taken = atomic_load(&budget->committed);
    return all > taken && all - taken >= bytes;
}

/* The place of one that is lent, or an unused one for 0; with the lock. NULL: there is none. */
static struct kept_memory *find(struct mirror_table *table, CUdeviceptr address)
{
    for (int i = 0; i < LENT_MEMORY; i++)
        if (table->lent[i].address == address)
            return &table->lent[i];
    return NULL;
}

static bool note(struct mirror_table *table, CUdeviceptr address, size_t bytes)
{
    pthread_mutex_lock(&table->space->lock);
    struct kept_memory *const place = find(table, 0);
    if (place)
        *place = (struct kept_memory){address, bytes};
    pthread_mutex_unlock(&table->space->lock);
    return place != NULL;
}

bool mirror_table_lend(struct mirror_table *table, size_t bytes, CUdeviceptr *address)
{
    struct budget *const budget = &table->share->budget;
    struct device *const device = table->share->device;
    if (has_room(budget, bytes) || bytes > budget_spare(budget) ||
        device_allocate(device, bytes, address) != STATUS_OK)
        return false;
    if (note(table, *address, bytes))
        return true;
    device_free(device, *address);
    return false;
}

bool mirror_table_end_loan(struct mirror_table *table, CUdeviceptr address)
{
    pthread_mutex_lock(&table->space->lock);
    struct kept_memory *const lent = address ? find(table, address) : NULL;
    if (lent)
        *lent = (struct kept_memory){0, 0};
    pthread_mutex_unlock(&table->space->lock);
    if (lent)
        device_free(table->share->device, address);
    return lent != NULL;
}
