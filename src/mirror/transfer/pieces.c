#include "mirror/host_memory/mapping.h"
#include "common/own_thread.h"
#include "mirror/transfer/transfer.h"

#include <limits.h>
#include <string.h>

/* Some microseconds, less than it takes to sleep and be woken. */
enum { SPINS = 100 };

bool piece_queue_take(struct piece_queue *queue, unsigned *piece)
{
    unsigned now = atomic_load(&queue->taken);
    while (now < atomic_load(&queue->allowed) && !atomic_load(&queue->closed))
        if (atomic_compare_exchange_weak(&queue->taken, &now, now + 1)) {
            *piece = now;
            return true;
        }
    return false;
}

static void tell_owner(struct piece_queue *queue)
{
    atomic_fetch_add(&queue->events, 1);
    if (atomic_load(&queue->owner_sleeps))
        futex_wake(&queue->events, 1);
}

void piece_queue_finish(struct piece_queue *queue, unsigned piece)
{
    atomic_store(&queue->finished_in_slot[piece % LANE_SLOTS], piece + 1);
    atomic_fetch_add(&queue->finished, 1);
    tell_owner(queue);
}

void piece_queue_refuse(struct piece_queue *queue, unsigned piece)
{
    atomic_store(&queue->refused[atomic_fetch_add(&queue->refused_count, 1)], piece + 1);
    tell_owner(queue);
}

static bool has_refused(struct piece_queue *queue)
{
    return queue->taken_back < PIECES_REFUSED_MOST && atomic_load(&queue->refused[queue->taken_back]) > 0;
}

bool piece_queue_take_refused(struct piece_queue *queue, unsigned *piece)
{
    if (!has_refused(queue))
        return false;
    *piece = atomic_load(&queue->refused[queue->taken_back++]) - 1;
    return true;
}

static bool is_over(struct piece_queue *queue)
{
    return atomic_load(&queue->closed) || atomic_load(&queue->taken) >= queue->pieces;
}

/* A sleeper is counted before the futex looks at the word; the word changes before the count is looked at. */
bool piece_queue_await(struct piece_queue *queue, unsigned *piece)
{
    for (;;) {
        const unsigned seen = atomic_load(&queue->news);
        for (int i = 0; i < SPINS; i++) {
            if (piece_queue_take(queue, piece))
                return true;
            if (is_over(queue))
                return false;
            pause_spin();
        }
        atomic_fetch_add(&queue->listeners, 1);
        futex_wait(&queue->news, seen, NULL);
        atomic_fetch_sub(&queue->listeners, 1);
    }
}

static void tell_helpers(struct piece_queue *queue, int helpers)
{
    atomic_fetch_add(&queue->news, 1);
    if (atomic_load(&queue->listeners) > 0)
        futex_wake(&queue->news, helpers);
}

void piece_queue_allow(struct piece_queue *queue, unsigned allowed)
{
    const unsigned before = atomic_exchange(&queue->allowed, allowed);
    if (allowed > before)
        tell_helpers(queue, allowed < queue->pieces ? (int)(allowed - before) : INT_MAX);
}

void piece_queue_close(struct piece_queue *queue)
{
    atomic_store(&queue->closed, true);
    tell_helpers(queue, INT_MAX);
}

bool piece_queue_is_finished(const struct piece_queue *queue, unsigned piece)
{
    return atomic_load(&queue->finished_in_slot[piece % LANE_SLOTS]) == piece + 1;
}

static bool is_awaited(struct piece_queue *queue, unsigned piece)
{
    return !piece_queue_is_finished(queue, piece) && !has_refused(queue);
}

void piece_queue_await_finish(struct piece_queue *queue, unsigned piece)
{
    for (int i = 0; i < SPINS && is_awaited(queue, piece); i++)
        pause_spin();
    atomic_store(&queue->owner_sleeps, true);
    for (;;) {
        const unsigned seen = atomic_load(&queue->events);
        if (!is_awaited(queue, piece))
            break;
        futex_wait(&queue->events, seen, NULL);
    }
    atomic_store(&queue->owner_sleeps, false);
}

enum { PART_ALIGNMENT = 256 };

bool piece_next(const struct transfer *transfer, struct piece *piece)
{
    if (transfer->width == 0)
        return false;
    piece->column += piece->width;
    if (piece->column >= transfer->width) {
        piece->column = 0;
        piece->row += piece->rows;
    }
    if (piece->row >= transfer->height)
        return false;
    size_t width_left = transfer->width - piece->column, rows_left = transfer->height - piece->row;
    size_t rows = transfer->width < STAGING_PIECE_BYTES ? STAGING_PIECE_BYTES / transfer->width : 1;
    piece->rows = rows < rows_left ? rows : rows_left;
    piece->width = width_left < STAGING_PIECE_BYTES ? width_left : STAGING_PIECE_BYTES;
    return true;
}

/* Rows that go together, or equal parts of a row. */
struct cut {
    size_t rows, parts, width;
};

static size_t ceiling(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit;
}

static struct cut cut_of(const struct transfer *transfer, size_t most)
{
    if (transfer->width <= most) {
        const size_t pieces = ceiling(transfer->height, most / transfer->width);
        return (struct cut){.rows = ceiling(transfer->height, pieces), .parts = 1, .width = transfer->width};
    }
    const size_t even = ceiling(transfer->width, ceiling(transfer->width, most));
    const size_t width = ceiling(even, PART_ALIGNMENT) * PART_ALIGNMENT;
    return (struct cut){.rows = 1, .parts = ceiling(transfer->width, width), .width = width};
}

size_t pieces_count(const struct transfer *transfer, size_t most)
{
    if (transfer->width == 0 || transfer->height == 0)
        return 0;
    const struct cut cut = cut_of(transfer, most);
    return ceiling(transfer->height, cut.rows) * cut.parts;
}

struct piece piece_at(const struct transfer *transfer, size_t most, size_t index)
{
    const struct cut cut = cut_of(transfer, most);
    struct piece piece = {
        .row = index / cut.parts * cut.rows, .rows = cut.rows,
        .column = index % cut.parts * cut.width, .width = cut.width,
    };
    if (piece.rows > transfer->height - piece.row)
        piece.rows = transfer->height - piece.row;
    if (piece.width > transfer->width - piece.column)
        piece.width = transfer->width - piece.column;
    return piece;
}

bool piece_next_slice(const struct piece *piece, size_t most, struct piece *slice)
{
    if (slice->rows == 0)
        *slice = (struct piece){.row = piece->row, .column = piece->column};
    if (piece->rows > 1) {
        const size_t left = piece->row + piece->rows - slice->row - slice->rows;
        const size_t rows = piece->width < most ? most / piece->width : 1;
        *slice = (struct piece){slice->row + slice->rows, rows < left ? rows : left, piece->column,
                                piece->width};
        return left > 0;
    }
    const size_t left = piece->column + piece->width - slice->column - slice->width;
    *slice = (struct piece){piece->row, 1, slice->column + slice->width, most < left ? most : left};
    return left > 0;
}

size_t piece_slice_offset(const struct piece *piece, const struct piece *slice)
{
    return (slice->row - piece->row) * piece->width + slice->column - piece->column;
}

bool piece_is_reachable(const struct transfer *transfer, const struct piece *piece, bool up)
{
    const struct clip *const clip = transfer->clip;
    struct memory_rows rows = {
        .first = (uintptr_t)(transfer->host + (ptrdiff_t)piece->row * transfer->host_pitch),
        .pitch = transfer->host_pitch, .rows = piece->rows,
        .begin = piece->column, .end = piece->column + piece->width, .high = SIZE_MAX,
    };
    if (clip) {
        rows.low = clip->low + piece->row * clip->low_step;
        rows.high = clip->high + piece->row * clip->high_step;
        rows.low_step = clip->low_step;
        rows.high_step = clip->high_step;
    }
    return memory_reach_allows(&rows, !up);
}

static CUdeviceptr device_of(const struct transfer *transfer, const struct piece *piece)
{
    return transfer->device + piece->row * transfer->device_pitch + piece->column;
}

enum status piece_send(const struct transfer *transfer, const struct piece *piece,
                       const unsigned char *packed)
{
    return staging_upload_direct(transfer->lane, device_of(transfer, piece), transfer->device_pitch, packed,
                                 piece->width, piece->width, piece->rows);
}

enum status piece_fetch(const struct transfer *transfer, const struct piece *piece, unsigned char *packed)
{
    return staging_download_direct(transfer->lane, packed, piece->width, device_of(transfer, piece),
                                   transfer->device_pitch, piece->width, piece->rows);
}

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

static void gather(unsigned char *packed, const unsigned char *host, ptrdiff_t pitch, size_t width,
                   size_t rows)
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

typedef void copy_function(unsigned char *to, const unsigned char *from, size_t bytes);

static void copy_plainly(unsigned char *to, const unsigned char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void scatter(unsigned char *host, ptrdiff_t pitch, const unsigned char *packed, size_t width,
                    size_t rows, copy_function *copy)
{
    if (pitch == (ptrdiff_t)width) {
        copy(host, packed, width * rows);
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
            copy(host + (ptrdiff_t)r * pitch, packed + width * r, width);
}

/* The bytes [*low, *high) of a row of the piece, counted from the row's first, that may be touched; false:
 * none. */
static bool clip_row(const struct transfer *transfer, const struct piece *piece, size_t row, size_t *low,
                     size_t *high)
{
    const struct clip *clip = transfer->clip;
    const size_t begin = clip->low + row * clip->low_step, end = clip->high + row * clip->high_step;
    *low = begin > piece->column ? begin : piece->column;
    *high = end < piece->column + piece->width ? end : piece->column + piece->width;
    return *low < *high;
}

/* The bytes left out stay in the slot as they were: nobody reads them on the device. */
static void gather_clipped(unsigned char *packed, const struct transfer *transfer, const struct piece *piece)
{
    size_t low, high;
    for (size_t r = 0; r < piece->rows; r++, packed += piece->width) {
        const unsigned char *host = transfer->host + (ptrdiff_t)(piece->row + r) * transfer->host_pitch;
        if (clip_row(transfer, piece, piece->row + r, &low, &high))
            copy_unchecked(packed + (low - piece->column), host + low, high - low);
    }
}

static void scatter_clipped(const struct transfer *transfer, const struct piece *piece,
                            const unsigned char *packed, copy_function *copy)
{
    size_t low, high;
    for (size_t r = 0; r < piece->rows; r++, packed += piece->width) {
        unsigned char *host = transfer->host + (ptrdiff_t)(piece->row + r) * transfer->host_pitch;
        if (clip_row(transfer, piece, piece->row + r, &low, &high))
            copy(host + low, packed + (low - piece->column), high - low);
    }
}

static unsigned char *host_of(const struct transfer *transfer, const struct piece *piece)
{
    return transfer->host + (ptrdiff_t)piece->row * transfer->host_pitch + piece->column;
}

void transfer_pack(void *packed, const struct transfer *transfer)
{
    gather(packed, transfer->host, transfer->host_pitch, transfer->width, transfer->height);
}

void transfer_unpack(const struct transfer *transfer, const void *packed)
{
    scatter(transfer->host, transfer->host_pitch, packed, transfer->width, transfer->height, copy_plainly);
}

/* The copies above are not seen by a ThreadSanitizer that mublas itself is built with; that staging is
 * used so is. */
static void note_use(const unsigned char *packed, const struct piece *piece, bool writes)
{
#ifdef __SANITIZE_THREAD__
    void __tsan_read_range(void *, long), __tsan_write_range(void *, long);
    (writes ? __tsan_write_range : __tsan_read_range)((void *)(uintptr_t)packed,
                                                      (long)(piece->rows * piece->width));
#else
    (void)packed, (void)piece, (void)writes;
#endif
}

void piece_pack(unsigned char *packed, const struct transfer *transfer, const struct piece *piece)
{
    note_use(packed, piece, true);
    if (transfer->clip)
        gather_clipped(packed, transfer, piece);
    else
        gather(packed, host_of(transfer, piece), transfer->host_pitch, piece->width, piece->rows);
}

static void unpack(const struct transfer *transfer, const struct piece *piece, const unsigned char *packed,
                   copy_function *copy)
{
    note_use(packed, piece, false);
    if (transfer->clip)
        scatter_clipped(transfer, piece, packed, copy);
    else
        scatter(host_of(transfer, piece), transfer->host_pitch, packed, piece->width, piece->rows, copy);
}

void piece_unpack(const struct transfer *transfer, const struct piece *piece, const unsigned char *packed)
{
    unpack(transfer, piece, packed, copy_plainly);
}

void piece_unpack_unseen(const struct transfer *transfer, const struct piece *piece,
                         const unsigned char *packed)
{
    unpack(transfer, piece, packed, copy_unchecked);
}
