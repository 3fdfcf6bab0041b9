#include "mirror/transfer/transfer.h"

#include <assert.h>

enum status staging_upload(struct lane *lane, CUdeviceptr destination, size_t destination_pitch,
                           const void *source, size_t source_pitch, size_t width, size_t height)
{
    struct transfer transfer = {
        .lane = lane, .device = destination, .device_pitch = destination_pitch,
        .host = (unsigned char *)(uintptr_t)source, .host_pitch = (ptrdiff_t)source_pitch,
        .width = width, .height = height,
    };
    return transfer_upload(&transfer);
}

enum status staging_download(struct lane *lane, void *destination, size_t destination_pitch,
                             CUdeviceptr source, size_t source_pitch, size_t width, size_t height)
{
    struct transfer transfer = {
        .lane = lane, .device = source, .device_pitch = source_pitch,
        .host = destination, .host_pitch = (ptrdiff_t)destination_pitch,
        .width = width, .height = height,
    };
    return transfer_download(&transfer);
}

/* A vector's elements as rows of one element, the first element first. */
static struct transfer vector_transfer(struct lane *lane, CUdeviceptr device,
                                       const struct blas_vector *vector, size_t element_bytes)
{
    ptrdiff_t pitch = (ptrdiff_t)(vector->increment * (int64_t)element_bytes);
    unsigned char *first = vector->pointer;
    if (pitch < 0 && vector->length > 0)
        first -= (vector->length - 1) * pitch;
    return (struct transfer){
        .lane = lane, .device = device, .device_pitch = element_bytes,
        .host = first, .host_pitch = pitch,
        .width = element_bytes, .height = vector->length > 0 ? (size_t)vector->length : 0,
    };
}

enum status staging_upload_vector(struct lane *lane, CUdeviceptr destination,
                                  const struct blas_vector *vector, size_t element_bytes)
{
    struct transfer transfer = vector_transfer(lane, destination, vector, element_bytes);
    return transfer_upload(&transfer);
}

enum status staging_download_vector(struct lane *lane, const struct blas_vector *vector, CUdeviceptr source,
                                    size_t element_bytes)
{
    struct transfer transfer = vector_transfer(lane, source, vector, element_bytes);
    return transfer_download(&transfer);
}

void staging_pack_vector(void *packed, const struct blas_vector *vector, size_t element_bytes)
{
    const struct transfer rows = vector_transfer(NULL, 0, vector, element_bytes);
    transfer_pack(packed, &rows);
}

void staging_unpack_vector(const struct blas_vector *vector, const void *packed, size_t element_bytes)
{
    const struct transfer rows = vector_transfer(NULL, 0, vector, element_bytes);
    transfer_unpack(&rows, packed);
}

/* A triangle goes as blocks of columns, each the rectangle that holds its share:
 * few enough that the end of each costs nothing, many enough to move little else. */
enum { BLOCK_COLUMNS_LEAST = 256, BLOCKS_MOST = TRANSFERS_OF_PART };

static int64_t block_columns(const struct blas_matrix *matrix)
{
    if (matrix->part == PART_FULL)
        return matrix->columns;
    int64_t columns = (matrix->columns + BLOCKS_MOST - 1) / BLOCKS_MOST;
    return columns > BLOCK_COLUMNS_LEAST ? columns : BLOCK_COLUMNS_LEAST;
}

/* The rectangle of columns [column, column + columns) as a transfer, and which bytes of it are the part's. */
static struct transfer block_transfer(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr device,
                                      int64_t device_ld, size_t element_bytes, int64_t column,
                                      struct clip *clip)
{
    int64_t columns = block_columns(matrix);
    if (columns > matrix->columns - column)
        columns = matrix->columns - column;
    int64_t first = matrix->part == PART_LOWER ? column : 0;
    int64_t end = matrix->part == PART_UPPER ? column + columns : matrix->rows;
    size_t ld_bytes = (size_t)matrix->ld * element_bytes, device_ld_bytes = (size_t)device_ld * element_bytes;
    size_t width = (size_t)(end - first) * element_bytes;
    if (matrix->part == PART_LOWER)
        *clip = (struct clip){0, element_bytes, width, 0};
    else
        *clip = (struct clip){0, 0, (size_t)(column + 1) * element_bytes, element_bytes};
    return (struct transfer){
        .lane = lane,
        .device = device + (size_t)column * device_ld_bytes + (size_t)first * element_bytes,
        .device_pitch = device_ld_bytes,
        .host = (unsigned char *)matrix->pointer + (size_t)column * ld_bytes + (size_t)first * element_bytes,
        .host_pitch = (ptrdiff_t)ld_bytes,
        .width = width, .height = (size_t)columns,
        .clip = matrix->part == PART_FULL ? NULL : clip,
    };
}

unsigned transfers_of_part(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr device,
                           int64_t device_ld, size_t element_bytes, struct transfer transfers[BLOCKS_MOST],
                           struct clip clips[BLOCKS_MOST])
{
    unsigned count = 0;
    for (int64_t column = 0; column < matrix->columns; column += block_columns(matrix), count++)
        transfers[count] =
            block_transfer(lane, matrix, device, device_ld, element_bytes, column, &clips[count]);
    return count;
}

enum status staging_upload_part(struct lane *lane, CUdeviceptr destination, int64_t destination_ld,
                                const struct blas_matrix *matrix, size_t element_bytes)
{
    struct transfer transfers[BLOCKS_MOST];
    struct clip clips[BLOCKS_MOST];
    const unsigned count =
        transfers_of_part(lane, matrix, destination, destination_ld, element_bytes, transfers, clips);
    enum status status;
    if (direct_run_triangle(matrix, destination_ld, element_bytes, transfers, count, true, &status))
        return status;
    return transfer_upload_all(transfers, count);
}

enum status staging_download_part(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                                  int64_t source_ld, size_t element_bytes, bool *touched)
{
    struct transfer transfers[BLOCKS_MOST];
    struct clip clips[BLOCKS_MOST];
    const unsigned count = transfers_of_part(lane, matrix, source, source_ld, element_bytes, transfers, clips);
    for (unsigned i = 0; i < count; i++)
        transfers[i].touched = touched;
    enum status status;
    if (direct_run_triangle(matrix, source_ld, element_bytes, transfers, count, false, &status))
        return status;
    return transfer_download_all(transfers, count);
}

/* Columns per block: narrower bands copy fewer bytes twice, wider ones make fewer strips. */
enum { BAND_ELEMENTS = 64, BAND_BLOCKS_MOST = 512 };

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
    if (order > (size_t)BAND_ELEMENTS * BAND_BLOCKS_MOST)
        band = order / BAND_BLOCKS_MOST;
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
