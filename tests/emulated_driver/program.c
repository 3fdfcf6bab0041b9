/* What only programs call: contexts of their own, a reset. Graphs are in graph.c. */
#include "emulated_driver/program.h"
#include "emulated_driver/internal.h"

EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    API_BEGIN(cuCtxCreate_v2);
    (void)flags;
    (void)device;
    *context = context_create();
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
    (void)device;
    context_reset_primary();
    API_END;
}
