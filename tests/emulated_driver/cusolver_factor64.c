/* The 64-bit interface's triangular factorisations, and geqrf. */
#include "emulated_driver/cusolver_factor.h"
#include "emulated_driver/cusolver_reflectors.h"

/* The type of a matrix that is computed with in its own. */
static char type_with(const char *function, int type_a, int type_compute)
{
    const char type = solver_type(function, type_a);
    solver_match(function, type, type_compute, false);
    return type;
}

int cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo, int64_t n,
                                int type_a, const void *a, int64_t lda, int type_compute,
                                size_t *device_bytes, size_t *host_bytes)
{
    ENTER_WITH(handle, params);
    const char type = type_with(__func__, type_a, type_compute);
    const struct solver_call call = solver_potrf_call(__func__, type, uplo, n, (void *)a, lda);
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo, int64_t n, int type_a,
                     void *a, int64_t lda, int type_compute, void *device_buffer, size_t device_bytes,
                     void *host_buffer, size_t host_bytes, int *info)
{
    ENTER_WITH(handle, params);
    const char type = type_with(__func__, type_a, type_compute);
    struct solver_call call = solver_potrf_call(__func__, type, uplo, n, a, lda);
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}

int cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo, int64_t n, int64_t nrhs,
                     int type_a, const void *a, int64_t lda, int type_b, void *b, int64_t ldb, int *info)
{
    ENTER_WITH(handle, params);
    const char type = type_with(__func__, type_a, type_b);
    struct solver_call call = solver_potrs_call(__func__, type, uplo, n, nrhs, (void *)a, lda, b, ldb);
    SOLVER_BUFFERS(call, NULL, 0, NULL, 0, info);
    return solver_submit(handle, &call);
}

int cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, int uplo, int diag, int64_t n, int type_a, void *a,
                                int64_t lda, size_t *device_bytes, size_t *host_bytes)
{
    ENTER(handle);
    const struct solver_call call =
        solver_trtri_call(__func__, solver_type(__func__, type_a), uplo, diag, n, a, lda);
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXtrtri(cusolverDnHandle_t handle, int uplo, int diag, int64_t n, int type_a, void *a,
                     int64_t lda, void *device_buffer, size_t device_bytes, void *host_buffer,
                     size_t host_bytes, int *info)
{
    ENTER(handle);
    struct solver_call call = solver_trtri_call(__func__, solver_type(__func__, type_a), uplo, diag, n, a,
                                                lda);
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}

int cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                int type_a, const void *a, int64_t lda, int type_compute,
                                size_t *device_bytes, size_t *host_bytes)
{
    ENTER_WITH(handle, params);
    const char type = type_with(__func__, type_a, type_compute);
    const struct solver_call call = solver_getrf_call(__func__, type, m, n, (void *)a, lda, NULL);
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, int type_a,
                     void *a, int64_t lda, int64_t *pivots, int type_compute, void *device_buffer,
                     size_t device_bytes, void *host_buffer, size_t host_bytes, int *info)
{
    ENTER_WITH(handle, params);
    const char type = type_with(__func__, type_a, type_compute);
    struct solver_call call = solver_getrf_call(__func__, type, m, n, a, lda, pivots);
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}

int cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, int trans, int64_t n, int64_t nrhs,
                     int type_a, const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b,
                     int64_t ldb, int *info)
{
    ENTER_WITH(handle, params);
    const char type = type_with(__func__, type_a, type_b);
    struct solver_call call = solver_getrs_call(__func__, type, trans, n, nrhs, (void *)a, lda, pivots, b,
                                                ldb);
    SOLVER_BUFFERS(call, NULL, 0, NULL, 0, info);
    return solver_submit(handle, &call);
}

int cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                int type_a, const void *a, int64_t lda, int type_tau, const void *tau,
                                int type_compute, size_t *device_bytes, size_t *host_bytes)
{
    ENTER_WITH(handle, params);
    const char type = type_with(__func__, type_a, type_compute);
    solver_match(__func__, type, type_tau, false);
    const struct solver_call call = solver_geqrf_call(__func__, type, m, n, (void *)a, lda, (void *)tau);
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, int type_a,
                     void *a, int64_t lda, int type_tau, void *tau, int type_compute, void *device_buffer,
                     size_t device_bytes, void *host_buffer, size_t host_bytes, int *info)
{
    ENTER_WITH(handle, params);
    const char type = type_with(__func__, type_a, type_compute);
    solver_match(__func__, type, type_tau, false);
    struct solver_call call = solver_geqrf_call(__func__, type, m, n, a, lda, tau);
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}
