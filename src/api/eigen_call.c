#include "api/handle.h"

static bool has_uplo(const struct eigen_call *call)
{
    return call->routine != EIGEN_STEDC && call->routine < EIGEN_GEBRD;
}

static bool is_eigensolver(const struct eigen_call *call)
{
    return call->routine == EIGEN_SYEVD || call->routine == EIGEN_SYEVDX;
}

static bool takes_vectors(const struct eigen_call *call)
{
    return is_eigensolver(call) || call->routine == EIGEN_GESDD;
}

static bool is_complex(const struct eigen_call *call)
{
    return call->type == MUBLAS_COMPLEX || call->type == MUBLAS_DOUBLE_COMPLEX;
}

static const char *wrong_flag(const struct eigen_call *call)
{
    if (call->type != MUBLAS_SINGLE && call->type != MUBLAS_DOUBLE && !is_complex(call))
        return "type is none of MUBLAS_SINGLE, MUBLAS_DOUBLE, MUBLAS_COMPLEX and MUBLAS_DOUBLE_COMPLEX";
    if (has_uplo(call) && call->uplo != MUBLAS_LOWER && call->uplo != MUBLAS_UPPER)
        return "uplo is neither MUBLAS_LOWER nor MUBLAS_UPPER";
    if (takes_vectors(call) && call->vectors != MUBLAS_VECTORS && call->vectors != MUBLAS_NO_VECTORS)
        return "vectors is neither MUBLAS_VECTORS nor MUBLAS_NO_VECTORS";
    if (call->routine == EIGEN_SYEVDX && call->range != MUBLAS_ALL && call->range != MUBLAS_INDICES &&
        call->range != MUBLAS_INTERVAL)
        return "range is none of MUBLAS_ALL, MUBLAS_INDICES and MUBLAS_INTERVAL";
    if (call->routine == EIGEN_STEDC && call->compz != MUBLAS_COMPZ_NONE &&
        call->compz != MUBLAS_COMPZ_TRIDIAGONAL && call->compz != MUBLAS_COMPZ_ORIGINAL)
        return "compz is none of MUBLAS_COMPZ_NONE, MUBLAS_COMPZ_TRIDIAGONAL and MUBLAS_COMPZ_ORIGINAL";
    if (call->routine == EIGEN_ORMBR && call->vect != MUBLAS_Q && call->vect != MUBLAS_P)
        return "vect is neither MUBLAS_Q nor MUBLAS_P";
    if (!eigen_call_has_c(call))
        return NULL;
    if (call->side != MUBLAS_LEFT && call->side != MUBLAS_RIGHT)
        return "side is neither MUBLAS_LEFT nor MUBLAS_RIGHT";
    const bool is_transposed =
        call->trans == MUBLAS_CONJ_TRANS || (call->trans == MUBLAS_TRANS && !is_complex(call));
    if (call->trans != MUBLAS_NO_TRANS && !is_transposed)
        return is_complex(call) ? "trans is neither MUBLAS_NO_TRANS nor MUBLAS_CONJ_TRANS"
                                : "trans is none of MUBLAS_NO_TRANS, MUBLAS_TRANS and MUBLAS_CONJ_TRANS";
    return NULL;
}

static enum mublas_status check_leading(struct mublas_handle *handle, const char *name, int64_t ld,
                                        const char *least_name, int64_t least)
{
    if (ld >= (least > 1 ? least : 1))
        return MUBLAS_SUCCESS;
    return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s is %lld, less than %s, which is %lld", name,
                       (long long)ld, least > 0 ? least_name : "the least",
                       (long long)(least > 0 ? least : 1));
}

static enum mublas_status check_singular_sizes(struct mublas_handle *handle, const struct eigen_call *call)
{
    enum mublas_status status = check_leading(handle, "lda", call->lda, "m", call->m);
    if (status == MUBLAS_SUCCESS && call->vectors == MUBLAS_VECTORS)
        status = check_leading(handle, "ldu", call->ldc, "m", call->m);
    if (status == MUBLAS_SUCCESS && call->vectors == MUBLAS_VECTORS)
        status = check_leading(handle, "ldv", call->ldv, "n", call->n);
    return status;
}

static enum mublas_status check_sizes(struct mublas_handle *handle, const struct eigen_call *call)
{
    const bool has_c = eigen_call_has_c(call),
               has_z = call->routine == EIGEN_STEDC && call->compz != MUBLAS_COMPZ_NONE;
    enum mublas_status status = MUBLAS_SUCCESS;
    if (call->m < 0 || call->n < 0 || call->k < 0)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s is %lld, less than 0",
                           call->m < 0   ? "m"
                           : call->n < 0 ? "n"
                                         : "k",
                           (long long)(call->m < 0 ? call->m : call->n < 0 ? call->n : call->k));
    if (call->routine == EIGEN_GEBRD)
        return check_leading(handle, "lda", call->lda, "m", call->m);
    if (call->routine == EIGEN_GESDD)
        return check_singular_sizes(handle, call);
    if (call->routine == EIGEN_ORMBR && call->vect == MUBLAS_P) {
        const int64_t order = eigen_call_order(call), least = order < call->k ? order : call->k;
        status = check_leading(handle, "lda", call->lda, "the smaller one of k and P's order", least);
    } else if (call->routine != EIGEN_STEDC)
        status = check_leading(handle, "lda", call->lda, has_c && call->side == MUBLAS_LEFT ? "m" : "n",
                               eigen_call_order(call));
    if (status == MUBLAS_SUCCESS && has_c)
        status = check_leading(handle, "ldc", call->ldc, "m", call->m);
    if (status == MUBLAS_SUCCESS && has_z)
        status = check_leading(handle, "ldz", call->ldc, "n", call->n);
    return status;
}

/* LAPACK's conditions. An interval is not known yet when the workspace is asked for. */
static enum mublas_status check_range(struct mublas_handle *handle, const struct eigen_call *call)
{
    const int64_t n = call->n, most = n > 1 ? n : 1, least = n < call->il ? n : call->il;
    if (call->range == MUBLAS_INDICES && (call->il < 1 || call->il > most))
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "il is %lld, not from 1 to %lld", (long long)call->il,
                           (long long)most);
    if (call->range == MUBLAS_INDICES && (call->iu < least || call->iu > n))
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "iu is %lld, not from %lld to %lld",
                           (long long)call->iu, (long long)least, (long long)n);
    return MUBLAS_SUCCESS;
}

/* Says what is wrong with it, but for pointers and an interval. */
static enum mublas_status eigen_arguments_check(struct mublas_handle *handle, const struct eigen_call *call)
{
    const char *const wrong = wrong_flag(call);
    if (wrong)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s", wrong);
    const enum mublas_status status = check_sizes(handle, call);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (call->m > INT32_MAX || call->n > INT32_MAX || call->k > INT32_MAX)
        return handle_fail(handle, MUBLAS_NOT_SUPPORTED,
                           "matrices of 2^31 rows or columns and more are not supported");
    return call->routine == EIGEN_SYEVDX ? check_range(handle, call) : MUBLAS_SUCCESS;
}

static bool has_reflectors(const struct eigen_call *call)
{
    const int64_t order = eigen_call_order(call);
    if (call->routine != EIGEN_ORMBR)
        return order > 1;
    return call->k > 0 &&
           (order > 1 || (call->vect == MUBLAS_Q ? order >= call->k : order > call->k));
}

static const char *missing_singular_pointer(const struct eigen_call *call)
{
    if (!call->info)
        return "info";
    if (call->m == 0 || call->n == 0)
        return NULL;
    if (!call->a || !call->d)
        return call->a ? "s" : "a";
    if (call->vectors == MUBLAS_VECTORS && (!call->c || !call->v))
        return call->c ? "v" : "u";
    return NULL;
}

static const char *missing_pointer(const struct eigen_call *call)
{
    if (call->routine == EIGEN_GESDD)
        return missing_singular_pointer(call);
    const bool is_solver = is_eigensolver(call), is_stedc = call->routine == EIGEN_STEDC;
    const int64_t order = eigen_call_order(call);
    if ((is_solver || is_stedc) && !call->info)
        return "info";
    if (call->routine == EIGEN_SYEVDX && !call->found)
        return "m";
    if (order == 0 || ((eigen_call_has_c(call) || call->routine == EIGEN_GEBRD) && (call->m == 0 || call->n == 0)))
        return NULL;
    if (!is_stedc && !call->a)
        return "a";
    if (!eigen_call_has_c(call) && !call->d)
        return is_solver ? "w" : "d";
    if (call->routine == EIGEN_GEBRD)
        return !call->e && call->m > 1 && call->n > 1 ? "e" : !call->tau ? "tauq" : !call->taup ? "taup" : NULL;
    if ((is_stedc || call->routine == EIGEN_SYTRD) && order > 1 && !call->e)
        return "e";
    if ((eigen_call_has_c(call) || call->routine == EIGEN_SYTRD) && has_reflectors(call) && !call->tau)
        return "tau";
    if (eigen_call_has_c(call) && !call->c)
        return "c";
    return is_stedc && call->compz != MUBLAS_COMPZ_NONE && !call->c ? "z" : NULL;
}

/* Says what is wrong with those, which a request for the workspace does not have. */
static enum mublas_status eigen_arguments_check_pointers(struct mublas_handle *handle,
                                                         const struct eigen_call *call)
{
    const char *const missing = missing_pointer(call);
    if (missing)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s is NULL", missing);
    if (call->routine == EIGEN_SYEVDX && call->range == MUBLAS_INTERVAL && call->n > 0 &&
        !(call->vl < call->vu))
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "vl is %g, not less than vu, which is %g", call->vl,
                           call->vu);
    return MUBLAS_SUCCESS;
}

static const struct eigen_method *method_of(const struct eigen_call *call)
{
    static const struct eigen_method *const methods[] = {[EIGEN_SYTRD] = &eigen_sytrd,
                                                         [EIGEN_ORMTR] = &eigen_ormtr,
                                                         [EIGEN_STEDC] = &eigen_stedc,
                                                         [EIGEN_SYEVD] = &eigen_values,
                                                         [EIGEN_SYEVDX] = &eigen_values,
                                                         [EIGEN_GEBRD] = &eigen_gebrd,
                                                         [EIGEN_ORMBR] = &eigen_ormbr,
                                                         [EIGEN_GESDD] = &eigen_gesdd};
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

/* Fails where a capture of the handle's stream does not allow the call. */
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
    if (eigen_call_has_c(call))
        return call->m > 0 && call->n > 0 && has_reflectors(call);
    return call->n > 0 && (call->routine < EIGEN_GEBRD || call->m > 0);
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
