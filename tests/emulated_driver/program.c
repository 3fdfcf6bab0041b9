/* What only programs call: contexts of their own, a reset, stream capture. */
#include "emulated_driver/program.h"
#include "emulated_driver/internal.h"

#include <stdlib.h>

#define PROGRAM_FUNCTION(symbol) extern EXPORT __typeof(symbol) symbol;
#include "emulated_driver/program.def"
#undef PROGRAM_FUNCTION

static CUstream captured; /* at most one capture at a time */
static bool capturing, global, spoilt;

CUresult capture_check(enum function_index function)
{
    switch (function) {
    case CALL_cuMemAlloc_v2: case CALL_cuMemFree_v2: case CALL_cuMemHostAlloc: case CALL_cuMemFreeHost:
    case CALL_cuMemHostRegister_v2: case CALL_cuMemHostUnregister: case CALL_cuModuleLoadData:
    case CALL_cuModuleUnload: case CALL_cuEventSynchronize: case CALL_cuStreamSynchronize:
        break;
    default:
        return CUDA_SUCCESS;
    }
    if (!capturing || !global || context_capture_mode() == CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_SUCCESS;
    spoilt = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    API_BEGIN(cuCtxCreate_v2);
    (void)flags;
    (void)device;
    *context = context_create();
    result = context_push(*context);
    API_END;
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    API_BEGIN(cuCtxDestroy_v2);
    result = context_destroy(context);
    API_END;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    API_BEGIN(cuDevicePrimaryCtxReset_v2);
    (void)device;
    context_reset_primary();
    API_END;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int mode)
{
    API_BEGIN(cuStreamBeginCapture_v2);
    if (!stream || capturing || !stream_is_valid(stream))
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    captured = stream;
    capturing = true;
    global = mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    spoilt = false;
    API_END;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    API_BEGIN(cuStreamEndCapture);
    if (!capturing || stream != captured)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    capturing = false;
    *graph = NULL;
    result = spoilt ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    API_END;
}
