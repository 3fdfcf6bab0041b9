/* The 64-bit interface's syevd and syevdx. */
#include "emulated_driver/cusolver_eigen.h"

static struct solver_call make_call(const char *function, int jobz, int uplo, int64_t n, int type_a, void *a,
                                    int64_t lda, int type_w, void *w, int type_compute)
{
    const char type = solver_type(function, type_a);
    solver_match(function, type, type_w, true);
    solver_match(function, type, type_compute, false);
    return solver_eigen_call(function, type, 0, jobz, uplo, n, a, lda, w, NULL, 0);
}

/* On the host, of W's type; read at the call. */
static double limit(char type, const void *address)
{
    if (!address)
        return 0;
    return solver_real(type) == 's' ? (double)*(const float *)address : *(const double *)address;
}

int cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int uplo,
                                int64_t n, int type_a, const void *a, int64_t lda, int type_w, const void *w,
                                int type_compute, size_t *device_bytes, size_t *host_bytes)
{
    ENTER_WITH(handle, params);
    const struct solver_call call =
        make_call(__func__, jobz, uplo, n, type_a, (void *)a, lda, type_w, (void *)w, type_compute);
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int uplo, int64_t n,
                     int type_a, void *a, int64_t lda, int type_w, void *w, int type_compute,
                     void *device_buffer, size_t device_bytes, void *host_buffer, size_t host_bytes,
                     int *info)
{
    ENTER_WITH(handle, params);
    struct solver_call call = make_call(__func__, jobz, uplo, n, type_a, a, lda, type_w, w, type_compute);
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}

int cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int range,
                                 int uplo, int64_t n, int type_a, const void *a, int64_t lda, void *vl,
                                 void *vu, int64_t il, int64_t iu, int64_t *found, int type_w, const void *w,
                                 int type_compute, size_t *device_bytes, size_t *host_bytes)
{
    ENTER_WITH(handle, params);
    (void)vl, (void)vu, (void)found;
    struct solver_call call =
        make_call(__func__, jobz, uplo, n, type_a, (void *)a, lda, type_w, (void *)w, type_compute);
    solver_eigen_range(&call, range, 0, 1, il, iu);
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXsyevdx(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int range, int uplo,
                      int64_t n, int type_a, void *a, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu,
                      int64_t *found, int type_w, void *w, int type_compute, void *device_buffer,
                      size_t device_bytes, void *host_buffer, size_t host_bytes, int *info)
{
    ENTER_WITH(handle, params);
    struct solver_call call = make_call(__func__, jobz, uplo, n, type_a, a, lda, type_w, w, type_compute);
    solver_eigen_range(&call, range, limit(call.type, vl), limit(call.type, vu), il, iu);
    if (!(call.found = found) || emulated_is_accessible((CUdeviceptr)(uintptr_t)found, 1))
        solver_abort("%s: the count is not on the host", __func__);
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}
