#include "lapack/solver_eigen.h"

#include <limits.h>

enum { CUBLAS_FILL_LOWER = 0, CUBLAS_FILL_UPPER = 1 };

static int uplo_of(const struct solver_eigen_call *call)
{
    return call->uplo == UPLO_UPPER ? CUBLAS_FILL_UPPER : CUBLAS_FILL_LOWER;
}

static int mode_of(const struct solver_eigen_call *call)
{
    return call->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}

static void *at(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

static int standard_workspace(const struct solver_handle *handle, const struct solver_eigen_call *call,
                              size_t *device_bytes, size_t *host_bytes)
{
    const int type = solver_data_type(call->type);
    return handle->library->syevd_buffer(handle->solver, handle->params, mode_of(call), uplo_of(call),
                                         call->n, type, at(call->a), call->lda, solver_real_type(call->type),
                                         at(call->w), type, device_bytes, host_bytes);
}

/* By the 32-bit interface, if every product of sizes fits it. */
static bool fits_generalised(const struct solver_handle *handle, const struct solver_eigen_call *call)
{
    const struct solver_library *const library = handle->library;
    return library->sygvd[call->type] && library->sygvd_buffer[call->type] && call->n * call->lda < INT_MAX &&
           call->n * call->ldb < INT_MAX;
}

static int generalised_workspace(const struct solver_handle *handle, const struct solver_eigen_call *call,
                                 size_t *device_bytes)
{
    int elements = -1;
    const int result = handle->library->sygvd_buffer[call->type](
        handle->solver, call->itype, mode_of(call), uplo_of(call), (int)call->n, at(call->a), (int)call->lda,
        at(call->b), (int)call->ldb, at(call->w), &elements);
    *device_bytes = elements < 0 ? SIZE_MAX : (size_t)elements * blas_element_bytes(call->type);
    return result;
}

enum status solver_eigen_workspace(const struct solver_handle *handle, const struct solver_eigen_call *call,
                                   size_t *device_bytes, size_t *host_bytes)
{
    *device_bytes = *host_bytes = 0;
    if (call->itype && !fits_generalised(handle, call))
        return STATUS_UNSUPPORTED;
    const int result = call->itype ? generalised_workspace(handle, call, device_bytes)
                                   : standard_workspace(handle, call, device_bytes, host_bytes);
    if (result != CUSOLVER_STATUS_SUCCESS || *device_bytes > SIZE_MAX / 2 || *host_bytes > SIZE_MAX / 2)
        return STATUS_UNSUPPORTED;
    return STATUS_OK;
}

static int run_standard(const struct solver_handle *handle, const struct solver_eigen_call *call,
                        CUdeviceptr workspace, size_t device_bytes, void *host_workspace, size_t host_bytes)
{
    const int type = solver_data_type(call->type);
    return handle->library->syevd(handle->solver, handle->params, mode_of(call), uplo_of(call), call->n, type,
                                  at(call->a), call->lda, solver_real_type(call->type), at(call->w), type,
                                  at(workspace), device_bytes, host_workspace, host_bytes, at(call->info));
}

static int run_generalised(const struct solver_handle *handle, const struct solver_eigen_call *call,
                           CUdeviceptr workspace, size_t device_bytes)
{
    return handle->library->sygvd[call->type](
        handle->solver, call->itype, mode_of(call), uplo_of(call), (int)call->n, at(call->a), (int)call->lda,
        at(call->b), (int)call->ldb, at(call->w), at(workspace),
        (int)(device_bytes / blas_element_bytes(call->type)), at(call->info));
}

enum status solver_eigen_run(const struct solver_handle *handle, const struct solver_eigen_call *call,
                             CUdeviceptr workspace, size_t device_bytes, void *host_workspace,
                             size_t host_bytes)
{
    const int result = call->itype
                           ? run_generalised(handle, call, workspace, device_bytes)
                           : run_standard(handle, call, workspace, device_bytes, host_workspace, host_bytes);
    return solver_status(handle->library, result, call->itype ? "cuSOLVER's sygvd" : "cuSOLVER's syevd");
}
