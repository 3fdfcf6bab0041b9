#include "gpu/device_peer.h"
#include "gpu/device_state.h"

void device_peer_allow(struct device *from, const struct device *to)
{
    int possible = 0;
    if (device_is_shared(from) || device_is_shared(to))
        return;
    if (driver()->peer_possible(&possible, from->handle, to->handle) == CUDA_SUCCESS && possible)
        driver()->peer_enable(to->context, 0); /* a failure, or that it was there, changes nothing */
}

enum status device_peer_copy(struct device *from, CUdeviceptr source, struct device *to,
                             CUdeviceptr destination, size_t bytes, CUstream stream)
{
    return device_check(
        from,
        driver()->copy_peer_async(destination, to->context, source, from->context, bytes, stream),
        "copying to another device");
}
