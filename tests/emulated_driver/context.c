/* Initialisation, the primary context, the program's own ones. */
#include "emulated_driver/internal.h"

#include <stdlib.h>

enum { CONTEXT_STACK = 16 };

struct CUctx_st {
    unsigned long long id;
    CUdevice device;
    unsigned retained;
    unsigned peers; /* devices whose memory it reaches, a bit each, besides its own */
    bool active;
    struct CUctx_st *next;
};

static struct CUctx_st primaries[DEVICES_MAX];
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

static bool is_primary(CUcontext context)
{
    return context >= primaries && context < primaries + DEVICES_MAX;
}

bool context_is_known(CUcontext context)
{
    struct CUctx_st *known = own;
    while (known && known != context)
        known = known->next;
    return is_primary(context) || (context && known);
}

static CUresult handle_check(CUcontext context)
{
    if (!context_is_known(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return context->active ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUcontext context_create(CUdevice device)
{
    struct CUctx_st *context = calloc(1, sizeof *context);
    if (!context)
        emulated_abort("out of host memory");
    *context = (struct CUctx_st){.id = ++last_id, .device = device, .active = true, .next = own};
    own = context;
    return context;
}

CUresult context_destroy(CUcontext context)
{
    CUresult result = is_primary(context) ? CUDA_ERROR_INVALID_CONTEXT : handle_check(context);
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
    return device >= 0 && device < kinds_count() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUcontext context_current(void)
{
    return depth > 0 ? stack[depth - 1] : NULL;
}

CUdevice context_device_of(CUcontext context)
{
    return context ? context->device : -1;
}

CUdevice context_device(void)
{
    return context_device_of(context_current());
}

bool context_reaches(CUcontext context, CUdevice device)
{
    return context->device == device || context->peers >> device & 1;
}

CUresult context_allow_peer(CUcontext peer)
{
    struct CUctx_st *context = context_current();
    const CUresult result = handle_check(peer);
    if (result != CUDA_SUCCESS)
        return result;
    if (peer->device == context->device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!context_may_reach(context->device, peer->device))
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (context->peers >> peer->device & 1)
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    context->peers |= 1u << peer->device;
    return CUDA_SUCCESS;
}

bool context_may_reach(CUdevice device, CUdevice other)
{
    return device == other || options()->peer;
}

EXPORT CUresult cuInit(unsigned flags)
{
    API_BEGIN(cuInit);
    if (flags != 0)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    emulated_hold("EMULATED_INIT_HOLD");
    if (!initialised) /* once: others read them without the lock */
        kinds_read();
    if (kinds_count() == 0)
        API_FAIL(CUDA_ERROR_NO_DEVICE);
    result = memory_open();
    if (result == CUDA_SUCCESS && !initialised) {
        lasting_begin();
        foreign_watch();
    }
    initialised = result == CUDA_SUCCESS;
    if (initialised)
        call_deinitialise_at_exit();
    API_END;
}

/* All of the device, the program's own contexts there included. */
static void destroy_everything(struct CUctx_st *primary)
{
    stream_reset(primary->device);
    memory_reset(primary->device);
    pinned_reset(primary->device);
    module_reset(primary->device);
    primary->active = false;
    primary->peers = 0;
    for (int i = 0; i < DEVICES_MAX; i++)
        primaries[i].peers &= ~(1u << primary->device);
    for (struct CUctx_st *context = own; context; context = context->next)
        context->peers &= ~(1u << primary->device);
    memory_guard_renew();
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    API_BEGIN_ON(cuDevicePrimaryCtxGetState, device);
    if ((result = context_check_device(device)) != CUDA_SUCCESS)
        goto end;
    *flags = 0;
    *active = primaries[device].active;
    API_END;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    API_BEGIN_ON(cuDevicePrimaryCtxRetain, device);
    if ((result = context_check_device(device)) != CUDA_SUCCESS)
        goto end;
    struct CUctx_st *primary = &primaries[device];
    if (!primary->active)
        *primary = (struct CUctx_st){.id = ++last_id, .device = device, .retained = primary->retained, .active = true};
    primary->retained++;
    *context = primary;
    API_END;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    API_BEGIN_ON(cuDevicePrimaryCtxRelease_v2, device);
    if ((result = context_check_device(device)) != CUDA_SUCCESS)
        goto end;
    if (primaries[device].retained == 0)
        API_FAIL(CUDA_ERROR_INVALID_CONTEXT);
    if (--primaries[device].retained == 0)
        destroy_everything(&primaries[device]);
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
        *device = context_device();
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

void context_reset_primary(CUdevice device)
{
    primaries[device].device = device;
    destroy_everything(&primaries[device]);
    fault_clear_sticky(device);
    primaries[device].active = true;
    primaries[device].id = ++last_id;
}

EXPORT void emulated_reset_primary(void)
{
    call_lock();
    context_reset_primary(0);
    call_end();
}

void census_take(struct emulated_census *census)
{
    memory_census(census);
    stream_census(census);
    census->pinned = pinned_count();
    census->modules = module_count();
}

EXPORT void emulated_census(struct emulated_census *census)
{
    call_lock();
    census_take(census);
    call_end();
}
