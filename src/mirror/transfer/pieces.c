#include "mirror/transfer/pieces.h"

#include "mirror/host_memory/memory_reach.h"
#include "mirror/transfer/staging.h"

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

void transfer_join_rows(struct transfer *transfer)
{
    if (transfer->height > 1 && !transfer->clip && transfer->host_pitch == (ptrdiff_t)transfer->width &&
        transfer->device_pitch == transfer->width) {
        transfer->width *= transfer->height;
        transfer->height = 1;
    }
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
