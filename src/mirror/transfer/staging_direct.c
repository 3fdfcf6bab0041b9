#include "mirror/transfer/staging.h"

enum { PITCH_MOST = 0x7fffffff }; /* of a 2-D copy, CU_DEVICE_ATTRIBUTE_MAX_PITCH */

static const char uploading[] = "copying an operand to the device";
static const char downloading[] = "copying a result to the host";

/* One range on both sides: a single row, or rows without gaps. */
static bool is_contiguous(size_t pitch, size_t other_pitch, size_t width, size_t height)
{
    return height == 1 || (pitch == width && other_pitch == width);
}

enum status staging_upload_direct(struct lane *lane, CUdeviceptr destination, size_t destination_pitch,
                                  const void *source, size_t source_pitch, size_t width, size_t height)
{
    CUresult result = CUDA_SUCCESS;
    if (width == 0 || height == 0)
        return STATUS_OK;
    if (is_contiguous(destination_pitch, source_pitch, width, height)) {
        result = driver()->copy_to_device_async(destination, source, width * height, lane->stream);
    } else if (destination_pitch <= PITCH_MOST && source_pitch <= PITCH_MOST) {
        CUDA_MEMCPY2D copy = {
            .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = source, .srcPitch = source_pitch,
            .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = destination, .dstPitch = destination_pitch,
            .WidthInBytes = width, .Height = height,
        };
        result = driver()->copy_2d_async(&copy, lane->stream);
    } else {
        for (size_t row = 0; row < height && result == CUDA_SUCCESS; row++)
            result = driver()->copy_to_device_async(destination + row * destination_pitch,
                                                    (const char *)source + row * source_pitch, width,
                                                    lane->stream);
    }
    return device_check(lane->device, result, uploading);
}

enum status staging_download_direct(struct lane *lane, void *destination, size_t destination_pitch,
                                    CUdeviceptr source, size_t source_pitch, size_t width, size_t height)
{
    CUresult result = CUDA_SUCCESS;
    if (width == 0 || height == 0)
        return STATUS_OK;
    if (is_contiguous(destination_pitch, source_pitch, width, height)) {
        result = driver()->copy_to_host_async(destination, source, width * height, lane->stream);
    } else if (destination_pitch <= PITCH_MOST && source_pitch <= PITCH_MOST) {
        CUDA_MEMCPY2D copy = {
            .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = source, .srcPitch = source_pitch,
            .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = destination, .dstPitch = destination_pitch,
            .WidthInBytes = width, .Height = height,
        };
        result = driver()->copy_2d_async(&copy, lane->stream);
    } else {
        for (size_t row = 0; row < height && result == CUDA_SUCCESS; row++)
            result = driver()->copy_to_host_async((char *)destination + row * destination_pitch,
                                                  source + row * source_pitch, width, lane->stream);
    }
    return device_check(lane->device, result, downloading);
}
