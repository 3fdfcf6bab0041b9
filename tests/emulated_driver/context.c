/* Initialisation, the primary context, the program's own ones. */
#include "emulated_driver/internal.h"

#include <stdlib.h>

enum { CONTEXT_STACK = 16 };

struct CUctx_st {
    unsigned long long id;
    unsigned retained;
    bool active;
    struct CUctx_st *next;
};

static struct CUctx_st primary;
static struct CUctx_st *own; /* the program's; destroyed ones stay, so that stale handles are noticed */
static unsigned long long last_id;
static bool initialised;

static _Thread_local CUcontext stack[CONTEXT_STACK];
static _Thread_local int depth;
static _Thread_local int capture_mode;

CUresult context_check(void)
{
    if (!initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (depth == 0 || !stack[depth - 1])
        return CUDA_ERROR_INVALID_CONTEXT;
    return stack[depth - 1]->active ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static bool is_known(CUcontext context)
{
    struct CUctx_st *known = own;
    while (known && known != context)
        known = known->next;
    return context == &primary || (context && known);
}

static CUresult handle_check(CUcontext context)
{
    if (!is_known(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return context->active ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUcontext context_create(void)
{
    struct CUctx_st *context = calloc(1, sizeof *context);
    if (!context)
        emulated_abort("out of host memory");
    *context = (struct CUctx_st){.id = ++last_id, .active = true, .next = own};
    own = context;
    return context;
}

CUresult context_destroy(CUcontext context)
{
    CUresult result = context == &primary ? CUDA_ERROR_INVALID_CONTEXT : handle_check(context);
    if (result != CUDA_SUCCESS)
        return result;
    context->active = false;
    if (depth > 0 && stack[depth - 1] == context)
        depth--;
    return result;
}

CUresult context_push(CUcontext context)
{
    CUresult result = initialised ? handle_check(context) : CUDA_ERROR_NOT_INITIALIZED;
    if (result != CUDA_SUCCESS)
        return result;
    if (depth == CONTEXT_STACK)
        emulated_abort("contexts were pushed %d deep: a pop is missing", depth);
    stack[depth++] = context;
    return result;
}

int context_capture_mode(void)
{
    return capture_mode;
}

CUresult context_check_device(CUdevice device)
{
    if (!initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static bool device_is_hidden(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    return visible && visible[0] != '0';
}

EXPORT CUresult cuInit(unsigned flags)
{
    API_BEGIN(cuInit);
    if (flags != 0)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    if (device_is_hidden())
        API_FAIL(CUDA_ERROR_NO_DEVICE);
    result = memory_open();
    initialised = result == CUDA_SUCCESS;
    if (initialised)
        call_deinitialise_at_exit();
    API_END;
}

static void destroy_everything(void)
{
    stream_reset();
    memory_reset();
    pinned_reset();
    module_reset();
    primary.active = false;
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    API_BEGIN(cuDevicePrimaryCtxGetState);
    if ((result = context_check_device(device)) != CUDA_SUCCESS)
        goto end;
    *flags = 0;
    *active = primary.active;
    API_END;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    API_BEGIN(cuDevicePrimaryCtxRetain);
    if ((result = context_check_device(device)) != CUDA_SUCCESS)
        goto end;
    if (!primary.active) {
        primary.active = true;
        primary.id = ++last_id;
    }
    primary.retained++;
    *context = &primary;
    API_END;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    API_BEGIN(cuDevicePrimaryCtxRelease_v2);
    if ((result = context_check_device(device)) != CUDA_SUCCESS)
        goto end;
    if (primary.retained == 0)
        API_FAIL(CUDA_ERROR_INVALID_CONTEXT);
    if (--primary.retained == 0)
        destroy_everything();
    API_END;
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    API_BEGIN(cuCtxPushCurrent_v2);
    result = context_push(context);
    API_END;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context)
{
    API_BEGIN(cuCtxGetCurrent);
    *context = depth > 0 ? stack[depth - 1] : NULL;
    API_END;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    API_BEGIN(cuCtxSetCurrent);
    if (context && (result = handle_check(context)) != CUDA_SUCCESS)
        goto end;
    if (depth > 0)
        depth--;
    if (context)
        result = context_push(context);
    API_END;
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    API_BEGIN(cuCtxPopCurrent_v2);
    if (depth == 0)
        API_FAIL(misuse("cuCtxPopCurrent without a push"));
    depth--;
    if (context)
        *context = stack[depth];
    API_END;
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device)
{
    API_BEGIN(cuCtxGetDevice);
    if ((result = context_check()) == CUDA_SUCCESS)
        *device = 0;
    API_END;
}

EXPORT CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    API_BEGIN(cuCtxGetId);
    if (!context && depth > 0)
        context = stack[depth - 1];
    if ((result = handle_check(context)) == CUDA_SUCCESS)
        *id = context->id;
    API_END;
}

EXPORT CUresult cuThreadExchangeStreamCaptureMode(int *mode)
{
    API_BEGIN(cuThreadExchangeStreamCaptureMode);
    if (!mode || *mode < 0 || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    int before = capture_mode;
    capture_mode = *mode;
    *mode = before;
    API_END;
}

void context_reset_primary(void)
{
    destroy_everything();
    fault_clear_sticky();
    primary.active = true;
    primary.id = ++last_id;
}

EXPORT void emulated_reset_primary(void)
{
    call_lock();
    context_reset_primary();
    call_end();
}

EXPORT void emulated_census(struct emulated_census *census)
{
    call_lock();
    memory_census(census);
    stream_census(census);
    census->pinned = pinned_count();
    census->modules = module_count();
    call_end();
}
