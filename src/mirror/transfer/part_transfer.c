#include "mirror/transfer/staging.h"

#include <assert.h>
#include <stdatomic.h>

/* Columns per block: narrower bands copy fewer bytes twice, wider ones make fewer strips. */
enum { BAND_ELEMENTS = 64, BLOCKS_MOST = 512 };

/* A lower or upper triangle whose element (i, j) lies at i * row + j * column bytes.
 * An upper triangle reversed in both directions is a lower one, so only the
 * corner at which strips begin differs. */
struct triangle {
    size_t order;
    size_t element_bytes, ld_bytes;
    bool upper;
    strip_visitor *visit;
    void *context;
};

/* Rows [row, row + rows) of columns [column, column + columns), each column
 * `shift` rows further down than the one before; (row, column) counts in the
 * lower triangle and is mirrored through the centre for the upper one. */
static int visit_strip(const struct triangle *triangle, size_t row, size_t column, size_t rows,
                       size_t columns, size_t shift)
{
    if (triangle->upper) {
        row = triangle->order - (row + (columns - 1) * shift + rows);
        column = triangle->order - (column + columns);
    }
    struct strip strip = {
        .offset = row * triangle->element_bytes + column * triangle->ld_bytes,
        .width = rows * triangle->element_bytes,
        .height = columns,
        .pitch = triangle->ld_bytes + shift * triangle->element_bytes,
    };
    return triangle->visit(triangle->context, &strip);
}

static size_t band_elements(size_t order)
{
    size_t band = BAND_ELEMENTS;
    if (order > (size_t)BAND_ELEMENTS * BLOCKS_MOST)
        band = order / BLOCKS_MOST;
    return order <= band ? order / 2 : band;
}

/* The lower triangle from (begin, begin) on: a band of columns begin..end-1, the
 * rectangles below it, and then what is left at the end, with ever narrower bands. */
static int cover_lower(const struct triangle *triangle)
{
    size_t begin = 0;
    while (triangle->order - begin > 1) {
        size_t band = band_elements(triangle->order - begin);
        size_t end = triangle->order - band;
        int answer = visit_strip(triangle, begin, begin, band, end - begin, 1);
        for (size_t column = begin; answer == 0 && column < end; column += band) {
            size_t columns = end - column < band ? end - column : band;
            answer =
                visit_strip(triangle, column + band, column, triangle->order - column - band, columns, 0);
        }
        if (answer != 0)
            return answer;
        begin = end;
    }
    return visit_strip(triangle, begin, begin, 1, 1, 0);
}

int triangle_cover(const struct blas_matrix *matrix, size_t element_bytes, strip_visitor *visit,
                   void *context)
{
    if (matrix->rows <= 0 || matrix->columns <= 0)
        return 0;
    size_t ld_bytes = (size_t)matrix->ld * element_bytes;
    if (matrix->part == PART_FULL) {
        struct strip strip = {0, (size_t)matrix->rows * element_bytes, (size_t)matrix->columns, ld_bytes};
        return visit(context, &strip);
    }
    assert(matrix->rows == matrix->columns);
    struct triangle triangle = {
        .order = (size_t)matrix->rows,
        .element_bytes = element_bytes,
        .ld_bytes = ld_bytes,
        .upper = matrix->part == PART_UPPER,
        .visit = visit,
        .context = context,
    };
    return cover_lower(&triangle);
}

/* A driver refuses copies of what lies in several registrations, which operands_are_pinned_by_program may not
 * see. From the first one on all goes by staging. */
static atomic_bool is_refused;

struct direct {
    struct lane *lane;
    const struct blas_matrix *matrix;
    CUdeviceptr device;
    size_t ld_bytes, device_ld_bytes;
    bool up, is_queued; /* some of it, perhaps */
    enum status status;
};

/* A band along the diagonal has a pitch of some elements more than the leading dimension, on both sides. */
static int move_strip(void *context, const struct strip *strip)
{
    struct direct *const direct = context;
    const size_t column = strip->offset / direct->ld_bytes, row_bytes = strip->offset % direct->ld_bytes;
    const size_t device_pitch = strip->pitch - direct->ld_bytes + direct->device_ld_bytes;
    unsigned char *const host = (unsigned char *)direct->matrix->pointer + strip->offset;
    const CUdeviceptr device = direct->device + column * direct->device_ld_bytes + row_bytes;
    direct->status = direct->up
                         ? staging_upload_direct(direct->lane, device, device_pitch, host, strip->pitch,
                                                 strip->width, strip->height)
                         : staging_download_direct(direct->lane, host, strip->pitch, device, device_pitch,
                                                   strip->width, strip->height);
    direct->is_queued = direct->is_queued || direct->status == STATUS_OK ||
                        strip->pitch > STAGING_PITCH_MOST || device_pitch > STAGING_PITCH_MOST;
    return direct->status != STATUS_OK;
}

static enum status move_directly(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr device,
                                 int64_t device_ld, size_t element_bytes, bool up, bool *is_queued)
{
    struct direct direct = {.lane = lane, .matrix = matrix, .device = device, .up = up, .status = STATUS_OK,
                            .ld_bytes = (size_t)matrix->ld * element_bytes,
                            .device_ld_bytes = (size_t)device_ld * element_bytes};
    triangle_cover(matrix, element_bytes, move_strip, &direct);
    *is_queued = direct.is_queued;
    if (direct.status == STATUS_DEVICE_ERROR)
        atomic_store(&is_refused, true);
    return direct.status;
}

enum status part_upload(struct lane *lane, CUdeviceptr destination, int64_t destination_ld,
                        const struct blas_matrix *matrix, size_t element_bytes, bool is_pinned)
{
    bool is_queued;
    if (is_pinned && !atomic_load(&is_refused)) {
        const enum status status =
            move_directly(lane, matrix, destination, destination_ld, element_bytes, true, &is_queued);
        if (status != STATUS_DEVICE_ERROR)
            return status;
    }
    return staging_upload_part(lane, destination, destination_ld, matrix, element_bytes);
}

enum status part_download(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                          int64_t source_ld, size_t element_bytes, bool is_pinned, bool *touched)
{
    bool is_queued;
    if (!is_pinned || atomic_load(&is_refused))
        return staging_download_part(lane, matrix, source, source_ld, element_bytes, touched);
    const enum status status =
        move_directly(lane, matrix, source, source_ld, element_bytes, false, &is_queued);
    if (touched)
        *touched = *touched || is_queued;
    return status == STATUS_OK ? lane_synchronise(lane, "copying a result to the host") : status;
}
