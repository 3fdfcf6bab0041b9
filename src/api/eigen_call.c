#include "api/eigen_call.h"

static const struct eigen_method *method_of(const struct eigen_call *call)
{
    static const struct eigen_method *const methods[] = {[EIGEN_SYTRD] = &eigen_sytrd,
                                                         [EIGEN_ORMTR] = &eigen_ormtr,
                                                         [EIGEN_STEDC] = &eigen_stedc,
                                                         [EIGEN_SYEVD] = &eigen_values,
                                                         [EIGEN_SYEVDX] = &eigen_values};
    return methods[call->routine];
}

struct eigen_scope {
    struct context_scope context;
    int capture_mode;
    bool captured;
};

static enum mublas_status fail(struct mublas_handle *handle, enum status status)
{
    switch (status) {
    case STATUS_OK: return MUBLAS_SUCCESS;
    case STATUS_OUT_OF_MEMORY: return handle_fail(handle, MUBLAS_OUT_OF_MEMORY, "out of memory");
    case STATUS_UNSUPPORTED:
        return handle_fail(handle, MUBLAS_NOT_SUPPORTED,
                           "this needs a device with cooperative launches, and an order below 2^21");
    case STATUS_DEVICE_LOST:
    case STATUS_NO_DEVICE:
        handle->lost = true;
        return handle_fail(handle, MUBLAS_DEVICE_LOST, "the handle's context is lost");
    default:
        return handle_fail(handle, MUBLAS_DEVICE_ERROR,
                           "a call of CUDA, cuBLAS or cuSOLVER failed; the log says which");
    }
}

/* What the capture of the handle's stream, if there is one, allows. */
static enum mublas_status look_at_capture(struct mublas_handle *handle, bool *captured)
{
    int state = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = driver()->stream_capture_info(handle->stream, &state, NULL, NULL, NULL, NULL);
    *captured = state != CU_STREAM_CAPTURE_STATUS_NONE;
    if (result != CUDA_SUCCESS || state > CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return handle_fail(handle, MUBLAS_DEVICE_ERROR,
                           "the capture of the handle's stream has been invalidated");
    if (*captured && !handle->solver.handle.library)
        return handle_fail(
            handle, MUBLAS_NOT_SUPPORTED,
            "cuSOLVER cannot be opened while the stream is captured: ask for the workspace before");
    return MUBLAS_SUCCESS;
}

static void leave(struct eigen_scope *scope)
{
    capture_restore(scope->capture_mode);
    context_leave(&scope->context);
}

static enum mublas_status enter(struct mublas_handle *handle, const struct eigen_call *call,
                                struct eigen_scope *scope)
{
    enum mublas_status result = handle_enter(handle, call->function, &scope->context);
    if (result != MUBLAS_SUCCESS)
        return result;
    scope->capture_mode = capture_relax();
    result = look_at_capture(handle, &scope->captured);
    if (result == MUBLAS_SUCCESS) {
        const enum status status =
            api_solver_prepare(&handle->solver, handle->context->own, handle->stream, scope->captured);
        result = status == STATUS_UNSUPPORTED
                     ? handle_fail(handle, MUBLAS_NOT_SUPPORTED,
                                   "there is no cuSOLVER that can be used; the log says why")
                     : fail(handle, status);
    }
    if (result != MUBLAS_SUCCESS)
        leave(scope);
    return result;
}

static bool has_work(const struct eigen_call *call)
{
    if (call->routine == EIGEN_ORMTR)
        return call->m > 0 && call->n > 0 && eigen_call_order(call) > 1;
    return call->n > 0;
}

enum mublas_status eigen_call_ask(struct mublas_handle *handle, const struct eigen_call *call, size_t *bytes)
{
    struct eigen_scope scope;
    enum mublas_status result = handle_begin(handle, call->function);
    if (result != MUBLAS_SUCCESS)
        return result;
    if (!bytes)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "bytes is NULL");
    *bytes = 0;
    result = eigen_arguments_check(handle, call);
    if (result != MUBLAS_SUCCESS || !has_work(call))
        return result;
    result = enter(handle, call, &scope);
    if (result != MUBLAS_SUCCESS)
        return result;
    const enum status status = method_of(call)->plan(&handle->solver.handle, call, bytes);
    leave(&scope);
    *bytes = status == STATUS_OK ? *bytes : 0;
    return fail(handle, status);
}

/* INFO and M of an order of 0. */
static enum mublas_status set_zeros(struct mublas_handle *handle, const struct eigen_call *call)
{
    struct context_scope scope;
    if (!call->info)
        return MUBLAS_SUCCESS;
    const enum mublas_status status = handle_enter(handle, call->function, &scope);
    if (status != MUBLAS_SUCCESS)
        return status;
    CUresult result =
        driver()->memory_set_async(eigen_address(call->info), 0, sizeof *call->info, handle->stream);
    if (result == CUDA_SUCCESS && call->found)
        result =
            driver()->memory_set_async(eigen_address(call->found), 0, sizeof *call->found, handle->stream);
    return handle_leave(handle, &scope, result, "setting INFO");
}

static enum mublas_status check_workspace(struct mublas_handle *handle, const void *workspace, size_t bytes,
                                          size_t needed)
{
    if (bytes < needed)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "workspace_bytes is %zu, less than %zu", bytes,
                           needed);
    if (!workspace)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "workspace is NULL");
    if (eigen_address(workspace) % DEVICE_ALIGNMENT != 0)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "workspace is not at a multiple of %d bytes",
                           DEVICE_ALIGNMENT);
    return MUBLAS_SUCCESS;
}

static enum mublas_status queue(struct mublas_handle *handle, const struct eigen_call *call, void *workspace,
                                size_t bytes, const struct eigen_scope *scope)
{
    const struct solver_handle *const solver = &handle->solver.handle;
    size_t needed = 0;
    enum status status = method_of(call)->plan(solver, call, &needed);
    if (status != STATUS_OK)
        return fail(handle, status);
    const enum mublas_status result = check_workspace(handle, workspace, bytes, needed);
    if (result != MUBLAS_SUCCESS)
        return result;
    status = method_of(call)->queue(solver, call, eigen_address(workspace), bytes);
    if (!scope->captured) {
        const enum status marked = api_solver_mark(&handle->solver);
        status = status == STATUS_OK ? marked : status;
    }
    return fail(handle, status);
}

enum mublas_status eigen_call_run(struct mublas_handle *handle, const struct eigen_call *call,
                                  void *workspace, size_t bytes)
{
    struct eigen_scope scope;
    enum mublas_status result = handle_begin(handle, call->function);
    if (result != MUBLAS_SUCCESS)
        return result;
    result = eigen_arguments_check(handle, call);
    if (result == MUBLAS_SUCCESS)
        result = eigen_arguments_check_pointers(handle, call);
    if (result != MUBLAS_SUCCESS)
        return result;
    if (!has_work(call))
        return set_zeros(handle, call);
    result = enter(handle, call, &scope);
    if (result != MUBLAS_SUCCESS)
        return result;
    result = queue(handle, call, workspace, bytes, &scope);
    leave(&scope);
    return result;
}
