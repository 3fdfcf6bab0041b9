#include "api/handle.h"
#include "common/log.h"
#include "common/text.h"
#include "gpu/device.h"
#include "mublas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mublas_version(void)
{
    return MUBLAS_VERSION;
}

const char *mublas_status_text(enum mublas_status status)
{
    switch (status) {
    case MUBLAS_SUCCESS: return "success";
    case MUBLAS_NO_DEVICE: return "no usable device";
    case MUBLAS_OUT_OF_MEMORY: return "out of memory";
    case MUBLAS_NOT_SUPPORTED: return "not supported";
    case MUBLAS_BAD_ARGUMENT: return "bad argument";
    case MUBLAS_BAD_HANDLE: return "not a handle";
    case MUBLAS_DEVICE_ERROR: return "a CUDA call failed";
    case MUBLAS_DEVICE_LOST: return "the CUDA context is lost";
    }
    return "unknown status";
}

static enum status open(struct api_solver *solver, struct device *device, CUstream stream)
{
    const struct solver_library *library;
    enum status status = solver_library_open(device, &library);
    if (status == STATUS_OK)
        status = device_check(device, driver()->event_create(&solver->done, CU_EVENT_DISABLE_TIMING),
                              "creating an event");
    if (status != STATUS_OK)
        return status;
    status = solver_handle_create(library, stream, &solver->handle);
    solver->has_stream = status == STATUS_OK;
    if (status != STATUS_OK) {
        driver()->event_destroy(solver->done);
        solver->done = NULL;
    }
    return status;
}

static enum status set_stream(struct api_solver *solver, CUstream stream)
{
    const struct solver_library *const library = solver->handle.library;
    enum status status =
        solver_status(library, library->set_stream(solver->handle.solver, stream), "setting a stream");
    if (status == STATUS_OK)
        status = solver_blas_status(library, library->blas_set_stream(solver->handle.cublas, stream),
                                    "setting a stream");
    solver->handle.stream = stream;
    solver->has_stream = status == STATUS_OK;
    return status;
}

enum status api_solver_prepare(struct api_solver *solver, struct device *device, CUstream stream,
                               bool captured)
{
    enum status status = STATUS_OK;
    if (!solver->handle.library)
        return open(solver, device, stream);
    if (!solver->has_stream)
        status = set_stream(solver, stream);
    /* An event from outside would spoil a capture. Per-thread streams look alike. */
    if (status == STATUS_OK && solver->recorded && !captured)
        status = device_check(device, driver()->stream_wait_event(stream, solver->done, 0),
                              "waiting for the call before");
    return status;
}

enum status api_solver_mark(struct api_solver *solver)
{
    solver->recorded = true;
    return device_check(solver->handle.library->device,
                        driver()->event_record(solver->done, solver->handle.stream), "recording an event");
}

/* The stream changes, or may be a new one at the same address. */
static void api_solver_change_stream(struct api_solver *solver)
{
    solver->has_stream = false;
}

/* Waits for the last call, and frees all. `usable`: false when the context is gone. */
static void api_solver_destroy(struct api_solver *solver, bool usable)
{
    if (usable && solver->recorded)
        driver()->event_synchronise(solver->done);
    if (usable && solver->handle.library) {
        set_stream(solver, NULL); /* its own may be gone */
        solver_handle_destroy(&solver->handle);
    }
    if (usable && solver->done)
        driver()->event_destroy(solver->done);
    memset(solver, 0, sizeof *solver);
}

#define HANDLE_MAGIC 0x6d75626c61733031ull

/* The last error of mublas_create on this thread. */
static _Thread_local char create_error[256];

static void note_error(char *error, size_t room, enum mublas_status status, const char *function,
                       const char *format, va_list arguments)
{
    const locale_t locale = plain_locale_begin();
    const int length = snprintf(error, room, "%s: ", function);
    if (length > 0 && (size_t)length < room)
        vsnprintf(error + length, room - (size_t)length, format, arguments);
    plain_locale_end(locale);
    /* The caller gets the error; only errors of the device are warnings in the log. */
    log_message(status >= MUBLAS_DEVICE_ERROR ? LOG_WARNING : LOG_INFO, "%s", error);
}

enum mublas_status handle_fail(struct mublas_handle *handle, enum mublas_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note_error(handle->error, sizeof handle->error, status, handle->function, format, arguments);
    va_end(arguments);
    return status;
}

__attribute__((format(printf, 3, 4))) static enum mublas_status
fail_create(const char *function, enum mublas_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note_error(create_error, sizeof create_error, status, function, format, arguments);
    va_end(arguments);
    return status;
}

static bool is_valid(const struct mublas_handle *handle)
{
    return handle && handle->magic == HANDLE_MAGIC;
}

const char *mublas_last_error(const struct mublas_handle *handle)
{
    if (!handle)
        return create_error;
    return is_valid(handle) ? handle->error : "this is not a handle";
}

static enum mublas_status status_of(CUresult result)
{
    switch (driver_status(result)) {
    case STATUS_OK: return MUBLAS_SUCCESS;
    case STATUS_OUT_OF_MEMORY: return MUBLAS_OUT_OF_MEMORY;
    case STATUS_DEVICE_LOST: return MUBLAS_DEVICE_LOST;
    default: return MUBLAS_DEVICE_ERROR;
    }
}

enum mublas_status handle_begin(struct mublas_handle *handle, const char *function)
{
    if (!is_valid(handle))
        return MUBLAS_BAD_HANDLE;
    handle->function = function;
    return MUBLAS_SUCCESS;
}

static enum mublas_status fail_driver(struct mublas_handle *handle, CUresult result, const char *what)
{
    const enum mublas_status status = status_of(result);
    handle->lost = handle->lost || status == MUBLAS_DEVICE_LOST;
    return handle_fail(handle, status, "%s failed: %s (%d)", what, driver_error_name(result), result);
}

enum mublas_status handle_enter(struct mublas_handle *handle, const char *function, struct context_scope *scope)
{
    const enum mublas_status status = handle_begin(handle, function);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (handle->lost)
        return handle_fail(handle, MUBLAS_DEVICE_LOST, "the handle's context is lost");
    const CUresult result = context_enter(handle->context, scope);
    if (result == CUDA_SUCCESS)
        return MUBLAS_SUCCESS;
    handle->lost = true;
    return handle_fail(handle, MUBLAS_DEVICE_LOST, "the handle's context cannot be entered: %s (%d)",
                       driver_error_name(result), result);
}

enum mublas_status handle_leave(struct mublas_handle *handle, const struct context_scope *scope, CUresult result,
                                const char *what)
{
    context_leave(scope);
    return result == CUDA_SUCCESS ? MUBLAS_SUCCESS : fail_driver(handle, result, what);
}

/* The context must be current. */
static enum mublas_status attach(const char *function, bool retained, struct mublas_handle **result)
{
    struct context *context;
    const CUresult outcome = context_find(&context);
    if (outcome != CUDA_SUCCESS && !kernel_set_is_built())
        return fail_create(function, MUBLAS_NO_DEVICE, "this mublas was built without nvcc and has no kernels");
    if (outcome != CUDA_SUCCESS)
        return fail_create(function, status_of(outcome), "loading the kernels failed: %s (%d)",
                           driver_error_name(outcome), outcome);
    struct mublas_handle *handle = calloc(1, sizeof *handle);
    if (!handle)
        return fail_create(function, MUBLAS_OUT_OF_MEMORY, "out of host memory");
    handle->magic = HANDLE_MAGIC;
    handle->context = context;
    handle->retained = retained;
    handle->function = function;
    *result = handle;
    return MUBLAS_SUCCESS;
}

static enum mublas_status create_on(const char *function, int ordinal, struct mublas_handle **result)
{
    CUdevice device;
    CUcontext context, ignored;
    int count = 0;
    CUresult outcome = driver()->device_count(&count);
    if (outcome == CUDA_SUCCESS && (ordinal < 0 || ordinal >= count))
        return fail_create(function, MUBLAS_NO_DEVICE, "there is no device %d, only %d in all", ordinal, count);
    if (outcome == CUDA_SUCCESS)
        outcome = driver()->device_get(&device, ordinal);
    if (outcome == CUDA_SUCCESS)
        outcome = driver()->primary_retain(&context, device);
    if (outcome != CUDA_SUCCESS)
        return fail_create(function, status_of(outcome), "retaining the primary context of device %d failed: %s (%d)",
                           ordinal, driver_error_name(outcome), outcome);
    enum mublas_status status = MUBLAS_DEVICE_ERROR;
    outcome = driver()->context_push(context);
    if (outcome == CUDA_SUCCESS) {
        status = attach(function, true, result);
        driver()->context_pop(&ignored);
    } else {
        fail_create(function, status, "entering the primary context failed: %s (%d)", driver_error_name(outcome),
                    outcome);
    }
    if (status != MUBLAS_SUCCESS)
        driver()->primary_release(device);
    return status;
}

static enum mublas_status start(const char *function, struct mublas_handle **handle)
{
    create_error[0] = '\0';
    if (!handle)
        return fail_create(function, MUBLAS_BAD_ARGUMENT, "handle is NULL");
    *handle = NULL;
    if (driver_open() != STATUS_OK)
        return fail_create(function, MUBLAS_NO_DEVICE, "there is no usable CUDA driver");
    const CUresult result = driver()->init(0);
    if (result == CUDA_SUCCESS)
        return MUBLAS_SUCCESS;
    return fail_create(function, MUBLAS_NO_DEVICE, "the CUDA driver does not start: %s (%d)",
                       driver_error_name(result), result);
}

enum mublas_status mublas_create(struct mublas_handle **handle)
{
    CUcontext current = NULL;
    const enum mublas_status status = start(__func__, handle);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (driver()->context_current(&current) == CUDA_SUCCESS && current)
        return attach(__func__, false, handle);
    struct device_choice choice;
    if (device_choose(&choice) != STATUS_OK)
        return fail_create(__func__, MUBLAS_NO_DEVICE, "there is no usable device");
    return create_on(__func__, choice.ordinal, handle);
}

enum mublas_status mublas_create_on_device(struct mublas_handle **handle, int device)
{
    const enum mublas_status status = start(__func__, handle);
    return status == MUBLAS_SUCCESS ? create_on(__func__, device, handle) : status;
}

enum mublas_status mublas_destroy(struct mublas_handle *handle)
{
    struct context_scope scope;
    if (!handle)
        return MUBLAS_SUCCESS;
    if (!is_valid(handle))
        return MUBLAS_BAD_HANDLE;
    const bool usable = !handle->lost && context_enter(handle->context, &scope) == CUDA_SUCCESS;
    const int mode = usable ? capture_relax() : 0;
    workspace_destroy(&handle->workspaces, usable);
    api_solver_destroy(&handle->solver, usable);
    if (usable) {
        capture_restore(mode);
        context_leave(&scope);
    }
    if (handle->retained)
        driver()->primary_release(handle->context->device);
    handle->magic = 0;
    free(handle);
    return MUBLAS_SUCCESS;
}

enum mublas_status mublas_set_stream(struct mublas_handle *handle, struct CUstream_st *stream)
{
    struct context_scope scope;
    const enum mublas_status status = handle_enter(handle, __func__, &scope);
    if (status != MUBLAS_SUCCESS)
        return status;
    workspace_change_stream(&handle->workspaces);
    api_solver_change_stream(&handle->solver);
    handle->stream = stream;
    return handle_leave(handle, &scope, CUDA_SUCCESS, "");
}

enum mublas_status mublas_get_stream(struct mublas_handle *handle, struct CUstream_st **stream)
{
    const enum mublas_status status = handle_begin(handle, __func__);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (!stream)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "stream is NULL");
    *stream = handle->stream;
    return MUBLAS_SUCCESS;
}

enum mublas_status mublas_set_pointer_mode(struct mublas_handle *handle, enum mublas_pointer_mode mode)
{
    const enum mublas_status status = handle_begin(handle, __func__);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (mode != MUBLAS_POINTER_HOST && mode != MUBLAS_POINTER_DEVICE)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "mode is %d, neither host (0) nor device (1)", (int)mode);
    handle->pointer_mode = mode;
    return MUBLAS_SUCCESS;
}

enum mublas_status mublas_get_pointer_mode(struct mublas_handle *handle, enum mublas_pointer_mode *mode)
{
    const enum mublas_status status = handle_begin(handle, __func__);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (!mode)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "mode is NULL");
    *mode = handle->pointer_mode;
    return MUBLAS_SUCCESS;
}
