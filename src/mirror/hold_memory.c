#include "mirror/hold.h"

#include "mirror/stateless.h"

static enum status commit_runs(struct held_operand *held)
{
    struct operand_runs runs = operand_runs_start(&held->operand);
    struct byte_range run;
    while (operand_runs_next(&runs, &run)) {
        enum status status = mirror_commit(held->copy, run.begin, run.end);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status commit_operand(struct held_operand *held)
{
    size_t column_bytes = (size_t)held->operand.matrix.ld * held->operand.element_bytes;
    if (!held->mirror || mirror_uncommitted(held->copy, held->hull.begin, held->hull.end) == 0)
        return STATUS_OK;
    /* Columns further apart than a block leave blocks untouched between them. */
    if (column_bytes > (size_t)1 << BLOCK_SHIFT)
        return commit_runs(held);
    return mirror_commit(held->copy, held->hull.begin, held->hull.end);
}

static enum status commit_all(struct operands_hold *hold)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < hold->count && status == STATUS_OK; i++)
        status = commit_operand(&hold->operands[i]);
    return status;
}

/* What has no device memory any more is not resident. */
static void forget_released(struct mirror_table *table, struct mirror_copy *copy)
{
    const struct mirror *const mirror = copy->mirror;
    pthread_mutex_lock(&table->space->lock);
    for (uintptr_t at = mirror->begin, next; at < mirror->end; at = next) {
        next = block_floor(at) + ((uintptr_t)1 << BLOCK_SHIFT);
        const struct page_range pages = mirror_page_range(mirror, at, next);
        if (copy->resident && page_bits_any(copy->resident, pages.begin, pages.end) &&
            mirror_uncommitted(copy, at, at + 1) > 0)
            mirror_forget_resident(copy, pages.begin, pages.end);
    }
    pthread_mutex_unlock(&table->space->lock);
}

/* Where the program's heap is one mapping, what fills the budget may lie in the very
 * mirrors that this call uses: give back what no call works on. */
static void shrink_own(struct operands_hold *hold)
{
    for (int i = 0; i < hold->mirror_count; i++) {
        struct mirror_copy *const copy = mirror_table_copy(hold->table, hold->mirrors[i]);
        mirror_shrink(copy);
        forget_released(hold->table, copy);
    }
}

/* Device memory that the call's operands need at the least, whatever is evicted. */
static bool can_ever_fit(const struct operands_hold *hold)
{
    const size_t budget = atomic_load(&hold->table->share->budget.bytes);
    size_t needed = 0;
    for (int i = 0; i < hold->count; i++) {
        const struct held_operand *held = &hold->operands[i];
        if (held->mirror)
            needed += operand_memory_bytes(&held->operand);
        if (held->mirror && held->copy->memory.plain && held->mirror->end - held->mirror->begin > budget)
            return false;
    }
    return needed <= budget;
}

static enum status reserve_scratch(struct operands_hold *hold, size_t extra_scratch)
{
    size_t bytes = (extra_scratch + 255) & ~(size_t)255;
    for (int i = 0; i < hold->count; i++)
        if (hold->operands[i].stateless)
            bytes += stateless_scratch_bytes(&hold->operands[i].operand);
    return bytes > 0 ? lane_reserve_scratch(hold->lane, bytes) : STATUS_OK;
}

enum status hold_commit(struct operands_hold *hold, size_t extra_scratch)
{
    bool shrunk = false;
    if (!can_ever_fit(hold))
        return STATUS_OUT_OF_MEMORY;
    for (;;) {
        enum status status = commit_all(hold);
        if (status == STATUS_OK)
            status = reserve_scratch(hold, extra_scratch);
        if (status != STATUS_OUT_OF_MEMORY || (shrunk && !mirror_table_evict(hold->table)))
            return status;
        if (!shrunk && !mirror_table_evict(hold->table)) {
            shrink_own(hold);
            shrunk = true;
        }
    }
}
