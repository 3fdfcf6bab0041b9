/* Device memory that was lent comes back, and may be kept for the next who borrows. */
#include "mirror/mirror_table.h"
#include "mirror/operands.h"

void operands_return(struct mirror_table *table, CUdeviceptr address, size_t bytes)
{
    if (mirror_table_end_loan(table, address))
        return;
    device_free(table->share->device, address);
    budget_give(&table->share->budget, bytes);
}

struct kept_memory mirror_table_take_kept(struct mirror_table *table, size_t bytes)
{
    struct kept_memory taken = {0, 0}, *found = NULL;
    pthread_mutex_lock(&table->space->lock);
    for (int i = 0; i < KEPT_MEMORY; i++) {
        struct kept_memory *const kept = &table->kept[i];
        if (kept->bytes > 0 && kept->bytes >= bytes &&
            (!found || (kept->bytes < found->bytes) == (bytes > 0)))
            found = kept;
    }
    if (found) {
        taken = *found;
        *found = (struct kept_memory){0, 0};
    }
    pthread_mutex_unlock(&table->space->lock);
    return taken;
}

bool mirror_table_drop_kept(struct mirror_table *table)
{
    const struct kept_memory kept = mirror_table_take_kept(table, 0);
    if (kept.bytes > 0)
        operands_return(table, kept.address, kept.bytes);
    return kept.bytes > 0;
}

/* Instead of one that is smaller. */
void operands_keep(struct mirror_table *table, CUdeviceptr address, size_t bytes)
{
    struct kept_memory goes = {address, bytes};
    if (mirror_table_end_loan(table, address))
        return;
    pthread_mutex_lock(&table->space->lock);
    struct kept_memory *least = &table->kept[0];
    for (int i = 1; i < KEPT_MEMORY; i++)
        least = table->kept[i].bytes < least->bytes ? &table->kept[i] : least;
    if (least->bytes < bytes) {
        goes = *least;
        *least = (struct kept_memory){address, bytes};
    }
    pthread_mutex_unlock(&table->space->lock);
    if (goes.bytes > 0)
        operands_return(table, goes.address, goes.bytes);
}
