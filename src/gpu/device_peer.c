#include "gpu/device_peer.h"
#include "gpu/device_state.h"

/* A lost device tells so at every call. */
static bool is_well(const struct device *device, CUstream stream)
{
    if (!device_is_usable(device))
        return false;
    const CUresult result = driver()->stream_query(stream);
    return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY;
}

enum status device_peer_check(struct device *device, CUstream stream, struct device *other, CUresult result,
                              const char *what)
{
    if (driver_status(result) != STATUS_DEVICE_LOST || !is_well(device, stream))
        return device_check(device, result, what);
    return device_check(other, result, what);
}

enum status device_peer_copy(struct device *from, CUdeviceptr source, struct device *to,
                             CUdeviceptr destination, size_t bytes, CUstream stream)
{
    return device_peer_check(
        from, stream, to,
        driver()->copy_peer_async(destination, to->context, source, from->context, bytes, stream),
        "copying to another device");
}
