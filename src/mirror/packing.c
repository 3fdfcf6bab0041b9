#include "mirror/packing.h"

#include "mirror/copy_team.h"

#include <stdint.h>
#include <string.h>

/* Below the first a thread more costs what it saves; shares of the second keep all of them busy to the end. */
enum { TEAM_BYTES_LEAST = 512 << 10, SHARE_BYTES = 128 << 10, LINE_BYTES = 4096 };

/* Not memcpy: pages go up whole, with bytes of others that the AddressSanitizer of a
 * program, which stands in for its memcpy, would take for a mistake of ours. */
__attribute__((no_sanitize("address"), no_sanitize("thread")))
static void copy_unchecked(unsigned char *to, const unsigned char *from, size_t bytes)
{
#ifdef __x86_64__
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
    typedef uint64_t __attribute__((aligned(1), may_alias)) word;
    for (; bytes >= sizeof(word); bytes -= sizeof(word), to += sizeof(word), from += sizeof(word)) {
        *(word *)to = *(const word *)from;
        __asm__ volatile("" : : : "memory"); /* lest the loop becomes memcpy again */
    }
    for (; bytes; bytes--, to++, from++) {
        *to = *from;
        __asm__ volatile("" : : : "memory");
    }
#endif
}

static void gather(unsigned char *packed, const unsigned char *host, ptrdiff_t pitch, size_t width, size_t rows)
{
    if (pitch == (ptrdiff_t)width) {
        copy_unchecked(packed, host, width * rows);
        return;
    }
    /* A constant size becomes one load and one store. */
    if (width == 8)
        for (size_t r = 0; r < rows; r++)
            memcpy(packed + 8 * r, host + (ptrdiff_t)r * pitch, 8);
    else if (width == 4)
        for (size_t r = 0; r < rows; r++)
            memcpy(packed + 4 * r, host + (ptrdiff_t)r * pitch, 4);
    else
        for (size_t r = 0; r < rows; r++)
            copy_unchecked(packed + width * r, host + (ptrdiff_t)r * pitch, width);
}

static void scatter(unsigned char *host, ptrdiff_t pitch, const unsigned char *packed, size_t width, size_t rows)
{
    if (pitch == (ptrdiff_t)width) {
        memcpy(host, packed, width * rows);
        return;
    }
    if (width == 8)
        for (size_t r = 0; r < rows; r++)
            memcpy(host + (ptrdiff_t)r * pitch, packed + 8 * r, 8);
    else if (width == 4)
        for (size_t r = 0; r < rows; r++)
            memcpy(host + (ptrdiff_t)r * pitch, packed + 4 * r, 4);
    else
        for (size_t r = 0; r < rows; r++)
            memcpy(host + (ptrdiff_t)r * pitch, packed + width * r, width);
}

/* A copy as items that threads deal out among them: rows, or lines of what is contiguous. */
struct packing {
    const struct transfer *clipped; /* of packing_scatter_clipped */
    unsigned char *packed, *host;
    ptrdiff_t pitch;
    size_t width, rows;
    size_t row, column; /* of the clip */
    size_t bytes;       /* contiguous: how many in all */
};

static void run(size_t items, size_t item_bytes, copy_share *share, struct packing *packing)
{
    size_t grain = SHARE_BYTES / item_bytes;
    if (items * item_bytes < TEAM_BYTES_LEAST)
        share(packing, 0, items);
    else
        copy_team_run(items, grain > 0 ? grain : 1, share, packing);
}

static bool is_contiguous(const struct packing *packing)
{
    return packing->rows == 1 || packing->pitch == (ptrdiff_t)packing->width;
}

/* Items are lines; the last may be short. */
static size_t line_bytes(const struct packing *packing, size_t begin, size_t end)
{
    size_t last = end * LINE_BYTES < packing->bytes ? end * LINE_BYTES : packing->bytes;
    return last - begin * LINE_BYTES;
}

static void gather_lines(void *job, size_t begin, size_t end)
{
    const struct packing *packing = job;
    copy_unchecked(packing->packed + begin * LINE_BYTES, packing->host + begin * LINE_BYTES,
                   line_bytes(packing, begin, end));
}

static void scatter_lines(void *job, size_t begin, size_t end)
{
    const struct packing *packing = job;
    memcpy(packing->host + begin * LINE_BYTES, packing->packed + begin * LINE_BYTES, line_bytes(packing, begin, end));
}

static void gather_rows(void *job, size_t begin, size_t end)
{
    const struct packing *packing = job;
    gather(packing->packed + begin * packing->width, packing->host + (ptrdiff_t)begin * packing->pitch, packing->pitch,
           packing->width, end - begin);
}

static void scatter_rows(void *job, size_t begin, size_t end)
{
    const struct packing *packing = job;
    scatter(packing->host + (ptrdiff_t)begin * packing->pitch, packing->pitch,
            packing->packed + begin * packing->width, packing->width, end - begin);
}

static void copy(struct packing *packing, copy_share *lines, copy_share *rows)
{
    if (packing->rows == 0 || packing->width == 0)
        return;
    packing->bytes = packing->width * packing->rows;
    if (is_contiguous(packing))
        run((packing->bytes + LINE_BYTES - 1) / LINE_BYTES, LINE_BYTES, lines, packing);
    else
        run(packing->rows, packing->width, rows, packing);
}

void packing_gather(unsigned char *packed, const unsigned char *host, ptrdiff_t pitch, size_t width, size_t rows)
{
    struct packing packing = {.packed = packed, .host = (unsigned char *)(uintptr_t)host, .pitch = pitch,
                              .width = width, .rows = rows};
    copy(&packing, gather_lines, gather_rows);
}

void packing_scatter(unsigned char *host, ptrdiff_t pitch, const unsigned char *packed, size_t width, size_t rows)
{
    struct packing packing = {.packed = (unsigned char *)(uintptr_t)packed, .host = host, .pitch = pitch,
                              .width = width, .rows = rows};
    copy(&packing, scatter_lines, scatter_rows);
}

static void scatter_clipped_rows(void *job, size_t begin, size_t end)
{
    const struct packing *packing = job;
    const struct transfer *transfer = packing->clipped;
    const struct clip *clip = transfer->clip;
    const unsigned char *packed = packing->packed + begin * packing->width;
    for (size_t r = begin; r < end; r++, packed += packing->width) {
        size_t row = packing->row + r;
        size_t low = clip->low + row * clip->low_step, high = clip->high + row * clip->high_step;
        if (low < packing->column)
            low = packing->column;
        if (high > packing->column + packing->width)
            high = packing->column + packing->width;
        if (low < high)
            memcpy(transfer->host + (ptrdiff_t)row * transfer->host_pitch + low, packed + (low - packing->column),
                   high - low);
    }
}

void packing_scatter_clipped(const struct transfer *transfer, size_t row, size_t column, const unsigned char *packed,
                             size_t width, size_t rows)
{
    struct packing packing = {.clipped = transfer, .packed = (unsigned char *)(uintptr_t)packed, .width = width,
                              .rows = rows, .row = row, .column = column};
    if (rows > 0 && width > 0)
        run(rows, width, scatter_clipped_rows, &packing);
}
