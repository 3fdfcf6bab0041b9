/* Device memory, and waiting. */
#include "api/handle.h"

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
