/* Handles of cuSOLVER and its cuBLAS, what their results mean, and level 3 by the handles. */
#include "common/log.h"
#include "gpu/driver.h"
#include "gpu/vendor/solver_library.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Failed execution need not be the device's: where it is, the next wait for the stream says so. */
static enum status translate(const struct solver_library *library, const char *name, int result,
                             int alloc_failed, int not_supported, const char *what)
{
    if (result == 0) /* success, in either library */
        return STATUS_OK;
    if (result == alloc_failed)
        return STATUS_OUT_OF_MEMORY;
    if (result == not_supported)
        return STATUS_UNSUPPORTED;
    log_message(LOG_WARNING, "%s: %s failed (status %d)", name, what, result);
    return device_is_usable(library->device) ? STATUS_DEVICE_ERROR : STATUS_DEVICE_LOST;
}

enum status solver_status(const struct solver_library *library, int result, const char *what)
{
    return translate(library, "cuSOLVER", result, CUSOLVER_STATUS_ALLOC_FAILED,
                     CUSOLVER_STATUS_NOT_SUPPORTED, what);
}

enum status solver_blas_status(const struct solver_library *library, int result, const char *what)
{
    return translate(library, "cuBLAS", result, CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_NOT_SUPPORTED,
                     what);
}

static int make_deterministic(const struct solver_library *library, cusolverDnHandle_t solver)
{
    int mode = 0;
    const int result = library->set_deterministic_mode(solver, CUSOLVER_DETERMINISTIC_RESULTS);
    if (result != CUSOLVER_STATUS_SUCCESS)
        return result;
    const int asked = library->get_deterministic_mode(solver, &mode);
    return asked != CUSOLVER_STATUS_SUCCESS           ? asked
           : mode == CUSOLVER_DETERMINISTIC_RESULTS ? CUSOLVER_STATUS_SUCCESS
                                                      : CUSOLVER_STATUS_NOT_SUPPORTED;
}

static int make_solver(struct solver_handle *handle, const char **step)
{
    const struct solver_library *library = handle->library;
    *step = "its handle cannot be created";
    int result = library->create(&handle->solver);
    if (result == CUSOLVER_STATUS_SUCCESS) {
        *step = "its stream cannot be set";
        result = library->set_stream(handle->solver, handle->stream);
    }
    if (result == CUSOLVER_STATUS_SUCCESS) {
        *step = "its results cannot be made deterministic";
        result = make_deterministic(library, handle->solver);
    }
    if (result == CUSOLVER_STATUS_SUCCESS) {
        *step = "its parameters cannot be created";
        result = library->create_params(&handle->params);
    }
    return result;
}

static int make_cublas(struct solver_handle *handle, const char **step)
{
    const struct solver_library *library = handle->library;
    *step = "the handle of its cuBLAS cannot be created";
    int result = library->blas_create(&handle->cublas);
    if (result != CUBLAS_STATUS_SUCCESS)
        return result;
    *step = "its cuBLAS cannot be set up";
    result = library->blas_set_stream(handle->cublas, handle->stream);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = library->blas_set_pointer_mode(handle->cublas, CUBLAS_POINTER_MODE_HOST);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = library->blas_set_atomics_mode(handle->cublas, CUBLAS_ATOMICS_NOT_ALLOWED);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = library->blas_set_math_mode(handle->cublas, CUBLAS_DEFAULT_MATH);
    return result;
}

enum status solver_handle_make(const struct solver_library *library, CUstream stream,
                               struct solver_handle *handle, char fault[SOLVER_FAULT_BYTES])
{
    const char *step;
    *handle = (struct solver_handle){.library = library, .stream = stream};
    int result = make_solver(handle, &step);
    bool is_short = result == CUSOLVER_STATUS_ALLOC_FAILED;
    if (result == CUSOLVER_STATUS_SUCCESS) {
        result = make_cublas(handle, &step);
        is_short = result == CUBLAS_STATUS_ALLOC_FAILED;
    }
    exit_gate_install(); /* they may have registered more */
    if (result == 0)
        return STATUS_OK;
    snprintf(fault, SOLVER_FAULT_BYTES, "%s (status %d)", step, result);
    solver_handle_destroy(handle);
    return is_short                              ? STATUS_OUT_OF_MEMORY
           : device_is_usable(library->device) ? STATUS_DEVICE_ERROR
                                                 : STATUS_DEVICE_LOST;
}

enum status solver_handle_create(const struct solver_library *library, CUstream stream,
                                 struct solver_handle *handle)
{
    char fault[SOLVER_FAULT_BYTES];
    const enum status status = solver_handle_make(library, stream, handle, fault);
    if (status != STATUS_OK)
        log_message(status == STATUS_OUT_OF_MEMORY ? LOG_INFO : LOG_WARNING, "cuSOLVER: %s", fault);
    return status;
}

void solver_handle_destroy(struct solver_handle *handle)
{
    const struct solver_library *library = handle->library;
    if (library && device_is_usable(library->device)) {
        if (handle->params)
            library->destroy_params(handle->params);
        if (handle->cublas)
            library->blas_destroy(handle->cublas);
        if (handle->solver)
            library->destroy(handle->solver);
    }
    memset(handle, 0, sizeof *handle);
}

int solver_data_type(enum blas_type type)
{
    static const int types[SOLVER_TYPES] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    return types[type];
}

int solver_real_type(enum blas_type type)
{
    static const int types[SOLVER_TYPES] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_32F, CUDA_R_64F};
    return types[type];
}

/* All of them. */
static bool fit(int64_t first, int64_t second, int64_t third, int64_t fourth, int64_t fifth, int64_t sixth)
{
    return first <= INT_MAX && second <= INT_MAX && third <= INT_MAX && fourth <= INT_MAX &&
           fifth <= INT_MAX && sixth <= INT_MAX;
}

/* Goes by the wide interface where there is one, else by the narrow one, if all numbers fit. */
#define LEVEL3(routine, fits, ...)                                                                           \
    (handle->library->wide.routine[type] ? handle->library->wide.routine[type](handle->cublas, __VA_ARGS__)  \
     : (fits) ? handle->library->narrow.routine[type](handle->cublas, __VA_ARGS__)                           \
              : CUBLAS_STATUS_NOT_SUPPORTED)

int solver_gemm(const struct solver_handle *handle, enum blas_type type, int trans_a, int trans_b, int64_t m,
                int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, const void *beta, void *c, int64_t ldc)
{
    return LEVEL3(gemm, fit(m, n, k, lda, ldb, ldc), trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta,
                  c, ldc);
}

int solver_her2k(const struct solver_handle *handle, enum blas_type type, int uplo, int trans, int64_t n,
                 int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                 const void *beta, void *c, int64_t ldc)
{
    return LEVEL3(her2k, fit(n, k, lda, ldb, ldc, 0), uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

int solver_trmm(const struct solver_handle *handle, enum blas_type type, int side, int uplo, int trans,
                int diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, void *c, int64_t ldc)
{
    return LEVEL3(trmm, fit(m, n, lda, ldb, ldc, 0), side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c,
                  ldc);
}

int solver_trsm(const struct solver_handle *handle, enum blas_type type, int side, int uplo, int trans,
                int diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b,
                int64_t ldb)
{
    return LEVEL3(trsm, fit(m, n, lda, ldb, 0, 0), side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}
