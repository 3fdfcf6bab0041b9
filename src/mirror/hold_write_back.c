#include "mirror/hold.h"

#include "mirror/pinning/pins.h"
#include "mirror/residency.h"

#include <stdlib.h>

/* What other devices have of a result is not what the host will have. A copy home by DMA leaves no mark. */
static void invalidate_others(const struct held_operand *held)
{
    struct operand_runs runs = operand_runs_start(&held->operand);
    struct byte_range run;
    while (operand_runs_next(&runs, &run)) {
        const struct page_range pages = mirror_page_range(held->mirror, run.begin, run.end);
        mirror_invalidate_others(held->copy, pages.begin, pages.end);
    }
}

/* All pages of the hull, also those between columns: what was valid of these is valid
 * again when the results are home. */
enum status hold_mark_output(struct held_operand *held)
{
    struct mirror_copy *copy = held->copy;
    held->before = page_bits_create(held->pages.end - held->pages.begin);
    if (!held->before)
        return STATUS_OUT_OF_MEMORY;
    held->was_complete = hold_is_complete(held);
    if (mirror_has_others(copy))
        invalidate_others(held);
    page_bits_move(held->before, copy->valid, held->pages.begin, held->pages.end);
    page_bits_clear(copy->valid, held->pages.begin, held->pages.end);
    held->was_complete =
        completeness_take(copy, &held->operand, held->pages, &held->known_before) && held->was_complete;
    return STATUS_OK;
}

/* Pages, counted from pages.begin, of which the output is every byte. */
static uint64_t *covered_pages(const struct held_operand *held)
{
    const struct mirror *mirror = held->mirror;
    struct operand_runs runs = operand_runs_start(&held->operand);
    struct byte_range run;
    uint64_t *covered = page_bits_create(held->pages.end - held->pages.begin);
    while (covered && operand_runs_next(&runs, &run)) {
        uintptr_t begin = page_ceiling(run.begin), end = page_floor(run.end);
        if (begin < end)
            page_bits_set(covered, mirror_page(mirror, begin) - held->pages.begin,
                          mirror_page(mirror, end) - held->pages.begin);
    }
    return covered;
}

static void take_for_valid(struct write_back *back, const uint64_t *covered)
{
    struct held_operand *held = back->held;
    const size_t first = held->pages.begin, count = held->pages.end - first;
    for (size_t end, at = page_bits_find(covered, 0, count, true); at < count;
         at = page_bits_find(covered, end, count, true)) {
        end = page_bits_find(covered, at, count, false);
        page_bits_set(held->copy->valid, first + at, first + end);
        pins_note_foreign(held->mirror, first + at, first + end);
        back->hold->validated = true;
    }
}

/* The scan takes what we wrote for the host's doing, which would make pins suspect, more of
 * them at every call. No program may discard memory that a running call writes to, so pins of
 * output pages that were trusted before still are. */
static enum status scan_own_writes(struct operands_hold *hold, const struct held_operand *held,
                                   struct byte_range staged)
{
    struct mirror *mirror = held->mirror;
    const size_t first = held->pages.begin;
    uint64_t *before = pins_count(mirror) > 0 ? page_bits_create(held->pages.end - first) : NULL;
    if (before)
        page_bits_move(before, mirror->suspect, first, held->pages.end);
    enum status status = hold_scan_range(hold, mirror, staged);
    struct operand_runs runs = operand_runs_start(&held->operand);
    struct byte_range run;
    while (before && status == STATUS_OK && operand_runs_next(&runs, &run)) {
        struct page_range pages = mirror_page_range(mirror, run.begin, run.end);
        page_bits_clear(mirror->suspect, pages.begin, pages.end);
        page_bits_copy(mirror->suspect, first, before, pages.begin - first, pages.end - first);
    }
    free(before);
    return status;
}

/* After a complete copy-back a page is equal again if it is output in every byte, or
 * if it was valid and only DMA, which leaves no mark, wrote to it. Of pages that the
 * CPU wrote those of the first kind are protected again by a scan; the scan takes
 * the valid bits of the others, in which somebody else may have written. */
static void revalidate(struct write_back *back)
{
    struct held_operand *held = back->held;
    struct mirror *mirror = held->mirror;
    const bool by_dma = back->staged.begin >= back->staged.end;
    uint64_t *covered = by_dma && held->was_complete ? NULL : covered_pages(held);
    page_bits_copy(held->copy->valid, held->pages.begin, held->before, 0,
                   held->pages.end - held->pages.begin);
    if (by_dma && held->was_complete)
        completeness_regain(held->copy, &held->operand, &held->known_before);
    if (!by_dma && scan_own_writes(back->hold, held, back->staged) != STATUS_OK)
        mirror_invalidate(mirror, held->pages.begin, held->pages.end); /* the next hold finds out why */
    else if (covered)
        take_for_valid(back, covered);
    free(covered);
}

enum status hold_write_back(struct operands_hold *hold, struct held_operand *held)
{
    enum status status = STATUS_OK;
    bool touched = false;
    for (int attempt = 0; attempt < 2; attempt++) {
        struct write_back back = {.hold = hold, .held = held, .staged = {UINTPTR_MAX, 0}, .touched = touched};
        status = hold_copy_home(&back);
        touched = back.touched;
        if (status == STATUS_OK) {
            hold->transfers.bytes_down += operand_memory_bytes(&held->operand);
            revalidate(&back);
            if (held->was_resident && hold->way != HOLD_RESULT)
                residency_note_staged_result(hold->table, held->copy, held->pages, back.staged_bytes);
            return STATUS_OK;
        }
    }
    /* A half-written output that the call only writes can still be computed by the host. */
    return touched && (held->operand.access == OPERAND_UPDATE || hold->way == HOLD_RESULT)
               ? STATUS_RESULT_LOST
               : status;
}
