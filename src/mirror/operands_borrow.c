#include "mirror/mirror_table.h"
#include "mirror/operands.h"

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
static size_t take(struct mirror_table *table, size_t least, size_t most)
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
    *bytes = take(table, least, most);
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
