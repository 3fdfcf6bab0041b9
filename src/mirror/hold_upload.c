#include "mirror/ledger/account.h"
#include "mirror/hold.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/pinning/pins.h"
#include "mirror/tracking/mirror_pages.h"
#include "mirror/transfer/transfer.h"

#include <stdlib.h>

enum { LD_ALIGNMENT = 16 };

static size_t packed_column_bytes(const struct operand *operand)
{
    const size_t bytes = (size_t)operand->matrix.rows * operand->element_bytes;
    return (bytes + LD_ALIGNMENT - 1) / LD_ALIGNMENT * LD_ALIGNMENT;
}

size_t stateless_scratch_bytes(const struct operand *operand)
{
    if (operand_memory_is_empty(operand))
        return 0;
    return device_aligned(packed_column_bytes(operand) * (size_t)operand->matrix.columns);
}

enum status stateless_hold(struct lane *lane, struct operand *operand, struct transfer_count *count)
{
    operand->device_address = 0;
    operand->device_ld = 1;
    if (operand_memory_is_empty(operand))
        return STATUS_OK;
    operand->device_address = lane_scratch(lane, stateless_scratch_bytes(operand));
    operand->device_ld = (int64_t)(packed_column_bytes(operand) / operand->element_bytes);
    if (operand->access == OPERAND_OVERWRITE)
        return STATUS_OK;
    enum status status = staging_upload_part(lane, operand->device_address, operand->device_ld,
                                             &operand->matrix, operand->element_bytes);
    if (status == STATUS_OK)
        count->bytes_up += operand_memory_bytes(operand);
    return status;
}

enum status stateless_write_back(struct lane *lane, const struct operand *operand,
                                 struct transfer_count *count)
{
    bool touched = false;
    enum status status = STATUS_OK;
    if (operand_memory_is_empty(operand) || operand->access == OPERAND_READ)
        return STATUS_OK;
    for (int attempt = 0; attempt < 2; attempt++) {
        status = staging_download_part(lane, &operand->matrix, operand->device_address, operand->device_ld,
                                       operand->element_bytes, &touched);
        if (status == STATUS_OK) {
            count->bytes_down += operand_memory_bytes(operand);
            return STATUS_OK;
        }
    }
    /* A half-written output that the call only writes can still be computed by the host. */
    return touched && operand->access == OPERAND_UPDATE ? STATUS_RESULT_LOST : status;
}

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

/* Blocks that have no device memory any more are not resident. */
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

/* The memory that fills the budget may lie in the very mirrors that this call uses, as when the program's
 * heap is one mapping: give back the memory that no call works on. */
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

/* A piece of the mirror that is going up: pages [begin, end). */
struct upload_piece {
    size_t begin, end;
    bool direct;
};

/* Staged pieces of the same length at the same distance, as columns are: one copy on the device's side. */
struct rows {
    size_t begin, pages, distance, count; /* in pages; none when count == 0 */
};

struct upload {
    struct operands_hold *hold;
    struct held_operand *held;
    struct upload_piece piece; /* not queued yet; empty when begin == end */
    struct rows rows;   /* likewise */
};

static enum status flush_rows(struct upload *upload)
{
    struct mirror *mirror = upload->held->mirror;
    const struct rows rows = upload->rows;
    const size_t width = rows.pages << page_shift();
    const size_t pitch = rows.count > 1 ? rows.distance << page_shift() : width;
    const uintptr_t host = mirror->begin + (rows.begin << page_shift());
    upload->rows.count = 0;
    if (rows.count == 0)
        return STATUS_OK;
    atomic_fetch_add_explicit(&mirror->staged_bytes, width * rows.count, memory_order_relaxed);
    return staging_upload(upload->hold->lane, device_range_address(&upload->held->copy->memory, host), pitch,
                          (const void *)host, pitch, width, rows.count);
}

/* No memory need lie between columns that are further apart than a block, and a copy in two
 * dimensions may not span what is not there. */
static bool is_next_row(const struct rows *rows, const struct upload_piece *piece)
{
    const size_t distance = piece->begin - rows->begin;
    if (rows->count == 0 || piece->end - piece->begin != rows->pages || piece->begin <= rows->begin)
        return false;
    return rows->count == 1 ? distance << page_shift() <= (size_t)1 << BLOCK_SHIFT
                            : distance == rows->count * rows->distance;
}

static enum status add_row(struct upload *upload, const struct upload_piece *piece)
{
    struct rows *rows = &upload->rows;
    if (is_next_row(rows, piece)) {
        if (rows->count++ == 1)
            rows->distance = piece->begin - rows->begin;
        return STATUS_OK;
    }
    enum status status = flush_rows(upload);
    *rows = (struct rows){.begin = piece->begin, .pages = piece->end - piece->begin, .count = 1};
    return status;
}

static enum status flush(struct upload *upload)
{
    struct mirror *mirror = upload->held->mirror;
    const struct upload_piece piece = upload->piece;
    const size_t bytes = (piece.end - piece.begin) << page_shift();
    const uintptr_t host = mirror->begin + (piece.begin << page_shift());
    upload->piece.begin = piece.end;
    if (bytes == 0)
        return STATUS_OK;
    upload->hold->transfers.bytes_up += bytes;
    if (!piece.direct)
        return add_row(upload, &piece);
    atomic_fetch_add_explicit(&mirror->direct_bytes, bytes, memory_order_relaxed);
    return staging_upload_direct(upload->hold->lane, device_range_address(&upload->held->copy->memory, host),
                                 bytes, (const void *)host, bytes, bytes, 1);
}

static bool can_join(const struct upload *upload, const struct upload_piece *next)
{
    const struct upload_piece *piece = &upload->piece;
    bool direct;
    if (piece->begin == piece->end || next->begin < piece->end || piece->direct != next->direct)
        return false;
    size_t gap = next->begin - piece->end;
    if (!piece->direct || gap << page_shift() > (size_t)DMA_GAP_BYTES_MOST)
        return gap == 0;
    /* The CPU never reads what is not needed: it may be unreadable. DMA may, within one pin: a stale pin's
     * bytes must not even ride along, the page may be valid. */
    return pins_run(upload->held->mirror, piece->begin, next->end, &direct) == next->end - piece->begin;
}

static enum status add_piece(struct upload *upload, struct upload_piece next)
{
    enum status status = STATUS_OK;
    if (can_join(upload, &next)) {
        upload->piece.end = next.end;
    } else {
        status = flush(upload);
        upload->piece = next;
    }
    upload->held->uploaded_pages += next.end - next.begin;
    page_bits_set(upload->held->copy->valid, next.begin, next.end);
    pins_note_foreign(upload->held->mirror, next.begin, next.end);
    upload->hold->validated |= !upload->held->hot; /* those are forgotten */
    return status;
}

/* Pages [begin, end), none of them valid: by DMA where the pin is trusted. */
static enum status add_pages(struct upload *upload, size_t begin, size_t end)
{
    enum status status = STATUS_OK;
    while (begin < end && status == STATUS_OK) {
        struct upload_piece piece = {.begin = begin};
        piece.end = begin + pins_run(upload->held->mirror, begin, end, &piece.direct);
        status = add_piece(upload, piece);
        begin = piece.end;
    }
    return status;
}

/* The pages of the operand that may not be valid: none, as a rule, where the host wrote
 * elsewhere only. A factorisation's next submatrix lies in the last one, beside the panel. */
static struct page_range doubtful_pages(const struct held_operand *held)
{
    struct completeness known;
    return completeness_find(held->copy, &held->operand, &known)
               ? page_ranges_common(held->pages, known.lost)
               : held->pages;
}

bool hold_is_complete(const struct held_operand *held)
{
    const struct page_range doubtful = doubtful_pages(held);
    return doubtful.begin >= doubtful.end;
}

/* With the pages between its columns. */
bool hold_is_valid(const struct held_operand *held)
{
    const struct page_range doubtful = doubtful_pages(held);
    if (doubtful.begin >= doubtful.end)
        return true;
    /* Before the call claims the pages, who claims the whole may be dropping the copy. */
    pthread_mutex_lock(&held->mirror->lock);
    const bool valid = atomic_load(&held->copy->made) &&
                       page_bits_all(held->copy->valid, doubtful.begin, doubtful.end);
    pthread_mutex_unlock(&held->mirror->lock);
    return valid;
}

/* Its pages that are to go up, run by run. */
struct missing {
    struct held_operand *held;
    struct page_range doubtful;
    uint64_t *known; /* of a part, from the hull's first page; NULL: none */
    struct operand_runs runs;
    struct page_range rest; /* of a run of the operand's */
};

static bool is_known(const struct missing *missing, size_t page)
{
    return missing->known && page_bits_test(missing->known, page - missing->held->pages.begin);
}

static struct missing missing_start(struct held_operand *held, struct page_range doubtful, uint64_t *known)
{
    return (struct missing){
        held, doubtful, known,
        operand_runs_start_at(&held->operand, held->mirror->begin + (doubtful.begin << page_shift())), {0, 0}};
}

/* The first pages of the rest of a run; false: there is none. */
static bool missing_in_run(struct missing *missing, struct page_range *pages)
{
    const uint64_t *const valid = missing->held->copy->valid;
    const size_t end = missing->rest.end;
    size_t begin = page_bits_find(valid, missing->rest.begin, end, false);
    while (begin < end && is_known(missing, begin))
        begin = page_bits_find(valid, begin + 1, end, false);
    pages->begin = begin;
    pages->end = page_bits_find(valid, begin, end, true);
    for (size_t page = begin; missing->known && page < pages->end; page++)
        pages->end = is_known(missing, page) ? page : pages->end;
    missing->rest.begin = pages->end;
    return begin < end;
}

static bool missing_next(struct missing *missing, struct page_range *pages)
{
    struct byte_range run;
    while (!missing_in_run(missing, pages)) {
        if (!operand_runs_next(&missing->runs, &run))
            return false;
        missing->rest = mirror_page_range(missing->held->mirror, run.begin, run.end);
        if (missing->rest.begin >= missing->doubtful.end)
            return false;
    }
    return true;
}

static enum status upload_pages(struct upload *upload, struct missing missing)
{
    struct page_range pages;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && missing_next(&missing, &pages))
        status = add_pages(upload, pages.begin, pages.end);
    if (status == STATUS_OK)
        status = flush(upload);
    return status == STATUS_OK ? flush_rows(upload) : status;
}

enum status hold_upload(struct operands_hold *hold, struct held_operand *held)
{
    struct upload upload = {.hold = hold, .held = held};
    const unsigned long evicted = atomic_load(&held->copy->parts_evicted); /* before what follows is asked */
    const struct page_range doubtful = doubtful_pages(held);
    if (doubtful.begin >= doubtful.end)
        return STATUS_OK;
    uint64_t *const known = parts_find(held->copy, &held->operand, held->pages);
    const enum status status = upload_pages(&upload, missing_start(held, doubtful, known));
    free(known);
    if (status == STATUS_OK)
        completeness_note(held->copy, &held->operand, evicted);
    return status;
}
