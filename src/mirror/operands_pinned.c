#include "gpu/device.h"
#include "mirror/host_memory/operand_memory.h"
#include "mirror/mirror_table.h"
#include "mirror/operands.h"
#include "mirror/pinning/pins.h"

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

enum status operands_pin_own(struct mirror_table *table, void *begin, size_t bytes, struct own_pin *pin)
{
    struct mirror_resources *const resources = &table->space->resources;
    pthread_mutex_lock(&resources->pinning);
    const uint64_t before = process_pins_bytes(&resources->process_pins);
    const CUresult result = driver()->pin(begin, bytes, CU_MEMHOSTREGISTER_PORTABLE);
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
    pthread_mutex_lock(&resources->pinning);
    if (driver()->unpin(pin->begin) == CUDA_SUCCESS)
        resources->counted_pins -= pin->counted;
    pthread_mutex_unlock(&resources->pinning);
}
