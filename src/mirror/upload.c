#include "mirror/hold.h"

#include "mirror/completeness.h"
#include "mirror/pins.h"
#include "mirror/staging.h"

/* Bytes between two needed pieces of pinned memory that it is cheaper to move along
 * than to skip: about what a copy's fixed cost is worth. The CPU never reads what is
 * not needed: it may be unreadable. */
enum { GAP_MOST = 64 << 10 };

/* A piece of the mirror that is going up: pages [begin, end). */
struct piece {
    size_t begin, end;
    bool direct;
};

struct upload {
    struct operands_hold *hold;
    struct held_operand *held;
    struct piece piece; /* not queued yet; empty when begin == end */
};

static enum status flush(struct upload *upload)
{
    struct mirror *mirror = upload->held->mirror;
    struct piece *piece = &upload->piece;
    size_t bytes = (piece->end - piece->begin) << page_shift();
    if (bytes == 0)
        return STATUS_OK;
    uintptr_t host = mirror->begin + (piece->begin << page_shift());
    CUdeviceptr device = device_range_address(&mirror->memory, host);
    piece->begin = piece->end;
    upload->hold->transfers.bytes_up += bytes;
    if (piece->direct)
        mirror->direct_bytes += bytes;
    if (piece->direct)
        return staging_upload_direct(upload->hold->lane, device, bytes, (const void *)host, bytes, bytes, 1);
    mirror->staged_bytes += bytes;
    return staging_upload(upload->hold->lane, device, bytes, (const void *)host, bytes, bytes, 1);
}

static bool can_join(const struct upload *upload, const struct piece *next)
{
    const struct piece *piece = &upload->piece;
    bool direct;
    if (piece->begin == piece->end || next->begin < piece->end || piece->direct != next->direct)
        return false;
    size_t gap = next->begin - piece->end;
    if (!piece->direct || gap << page_shift() > (size_t)GAP_MOST)
        return gap == 0;
    /* One pin's, gap included: a stale pin's bytes must not even ride along, the page may be valid. */
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
    page_bits_set(upload->held->mirror->valid, next.begin, next.end);
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
    const struct complete_operand *known = completeness_find(held->mirror, &held->operand);
    struct page_range pages = held->pages;
    if (!known)
        return pages;
    pages.begin = known->lost.begin > pages.begin ? known->lost.begin : pages.begin;
    pages.end = known->lost.end < pages.end ? known->lost.end : pages.end;
    return pages;
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
    struct footprint footprint =
        footprint_start_at(&held->operand, mirror->begin + (doubtful.begin << page_shift()));
    struct byte_range run;
    enum status status = STATUS_OK;
    if (doubtful.begin >= doubtful.end)
        return STATUS_OK;
    while (status == STATUS_OK && footprint_next(&footprint, &run)) {
        struct page_range pages = mirror_page_range(mirror, run.begin, run.end);
        if (pages.begin >= doubtful.end)
            break;
        size_t begin = page_bits_find(mirror->valid, pages.begin, pages.end, false);
        while (begin < pages.end && status == STATUS_OK) {
            size_t end = page_bits_find(mirror->valid, begin, pages.end, true);
            status = add_pages(&upload, begin, end);
            begin = page_bits_find(mirror->valid, end, pages.end, false);
        }
    }
    if (status == STATUS_OK)
        status = flush(&upload);
    if (status == STATUS_OK)
        completeness_note(mirror, &held->operand);
    return status;
}
