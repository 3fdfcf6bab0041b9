/* Memory of operands.h beside mirrors: device memory that is borrowed, kept or lent, and host memory that
 * mublas or the program has pinned. */
#include "gpu/device.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/mirror_table.h"
#include "mirror/operands.h"
#include "mirror/pinning/pins.h"

static bool has_room(struct budget *budget, size_t bytes)
{
    const size_t all = atomic_load(&budget->bytes), taken = atomic_load(&budget->committed);
    return all > taken && all - taken >= bytes;
}

/* The place of one that is lent, or an unused one for 0; with the lock. NULL: there is none. */
static struct kept_memory *find_place(struct mirror_table *table, CUdeviceptr address)
{
    for (int i = 0; i < LENT_MEMORY; i++)
        if (table->lent[i].address == address)
            return &table->lent[i];
    return NULL;
}

static bool note_loan(struct mirror_table *table, CUdeviceptr address, size_t bytes)
{
    pthread_mutex_lock(&table->space->lock);
    struct kept_memory *const place = find_place(table, 0);
    if (place)
        *place = (struct kept_memory){address, bytes};
    pthread_mutex_unlock(&table->space->lock);
    return place != NULL;
}

/* Memory for a moment beyond a budget that has no room for it, of what other ranks leave free on a device
 * that they divide. False: there is none. Inside device_enter. */
static bool mirror_table_lend(struct mirror_table *table, size_t bytes, CUdeviceptr *address)
{
    struct budget *const budget = &table->share->budget;
    struct device *const device = table->share->device;
    if (has_room(budget, bytes) || bytes > budget_spare(budget) ||
        device_allocate(device, bytes, address) != STATUS_OK)
        return false;
    if (note_loan(table, *address, bytes))
        return true;
    device_free(device, *address);
    return false;
}

/* For memory that is given back: true where it was lent, and is free again. Inside device_enter. */
static bool mirror_table_end_loan(struct mirror_table *table, CUdeviceptr address)
{
    pthread_mutex_lock(&table->space->lock);
    struct kept_memory *const lent = address ? find_place(table, address) : NULL;
    if (lent)
        *lent = (struct kept_memory){0, 0};
    pthread_mutex_unlock(&table->space->lock);
    if (lent)
        device_free(table->share->device, address);
    return lent != NULL;
}

void operands_return(struct mirror_table *table, CUdeviceptr address, size_t bytes)
{
    if (mirror_table_end_loan(table, address))
        return;
    device_free(table->share->device, address);
    budget_give(&table->share->budget, bytes);
}

/* The smallest piece of kept memory of at least `bytes`, or the largest of all for 0, taken out. */
static struct kept_memory mirror_table_take_kept(struct mirror_table *table, size_t bytes)
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

/* Instead of one that is smaller. A service keeps much of it itself, for whoever comes next. */
void operands_keep(struct mirror_table *table, CUdeviceptr address, size_t bytes)
{
    enum { OF_PROVIDED_MOST = 32 << 20 };
    struct kept_memory goes = {address, bytes};
    if (driver_is_provided() && bytes > OF_PROVIDED_MOST) {
        operands_return(table, address, bytes);
        return;
    }
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

bool operands_fit(const struct mirror_table *table, const struct operand *operands, int count)
{
    uint64_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += operand_memory_bytes(&operands[i]);
    return bytes <= atomic_load(&table->share->budget.bytes);
}

bool operands_evict(struct mirror_table *table)
{
    return mirror_table_evict(table);
}

size_t operands_budget(const struct mirror_table *table)
{
    return atomic_load(&table->share->budget.bytes);
}

/* Tiles of a quarter of the memory want twice the transfers, which a large budget hides: mirrors do not
 * go for more. */
enum { ENOUGH_OF_MOST = 4 };

/* Take up to `most` bytes of the budget, at least `least`; as long as that is little, mirrors that nobody
 * uses go. 0: not to be had. */
static size_t take_budget(struct mirror_table *table, size_t least, size_t most)
{
    struct budget *budget = &table->share->budget;
    const size_t enough = least > most / ENOUGH_OF_MOST ? least : most / ENOUGH_OF_MOST;
    for (;;) {
        size_t all = atomic_load(&budget->bytes), taken = atomic_load(&budget->committed);
        size_t rest = all > taken ? all - taken : 0;
        if (rest >= most && budget_take(budget, most))
            return most;
        if (rest < enough && mirror_table_evict(table))
            continue;
        if (rest < least)
            return 0;
        if (rest < most && budget_take(budget, rest))
            return rest;
    }
}

enum status operands_borrow(struct mirror_table *table, size_t least, size_t most, CUdeviceptr *address,
                            size_t *bytes)
{
    struct budget *budget = &table->share->budget;
    enum status status = STATUS_OUT_OF_MEMORY;
    *bytes = take_budget(table, least, most);
    while (*bytes >= least && *bytes > 0) {
        status = device_allocate(table->share->device, *bytes, address);
        if (status != STATUS_OUT_OF_MEMORY)
            break;
        if (mirror_table_drop_kept(table)) /* the device may have less than the budget */
            continue;
        size_t half = *bytes / 2;
        budget_give(budget, *bytes - half);
        *bytes = half;
    }
    if (status == STATUS_OK)
        return status;
    budget_give(budget, *bytes);
    *bytes = 0;
    return status;
}

enum status operands_borrow_kept(struct mirror_table *table, size_t bytes, CUdeviceptr *address, size_t *got)
{
    const struct kept_memory kept = mirror_table_take_kept(table, bytes);
    if (kept.bytes > 0) {
        *address = kept.address;
        *got = kept.bytes;
        return STATUS_OK;
    }
    if (!mirror_table_lend(table, bytes, address))
        return operands_borrow(table, bytes, bytes, address, got);
    *got = bytes;
    return STATUS_OK;
}

/* At both ends and in the middle: it is one registration, or at worst the driver refuses a copy. */
static bool looks_pinned(struct byte_range hull)
{
    const uintptr_t middle = hull.begin + (hull.end - hull.begin) / 2;
    return device_has_pinned((const void *)hull.begin) && device_has_pinned((const void *)middle) &&
           device_has_pinned((const void *)(hull.end - 1));
}

/* Our own pins may be stale, and what a tracked mirror holds must not be written by DMA. */
static bool is_mirrored(struct mirror_table *table, struct byte_range hull)
{
    struct mirror_space *const space = table->space;
    bool mirrored = false;
    pthread_mutex_lock(&space->lock);
    for (size_t i = mirror_table_first_behind(table, hull.begin); i < space->count && !mirrored; i++) {
        const struct mirror *const mirror = space->mirrors[i];
        if (mirror->begin >= hull.end)
            break;
        mirrored =
            pins_count(mirror) > 0 || (atomic_load(&mirror->armed) && !atomic_load(&mirror->foreign_pins));
    }
    pthread_mutex_unlock(&space->lock);
    return mirrored;
}

bool operands_are_pinned_by_program(struct mirror_table *table, const struct operand *operands, int count)
{
    if (table->space->resources.pin_budget_bytes == 0)
        return false;
    for (int i = 0; i < count; i++) {
        if (operand_memory_is_empty(&operands[i]))
            continue;
        const struct byte_range hull = operand_memory_hull(&operands[i]);
        if (!looks_pinned(hull) || is_mirrored(table, hull))
            return false;
    }
    return true;
}

enum status operands_pin_own(struct mirror_table *table, int file, void *begin, size_t bytes, struct own_pin *pin)
{
    struct mirror_resources *const resources = &table->space->resources;
    *pin = (struct own_pin){0};
    if (device_properties(table->share->device)->uses_host_page_tables && !driver_is_provided())
        return STATUS_OK;
    pthread_mutex_lock(&resources->pinning);
    const uint64_t before = process_pins_bytes(&resources->process_pins);
    const CUresult result = driver_pin_file(file, begin, bytes);
    const uint64_t after = result == CUDA_SUCCESS ? process_pins_bytes(&resources->process_pins) : before;
    *pin = (struct own_pin){begin, bytes, after > before ? after - before : 0};
    if (pin->counted > bytes)
        pin->counted = bytes;
    resources->counted_pins += pin->counted;
    pthread_mutex_unlock(&resources->pinning);
    return result == CUDA_SUCCESS ? STATUS_OK : STATUS_DEVICE_ERROR;
}

void operands_unpin_own(struct mirror_table *table, const struct own_pin *pin)
{
    struct mirror_resources *const resources = &table->space->resources;
    if (pin->bytes == 0)
        return;
    pthread_mutex_lock(&resources->pinning);
    if (driver()->unpin(pin->begin) == CUDA_SUCCESS)
        resources->counted_pins -= pin->counted;
    pthread_mutex_unlock(&resources->pinning);
}
