#include "mirror/ledger/account.h"
#include "mirror/hold.h"
#include "mirror/pinning/pins.h"
#include "mirror/tracking/mirror_pages.h"
#include "mirror/transfer/transfer.h"

#include <stdlib.h>

/* How far the copy-back of one output has come. */
struct write_back {
    struct operands_hold *hold;
    struct held_operand *held;
    struct byte_range staged; /* hull of what was written by the CPU, empty at first */
    bool touched;             /* host memory may have been written */
    uint64_t staged_bytes;    /* of the result */
    enum status status;
};

static bool is_trusted(struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    struct page_range pages = mirror_page_range(mirror, begin, end);
    bool direct;
    return pins_run(mirror, pages.begin, pages.end, &direct) == pages.end - pages.begin && direct;
}

static bool is_in_one_pin(const struct write_back *back, const struct strip *strip)
{
    struct mirror *mirror = back->held->mirror;
    const uintptr_t begin = back->held->hull.begin + strip->offset;
    struct page_range pages =
        mirror_page_range(mirror, begin, begin + (strip->height - 1) * strip->pitch + strip->width);
    return pins_hold_in_one(mirror, pages.begin, pages.end);
}

/* All at once, or row by row: what lies between the rows does not matter, but that it is pinned. */
static bool is_clean(const struct write_back *back, const struct strip *strip)
{
    struct mirror *mirror = back->held->mirror;
    uintptr_t row = back->held->hull.begin + strip->offset;
    if (is_trusted(mirror, row, row + (strip->height - 1) * strip->pitch + strip->width))
        return true;
    if (!is_in_one_pin(back, strip))
        return false;
    for (size_t i = 0; i < strip->height; i++, row += strip->pitch)
        if (!is_trusted(mirror, row, row + strip->width))
            return false;
    return true;
}

/* Each first write to a protected page is a fault of 1 us, as long as copying it takes twice over. Memory
 * between the columns would have to be sent again, so there may not be too much of it. */
static void open_for_writing(const struct held_operand *held, struct byte_range range, uint64_t bytes)
{
    if (3 * bytes > range.end - range.begin && !registration_is_given_up(held->mirror))
        write_tracker_unprotect(held->mirror->resources->tracker, page_floor(range.begin),
                                page_ceiling(range.end));
}

static int copy_staged(struct write_back *back, const struct strip *strip)
{
    uintptr_t host = back->held->hull.begin + strip->offset;
    uintptr_t end = host + (strip->height - 1) * strip->pitch + strip->width;
    CUdeviceptr device = back->held->operand.device_address + strip->offset;
    back->staged.begin = host < back->staged.begin ? host : back->staged.begin;
    back->staged.end = end > back->staged.end ? end : back->staged.end;
    atomic_fetch_add_explicit(&back->held->mirror->staged_bytes, strip->width * strip->height,
                              memory_order_relaxed);
    back->staged_bytes += strip->width * strip->height;
    open_for_writing(back->held, (struct byte_range){host, end}, strip->width * strip->height);
    back->status = staging_download(back->hold->lane, (void *)host, strip->pitch, device, strip->pitch,
                                    strip->width, strip->height);
    if (back->status == STATUS_OK || strip->width * strip->height > STAGING_PIECE_BYTES)
        back->touched = true;
    return back->status != STATUS_OK;
}

static int copy_direct(struct write_back *back, const struct strip *strip)
{
    CUdeviceptr device = back->held->operand.device_address + strip->offset;
    back->status = staging_download_direct(back->hold->lane, (char *)back->held->hull.begin + strip->offset,
                                           strip->pitch, device, strip->pitch, strip->width, strip->height);
    back->touched = back->touched || back->status == STATUS_OK;
    atomic_fetch_add_explicit(&back->held->mirror->direct_bytes, strip->width * strip->height,
                              memory_order_relaxed);
    return back->status != STATUS_OK;
}

/* At both ends of each row of a strip, and how many bytes in them are really suspect. */
struct margins {
    size_t before, behind, suspect;
};

/* Widen the margins by what is suspect in a row; false: the middle is. */
static bool widen_margins(struct mirror *mirror, struct byte_range row, struct margins *margins)
{
    const size_t width = row.end - row.begin;
    struct page_range pages = mirror_page_range(mirror, row.begin, row.end);
    for (size_t run; pages.begin < pages.end; pages.begin += run) {
        bool direct;
        run = pins_run(mirror, pages.begin, pages.end, &direct);
        const uintptr_t begin = mirror->begin + (pages.begin << page_shift()),
                        end = begin + (run << page_shift());
        if (direct)
            continue;
        margins->suspect += end - begin;
        if (end <= row.begin + width / 2)
            margins->before = end - row.begin > margins->before ? end - row.begin : margins->before;
        else if (begin >= row.begin + width / 2)
            margins->behind = row.end - begin > margins->behind ? row.end - begin : margins->behind;
        else
            return false;
    }
    return true;
}

/* A factorization writes some rows of every column on the host: those at the ends of the columns by
 * staging, all in one piece, so that the rest can go by DMA. False: it is not like that, or
 * only in a few of the columns. */
static bool copy_between_margins(struct write_back *back, const struct strip *strip, int *stop)
{
    struct margins margins = {0, 0, 0};
    uintptr_t begin = back->held->hull.begin + strip->offset;
    if (!is_in_one_pin(back, strip))
        return false;
    for (size_t i = 0; i < strip->height; i++, begin += strip->pitch)
        if (!widen_margins(back->held->mirror, (struct byte_range){begin, begin + strip->width}, &margins))
            return false;
    const size_t both = margins.before + margins.behind;
    if (2 * both > strip->width || 4 * margins.suspect < both * strip->height)
        return false;
    struct strip first = *strip, middle = *strip, last = *strip;
    first.width = margins.before;
    middle.offset += margins.before;
    middle.width -= both;
    last.offset += strip->width - margins.behind;
    last.width = margins.behind;
    *stop = copy_direct(back, &middle) || (first.width > 0 && copy_staged(back, &first)) ||
            (last.width > 0 && copy_staged(back, &last));
    return true;
}

/* Copies a clean strip by DMA, or the part between its margins; else tries its halves. */
static int copy_strip(void *context, const struct strip *strip)
{
    struct write_back *back = context;
    int stop;
    if (is_clean(back, strip))
        return copy_direct(back, strip);
    if (strip->height * strip->width <= STAGED_SPLIT_BYTES)
        return copy_staged(back, strip);
    if (copy_between_margins(back, strip, &stop))
        return stop;
    if (strip->height == 1)
        return copy_staged(back, strip);
    struct strip upper = *strip, lower = *strip;
    upper.height = strip->height / 2;
    lower.height -= upper.height;
    lower.offset += upper.height * strip->pitch;
    stop = copy_strip(context, &upper);
    return stop ? stop : copy_strip(context, &lower);
}

/* Does the output go by DMA for the most part? Half of a triangle's hull is not output, and clean as a rule.
 * Nearly all of a small output must be clean: to stage the rest costs a fault a page, all of it none. */
static bool is_mostly_clean(const struct held_operand *held)
{
    struct mirror *mirror = held->mirror;
    const size_t pages = (size_t)(operand_memory_bytes(&held->operand) >> page_shift());
    const size_t spanned = held->pages.end - held->pages.begin,
                 part = spanned << page_shift() < PIN_BYTES_MIN ? 8 : 2;
    return 2 * pins_pages(mirror, held->pages) > spanned &&
           part * page_bits_count(mirror->suspect, held->pages.begin, held->pages.end) <= pages;
}

static bool is_worth_a_pin(const struct held_operand *held)
{
    return held->hull.end - held->hull.begin >= staged_results_least_bytes(held->operand.matrix.part);
}

static void note_staged(const struct held_operand *held)
{
    if (!is_worth_a_pin(held))
        return;
    pthread_mutex_lock(&held->mirror->notes);
    staged_results_note(&held->mirror->results, held->pages, &held->operand);
    pthread_mutex_unlock(&held->mirror->notes);
}

/* The part outside a pin was staged beside the rest; some of the rest may have been staged as well. */
static void note_outgrown(const struct write_back *back)
{
    const struct held_operand *held = back->held;
    const size_t spanned = held->pages.end - held->pages.begin;
    const uint64_t outside = (uint64_t)(spanned - pins_pages(held->mirror, held->pages)) << page_shift();
    if (back->staged_bytes == 0 || outside == 0 || !is_worth_a_pin(held))
        return;
    pthread_mutex_lock(&held->mirror->notes);
    staged_results_note_rest(&held->mirror->results, held->pages, held->operand.matrix.part,
                             back->staged_bytes < outside ? back->staged_bytes : outside);
    pthread_mutex_unlock(&held->mirror->notes);
}

/* Its pages have been open since the last time. */
static bool is_open(const struct write_back *back)
{
    return back->held->is_open && !back->hold->scanned;
}

/* Copies all of an output to host memory: by DMA where its pins are trusted, else by staging. */
static enum status hold_copy_home(struct write_back *back)
{
    struct held_operand *held = back->held;
    const struct operand *operand = &held->operand;
    if (is_mostly_clean(held)) {
        back->status = STATUS_OK;
        triangle_cover(&operand->matrix, operand->element_bytes, copy_strip, back);
        note_outgrown(back);
        enum status waited = lane_synchronise(back->hold->lane, "copying a result to the host");
        return back->status != STATUS_OK ? back->status : waited;
    }
    back->staged = held->hull;
    note_staged(held);
    if (!is_open(back))
        open_for_writing(held, held->hull, operand_memory_bytes(operand));
    atomic_fetch_add_explicit(&held->mirror->staged_bytes, operand_memory_bytes(operand),
                              memory_order_relaxed);
    back->staged_bytes = operand_memory_bytes(operand);
    return staging_download_part(back->hold->lane, &operand->matrix, operand->device_address,
                                 operand->device_ld, operand->element_bytes, &back->touched);
}

/* Other devices' copies of a result will differ from the host's. A copy home by DMA leaves no mark. */
static void invalidate_others(const struct held_operand *held)
{
    struct operand_runs runs = operand_runs_start(&held->operand);
    struct byte_range run;
    while (operand_runs_next(&runs, &run)) {
        const struct page_range pages = mirror_page_range(held->mirror, run.begin, run.end);
        mirror_invalidate_others(held->copy, pages.begin, pages.end);
    }
}

/* May its pages stay as they are behind the call? It lies in each of them, so that none is another operand's
 * alone; and they are in no pin, which would take them for the program's writing. */
static bool may_pass(const struct held_operand *held)
{
    const struct blas_matrix *const matrix = &held->operand.matrix;
    return held->operand.access == OPERAND_OVERWRITE && matrix->part == PART_FULL &&
           (size_t)(matrix->ld - matrix->rows) * held->operand.element_bytes < (size_t)1 << page_shift() &&
           pins_count(held->mirror) == 0;
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
    held->passes = may_pass(held) && hot_ranges_pass(copy, held->pages, &held->is_open);
    page_bits_move(held->before, copy->valid, held->pages.begin, held->pages.end);
    page_bits_clear(copy->valid, held->pages.begin, held->pages.end);
    held->was_complete =
        completeness_take(copy, &held->operand, held->pages, &held->known_before) && held->was_complete;
    return STATUS_OK;
}

/* A route's result is left for the next call: with the pages that are its own in part. */
static void take_for_valid(struct operands_hold *hold, struct held_operand *held)
{
    if (hold->way == HOLD_RESULT)
        parts_note(held->copy, &held->operand);
    else
        parts_validate_filled(held->copy, &held->operand);
    pins_note_foreign(held->mirror, held->pages.begin, held->pages.end);
    hold->validated = true;
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
 * if it was valid and only DMA, which leaves no mark, wrote to it. A scan protects again the pages of the
 * first kind that the CPU wrote; it takes the valid bits of the others, in which somebody else may have
 * written: beside the output, whose bytes nobody else may write while the call runs. */
static void revalidate(struct write_back *back)
{
    struct held_operand *held = back->held;
    struct mirror *mirror = held->mirror;
    const bool by_dma = back->staged.begin >= back->staged.end;
    if (!by_dma && may_pass(held) && back->hold->way < HOLD_MIRRORED) {
        hot_ranges_note_result(held->copy, held->pages);
        if (held->passes)
            return; /* none of its pages is valid */
    }
    page_bits_copy(held->copy->valid, held->pages.begin, held->before, 0,
                   held->pages.end - held->pages.begin);
    if (by_dma && held->was_complete)
        completeness_regain(held->copy, &held->operand, &held->known_before);
    else if (!by_dma && scan_own_writes(back->hold, held, back->staged) != STATUS_OK)
        mirror_invalidate(mirror, held->pages.begin, held->pages.end); /* the next hold finds out why */
    else
        take_for_valid(back->hold, held);
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
            /* A service's clients are foretold that their results come by staging. */
            if (held->was_resident && hold->way != HOLD_RESULT && !driver_is_provided())
                residency_note_staged_result(hold->table, held->copy, held->pages, back.staged_bytes);
            return STATUS_OK;
        }
    }
    /* A half-written output that the call only writes can still be computed by the host. */
    return touched && (held->operand.access == OPERAND_UPDATE || hold->way == HOLD_RESULT)
               ? STATUS_RESULT_LOST
               : status;
}
