#include "mirror/transfer/staging.h"

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
