#include "mirror/transfer.h"

#include "mirror/staging.h"

#include <string.h>

enum {
    HALF_BYTES = LANE_STAGING_BYTES / 2,
    PIECE_BYTES = STAGING_PIECE_BYTES, /* long enough for full speed, short enough to overlap with packing */
    ALIGNMENT = 256
};

static const char uploading[] = "copying an operand to the device";
static const char downloading[] = "running a kernel or copying its result to the host";

/* The share of one copy: some whole rows, or a part of one long row. */
struct piece {
    size_t row, rows;
    size_t column, width; /* bytes */
};

/* Advance to the next piece; all zero stands before the first. */
static bool next_piece(const struct transfer *transfer, struct piece *piece)
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
    size_t rows = transfer->width < PIECE_BYTES ? PIECE_BYTES / transfer->width : 1;
    piece->rows = rows < rows_left ? rows : rows_left;
    piece->width = width_left < PIECE_BYTES ? width_left : PIECE_BYTES;
    return true;
}

/* Rows that follow each other without gaps on both sides are one long row. */
static void join_rows(struct transfer *transfer)
{
    if (transfer->height > 1 && !transfer->clip && transfer->host_pitch == (ptrdiff_t)transfer->width &&
        transfer->device_pitch == transfer->width) {
        transfer->width *= transfer->height;
        transfer->height = 1;
    }
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

void transfer_pack(void *packed, const struct transfer *transfer)
{
    gather(packed, transfer->host, transfer->host_pitch, transfer->width, transfer->height);
}

void transfer_unpack(const struct transfer *transfer, const void *packed)
{
    scatter(transfer->host, transfer->host_pitch, packed, transfer->width, transfer->height);
}

/* The bytes [*low, *high) of a row of the piece, counted from the row's first, that may be touched; false: none. */
static bool clip_row(const struct transfer *transfer, const struct piece *piece, size_t row, size_t *low,
                     size_t *high)
{
    const struct clip *clip = transfer->clip;
    const size_t begin = clip->low + row * clip->low_step, end = clip->high + row * clip->high_step;
    *low = begin > piece->column ? begin : piece->column;
    *high = end < piece->column + piece->width ? end : piece->column + piece->width;
    return *low < *high;
}

/* What is left out stays in the room as it was: nobody reads it on the device. */
static void gather_clipped(unsigned char *packed, const struct transfer *transfer, const struct piece *piece)
{
    size_t low, high;
    for (size_t r = 0; r < piece->rows; r++, packed += piece->width) {
        const unsigned char *host = transfer->host + (ptrdiff_t)(piece->row + r) * transfer->host_pitch;
        if (clip_row(transfer, piece, piece->row + r, &low, &high))
            copy_unchecked(packed + (low - piece->column), host + low, high - low);
    }
}

static void scatter_clipped(const struct transfer *transfer, const struct piece *piece, const unsigned char *packed)
{
    size_t low, high;
    for (size_t r = 0; r < piece->rows; r++, packed += piece->width) {
        unsigned char *host = transfer->host + (ptrdiff_t)(piece->row + r) * transfer->host_pitch;
        if (clip_row(transfer, piece, piece->row + r, &low, &high))
            memcpy(host + low, packed + (low - piece->column), high - low);
    }
}

static unsigned char *host_of(const struct transfer *transfer, const struct piece *piece)
{
    return transfer->host + (ptrdiff_t)piece->row * transfer->host_pitch + piece->column;
}

/* After a failed transfer copies from or to staging may still be under way. */
static enum status settle(struct lane *lane, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    if (!state->doubtful)
        return STATUS_OK;
    enum status status = lane_synchronise(lane, what);
    if (status == STATUS_OK)
        *state = (struct staging_state){0};
    return status;
}

/* Room to pack `bytes` into: further on in the half in use, or the other half. */
static enum status take_room(struct lane *lane, size_t bytes, unsigned char **room)
{
    struct staging_state *state = &lane->staging_state;
    enum status status = lane_reserve_staging(lane);
    if (status != STATUS_OK)
        return status;
    if (state->used + bytes > HALF_BYTES) {
        status = device_check(lane->device, driver()->event_record(lane->staging_free[state->half], lane->stream),
                              uploading);
        if (status != STATUS_OK)
            return status;
        state->pending[state->half] = true;
        state->half ^= 1;
        state->used = 0;
        if (state->pending[state->half])
            status = device_check(lane->device, driver()->event_synchronise(lane->staging_free[state->half]),
                                  uploading);
        if (status != STATUS_OK)
            return status;
        state->pending[state->half] = false;
    }
    *room = lane->staging + (size_t)state->half * HALF_BYTES + state->used;
    state->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return STATUS_OK;
}

enum status transfer_upload(struct transfer *transfer)
{
    struct lane *lane = transfer->lane;
    join_rows(transfer);
    enum status status = settle(lane, uploading);
    struct piece piece = {0};
    while (status == STATUS_OK && next_piece(transfer, &piece)) {
        unsigned char *room;
        status = take_room(lane, piece.width * piece.rows, &room);
        if (status == STATUS_OK) {
            if (transfer->clip)
                gather_clipped(room, transfer, &piece);
            else
                gather(room, host_of(transfer, &piece), transfer->host_pitch, piece.width, piece.rows);
            CUdeviceptr device = transfer->device + piece.row * transfer->device_pitch + piece.column;
            status = staging_upload_direct(lane, device, transfer->device_pitch, room, piece.width, piece.width,
                                           piece.rows);
        }
        if (status != STATUS_OK)
            lane->staging_state.doubtful = true;
    }
    return status;
}

static enum status fetch(const struct transfer *transfer, const struct piece *piece, unsigned char *room)
{
    CUdeviceptr device = transfer->device + piece->row * transfer->device_pitch + piece->column;
    return staging_download_direct(transfer->lane, room, piece->width, device, transfer->device_pitch, piece->width,
                                   piece->rows);
}

static void deliver(const struct transfer *transfer, const struct piece *piece, const unsigned char *packed)
{
    if (transfer->touched)
        *transfer->touched = true;
    if (transfer->clip)
        scatter_clipped(transfer, piece, packed);
    else
        scatter(host_of(transfer, piece), transfer->host_pitch, packed, piece->width, piece->rows);
}

static enum status download_one(const struct transfer *transfer, const struct piece *piece)
{
    unsigned char *room;
    enum status status = take_room(transfer->lane, piece->width * piece->rows, &room);
    if (status == STATUS_OK)
        status = fetch(transfer, piece, room);
    if (status == STATUS_OK)
        status = lane_synchronise(transfer->lane, downloading);
    if (status == STATUS_OK)
        deliver(transfer, piece, room);
    return status;
}

static unsigned char *half_of(const struct lane *lane, unsigned half)
{
    return lane->staging + (size_t)half * HALF_BYTES;
}

static enum status fetch_half(const struct transfer *transfer, const struct piece *piece, unsigned half)
{
    struct lane *lane = transfer->lane;
    enum status status = fetch(transfer, piece, half_of(lane, half));
    if (status == STATUS_OK)
        status = device_check(lane->device, driver()->event_record(lane->staging_free[half], lane->stream),
                              downloading);
    return status;
}

static enum status deliver_half(const struct transfer *transfer, const struct piece *piece, unsigned half)
{
    struct lane *lane = transfer->lane;
    enum status status = device_check(lane->device, driver()->event_synchronise(lane->staging_free[half]),
                                      downloading);
    if (status == STATUS_OK)
        deliver(transfer, piece, half_of(lane, half));
    return status;
}

/* Two pieces on their way at any time, one in each half. piece[0] is the first, piece[1] the second. */
static enum status download_many(const struct transfer *transfer, struct piece piece[2])
{
    struct staging_state *state = &transfer->lane->staging_state;
    enum status status = lane_reserve_staging(transfer->lane);
    if (status != STATUS_OK)
        return status;
    if (state->used > 0 || state->pending[0] || state->pending[1]) /* uploads may still lie in the halves */
        status = lane_synchronise(transfer->lane, downloading);
    if (status == STATUS_OK)
        status = fetch_half(transfer, &piece[0], 0);
    unsigned half = 0;
    for (bool more = true; status == STATUS_OK && more; half ^= 1) {
        status = fetch_half(transfer, &piece[half ^ 1], half ^ 1);
        if (status == STATUS_OK)
            status = deliver_half(transfer, &piece[half], half);
        piece[half] = piece[half ^ 1];
        more = next_piece(transfer, &piece[half]);
    }
    return status == STATUS_OK ? deliver_half(transfer, &piece[half], half) : status;
}

enum status transfer_download(struct transfer *transfer)
{
    struct lane *lane = transfer->lane;
    join_rows(transfer);
    enum status status = settle(lane, downloading);
    struct piece piece[2] = {{0}};
    if (status != STATUS_OK || !next_piece(transfer, &piece[0]))
        return status;
    piece[1] = piece[0];
    status = next_piece(transfer, &piece[1]) ? download_many(transfer, piece) : download_one(transfer, &piece[0]);
    /* The last piece has landed, so everything queued before it is done. */
    lane->staging_state = (struct staging_state){.doubtful = status != STATUS_OK};
    return status;
}
