#include "mirror/hold.h"

#include "mirror/costs.h"
#include "mirror/pinning/pins.h"
#include "mirror/transfer/staging.h"

/* A piece of the mirror that is going up: pages [begin, end). */
struct piece {
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
    struct piece piece; /* not queued yet; empty when begin == end */
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

/* No memory need lie between columns that are further apart than a block (hold_memory.c), and a copy in
 * two dimensions may not span what is not there. */
static bool is_next_row(const struct rows *rows, const struct piece *piece)
{
    const size_t distance = piece->begin - rows->begin;
    if (rows->count == 0 || piece->end - piece->begin != rows->pages || piece->begin <= rows->begin)
        return false;
    return rows->count == 1 ? distance << page_shift() <= (size_t)1 << BLOCK_SHIFT
                            : distance == rows->count * rows->distance;
}

static enum status add_row(struct upload *upload, const struct piece *piece)
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
    const struct piece piece = upload->piece;
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

static bool can_join(const struct upload *upload, const struct piece *next)
{
    const struct piece *piece = &upload->piece;
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

static enum status add_piece(struct upload *upload, struct piece next)
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
    upload->hold->validated = true;
    return status;
}

/* Pages [begin, end), none of them valid: by DMA where the pin is trusted. */
static enum status add_pages(struct upload *upload, size_t begin, size_t end)
{
    enum status status = STATUS_OK;
    while (begin < end && status == STATUS_OK) {
        struct piece piece = {.begin = begin};
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

enum status hold_upload(struct operands_hold *hold, struct held_operand *held)
{
    struct upload upload = {.hold = hold, .held = held};
    struct mirror *mirror = held->mirror;
    const struct page_range doubtful = doubtful_pages(held);
    struct operand_runs runs =
        operand_runs_start_at(&held->operand, mirror->begin + (doubtful.begin << page_shift()));
    struct byte_range run;
    enum status status = STATUS_OK;
    if (doubtful.begin >= doubtful.end)
        return STATUS_OK;
    while (status == STATUS_OK && operand_runs_next(&runs, &run)) {
        struct page_range pages = mirror_page_range(mirror, run.begin, run.end);
        if (pages.begin >= doubtful.end)
            break;
        size_t begin = page_bits_find(held->copy->valid, pages.begin, pages.end, false);
        while (begin < pages.end && status == STATUS_OK) {
            size_t end = page_bits_find(held->copy->valid, begin, pages.end, true);
            status = add_pages(&upload, begin, end);
            begin = page_bits_find(held->copy->valid, end, pages.end, false);
        }
    }
    if (status == STATUS_OK)
        status = flush(&upload);
    if (status == STATUS_OK)
        status = flush_rows(&upload);
    if (status == STATUS_OK)
        completeness_note(held->copy, &held->operand);
    return status;
}
