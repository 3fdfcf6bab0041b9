#include "mirror/transfer/staging.h"
#include "mirror/transfer/transfer.h"

/* So many bytes from the beginning of a row on. */
static CUresult copy_bytes(const CUDA_MEMCPY2D *rows, size_t row, size_t bytes, CUstream stream)
{
    const size_t from = row * rows->srcPitch, to = row * rows->dstPitch;
    if (rows->srcMemoryType == CU_MEMORYTYPE_HOST)
        return driver()->copy_to_device_async(rows->dstDevice + to, (const char *)rows->srcHost + from, bytes,
                                              stream);
    return driver()->copy_to_host_async((char *)rows->dstHost + to, rows->srcDevice + from, bytes, stream);
}

static CUresult copy(const CUDA_MEMCPY2D *rows, CUstream stream)
{
    const size_t width = rows->WidthInBytes, height = rows->Height;
    CUresult result = CUDA_SUCCESS;
    if (width == 0 || height == 0)
        return result;
    if (height == 1 || (rows->srcPitch == width && rows->dstPitch == width)) /* one range on both sides */
        return copy_bytes(rows, 0, width * height, stream);
    if (rows->srcPitch <= STAGING_PITCH_MOST && rows->dstPitch <= STAGING_PITCH_MOST)
        return driver()->copy_2d_async(rows, stream);
    for (size_t row = 0; row < height && result == CUDA_SUCCESS; row++)
        result = copy_bytes(rows, row, width, stream);
    return result;
}

enum status staging_upload_direct(struct lane *lane, CUdeviceptr destination, size_t destination_pitch,
                                  const void *source, size_t source_pitch, size_t width, size_t height)
{
    const CUDA_MEMCPY2D rows = {
        .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = source, .srcPitch = source_pitch,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = destination, .dstPitch = destination_pitch,
        .WidthInBytes = width, .Height = height,
    };
    return device_check(lane->device, copy(&rows, lane->stream), "copying an operand to the device");
}

enum status staging_download_direct(struct lane *lane, void *destination, size_t destination_pitch,
                                    CUdeviceptr source, size_t source_pitch, size_t width, size_t height)
{
    const CUDA_MEMCPY2D rows = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = source, .srcPitch = source_pitch,
        .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = destination, .dstPitch = destination_pitch,
        .WidthInBytes = width, .Height = height,
    };
    return device_check(lane->device, copy(&rows, lane->stream), "copying a result to the host");
}

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
enum { BLOCK_COLUMNS_LEAST = 256, BLOCKS_MOST = TRANSFER_TOGETHER_MOST };

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

/* All blocks; how many there are. */
static unsigned part_transfers(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr device,
                               int64_t device_ld, size_t element_bytes,
                               struct transfer transfers[BLOCKS_MOST], struct clip clips[BLOCKS_MOST])
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
    return transfer_upload_all(transfers, part_transfers(lane, matrix, destination, destination_ld,
                                                         element_bytes, transfers, clips));
}

enum status staging_download_part(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                                  int64_t source_ld, size_t element_bytes, bool *touched)
{
    struct transfer transfers[BLOCKS_MOST];
    struct clip clips[BLOCKS_MOST];
    const unsigned count = part_transfers(lane, matrix, source, source_ld, element_bytes, transfers, clips);
    for (unsigned i = 0; i < count; i++)
        transfers[i].touched = touched;
    return transfer_download_all(transfers, count);
}
