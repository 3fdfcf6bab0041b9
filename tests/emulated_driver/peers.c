/* Access of one device to the memory of another. */
#include "emulated_driver/internal.h"

EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice other)
{
    API_BEGIN_ON(cuDeviceCanAccessPeer, device);
    if ((result = context_check_device(device)) != CUDA_SUCCESS ||
        (result = context_check_device(other)) != CUDA_SUCCESS)
        goto end;
    if (!can)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    *can = device != other && context_may_reach(device, other);
    API_END;
}

EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    API_BEGIN(cuCtxEnablePeerAccess);
    if ((result = context_check()) == CUDA_SUCCESS)
        result = flags != 0 ? CUDA_ERROR_INVALID_VALUE : context_allow_peer(peer);
    if (result == CUDA_SUCCESS)
        memory_guard_renew();
    API_END;
}
