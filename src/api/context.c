#include "api/handle.h"
#include "tuner/online/recipe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The last of its two owners frees it. */
struct graph_hold {
    atomic_int owners; /* the caller and the graph */
};

static void drop(void *data)
{
    struct graph_hold *hold = data;
    if (atomic_fetch_sub_explicit(&hold->owners, 1, memory_order_acq_rel) == 1)
        free(hold);
}

struct graph_hold *graph_hold_begin(CUgraph graph)
{
    struct graph_hold *hold = malloc(sizeof *hold);
    CUuserObject object;
    if (!hold)
        return NULL;
    atomic_init(&hold->owners, 2);
    if (driver()->user_object_create(&object, hold, drop, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) != CUDA_SUCCESS) {
        free(hold);
        return NULL;
    }
    if (driver()->graph_retain_user_object(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE) == CUDA_SUCCESS)
        return hold;
    driver()->user_object_release(object, 1); /* this drops the graph's part */
    drop(hold);
    return NULL;
}

bool graph_hold_is_over(const struct graph_hold *hold)
{
    return atomic_load_explicit(&hold->owners, memory_order_acquire) == 1;
}

void graph_hold_forget(struct graph_hold *hold)
{
    if (hold)
        drop(hold);
}

static struct context *contexts;
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

int capture_relax(void)
{
    int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    driver()->capture_mode(&mode);
    return mode;
}

void capture_restore(int mode)
{
    driver()->capture_mode(&mode);
}

/* Launch shapes come from the process's one recipe, that of the device that the settings choose. */
static void shape_launches(CUdevice device)
{
    struct device_properties properties;
    struct device_choice choice;
    CUdevice chosen;
    if (device_choose(&choice) == STATUS_OK && driver()->device_get(&chosen, choice.ordinal) == CUDA_SUCCESS &&
        chosen == device && device_query(choice.ordinal, &properties) == STATUS_OK)
        recipe_of_process(&properties);
}

static CUresult make(CUcontext handle, unsigned long long id, struct context **result)
{
    struct context *context = calloc(1, sizeof *context);
    if (!context)
        return CUDA_ERROR_OUT_OF_MEMORY;
    context->handle = handle;
    context->id = id;
    CUresult outcome = driver()->context_device(&context->device);
    if (outcome == CUDA_SUCCESS) {
        const int mode = capture_relax();
        outcome = device_of_context(&context->own);
        capture_restore(mode);
    }
    if (outcome != CUDA_SUCCESS) {
        free(context);
        return outcome;
    }
    shape_launches(context->device);
    context->next = contexts;
    contexts = context;
    *result = context;
    return CUDA_SUCCESS;
}

CUresult context_find(struct context **result)
{
    CUcontext handle = NULL;
    unsigned long long id = 0;
    CUresult outcome = driver()->context_current(&handle);
    if (outcome == CUDA_SUCCESS)
        outcome = driver()->context_id(handle, &id);
    if (outcome != CUDA_SUCCESS)
        return outcome;
    pthread_mutex_lock(&contexts_lock);
    struct context *context = contexts;
    while (context && context->id != id)
        context = context->next;
    if (context)
        *result = context;
    else
        outcome = make(handle, id, result);
    pthread_mutex_unlock(&contexts_lock);
    return outcome;
}

/* The program may have destroyed a context and made another at its address. */
static CUresult check_identity(const struct context *context)
{
    unsigned long long id = 0;
    CUresult outcome = driver()->context_id(context->handle, &id);
    if (outcome == CUDA_SUCCESS && id != context->id)
        outcome = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return outcome;
}

CUresult context_enter(const struct context *context, struct context_scope *scope)
{
    CUcontext current = NULL;
    CUresult outcome = driver()->context_current(&current);
    scope->pushed = false;
    if (outcome == CUDA_SUCCESS && current != context->handle) {
        outcome = driver()->context_push(context->handle);
        scope->pushed = outcome == CUDA_SUCCESS;
    }
    if (outcome == CUDA_SUCCESS)
        outcome = check_identity(context);
    if (outcome != CUDA_SUCCESS)
        context_leave(scope);
    return outcome;
}

void context_leave(const struct context_scope *scope)
{
    CUcontext ignored;
    if (scope->pushed)
        driver()->context_pop(&ignored);
}

enum mublas_status mublas_device_allocate(struct mublas_handle *handle, size_t bytes, void **pointer)
{
    struct context_scope scope;
    CUdeviceptr address = 0;
    enum mublas_status status = handle_begin(handle, __func__);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (!pointer)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "pointer is NULL");
    *pointer = NULL;
    if (bytes == 0)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "bytes is 0");
    status = handle_enter(handle, __func__, &scope);
    if (status != MUBLAS_SUCCESS)
        return status;
    const int mode = capture_relax();
    const CUresult result = driver()->memory_allocate(&address, bytes);
    capture_restore(mode);
    if (result == CUDA_SUCCESS)
        *pointer = (void *)(uintptr_t)address;
    return handle_leave(handle, &scope, result, "allocating device memory");
}

enum mublas_status mublas_device_free(struct mublas_handle *handle, void *pointer)
{
    struct context_scope scope;
    const enum mublas_status status = handle_enter(handle, __func__, &scope);
    if (status != MUBLAS_SUCCESS)
        return status;
    const int mode = capture_relax();
    const CUresult result = pointer ? driver()->memory_free((uintptr_t)pointer) : CUDA_SUCCESS;
    capture_restore(mode);
    return handle_leave(handle, &scope, result, "freeing device memory");
}

/* Waiting for a captured stream would spoil the capture. */
static CUresult check_uncaptured(CUstream stream)
{
    int status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = driver()->stream_capture_info(stream, &status, NULL, NULL, NULL, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    return status == CU_STREAM_CAPTURE_STATUS_NONE ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

static CUresult synchronise(CUstream stream)
{
    const int mode = capture_relax();
    const CUresult result = driver()->stream_synchronise(stream);
    capture_restore(mode);
    return result;
}

/* Returns when the bytes have arrived. */
static enum mublas_status copy(struct mublas_handle *handle, const char *function, void *device, void *host,
                               size_t bytes, bool to_device)
{
    struct context_scope scope;
    enum mublas_status status = handle_begin(handle, function);
    if (status == MUBLAS_SUCCESS && bytes > 0 && (!device || !host))
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s is NULL", device ? "host" : "device");
    status = handle_enter(handle, function, &scope);
    if (status != MUBLAS_SUCCESS)
        return status;
    CUresult result = check_uncaptured(handle->stream);
    if (result == CUDA_SUCCESS && bytes > 0)
        result = to_device ? driver()->copy_to_device_async((uintptr_t)device, host, bytes, handle->stream)
                           : driver()->copy_to_host_async(host, (uintptr_t)device, bytes, handle->stream);
    if (result == CUDA_SUCCESS)
        result = synchronise(handle->stream);
    return handle_leave(handle, &scope, result, to_device ? "copying to the device" : "copying to the host");
}

enum mublas_status mublas_copy_to_device(struct mublas_handle *handle, void *device, const void *host, size_t bytes)
{
    return copy(handle, __func__, device, (void *)(uintptr_t)host, bytes, true);
}

enum mublas_status mublas_copy_to_host(struct mublas_handle *handle, void *host, const void *device, size_t bytes)
{
    return copy(handle, __func__, (void *)(uintptr_t)device, host, bytes, false);
}

enum mublas_status mublas_synchronise(struct mublas_handle *handle)
{
    struct context_scope scope;
    const enum mublas_status status = handle_enter(handle, __func__, &scope);
    if (status != MUBLAS_SUCCESS)
        return status;
    CUresult result = check_uncaptured(handle->stream);
    if (result == CUDA_SUCCESS)
        result = synchronise(handle->stream);
    return handle_leave(handle, &scope, result, "waiting for the stream");
}
