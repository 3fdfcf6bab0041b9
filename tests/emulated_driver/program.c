/* Functions that only programs call: contexts of their own, a reset. Graphs are in graph.c. */
#include "emulated_driver/program.h"
#include "emulated_driver/internal.h"

EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    API_BEGIN_ON(cuCtxCreate_v2, device);
    (void)flags;
    if ((result = context_check_device(device)) != CUDA_SUCCESS)
        goto end;
    *context = context_create(device);
    result = context_push(*context);
    API_END;
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext context)
{
    API_BEGIN(cuCtxDestroy_v2);
    result = context_destroy(context);
    API_END;
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    API_BEGIN(cuDevicePrimaryCtxReset_v2);
    if ((result = context_check_device(device)) == CUDA_SUCCESS)
        context_reset_primary(device);
    API_END;
}
