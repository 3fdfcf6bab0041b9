/* The 64-bit interface's Cholesky factorisation. */
#include "emulated_driver/cusolver.h"

static int run_potrf(struct solver_call *call)
{
    const struct operand *a = &call->operands[0];
    const int n = (int)call->n, lda = (int)a->ld;
    int info = 0;
    LAPACK(call->type, "potrf", &call->uplo, &n, a->address, &lda, &info);
    return info;
}

static const struct solver_routine potrf = {run_potrf, {0, 0}, 32, 0, false};

static struct solver_call make_potrf(const char *function, int uplo, int64_t n, int type_a, void *a, int64_t lda,
                                     int type_compute)
{
    const enum part triangle = solver_triangle(uplo);
    const char type = solver_type(function, type_a);
    solver_match(function, type, type_compute, false);
    return (struct solver_call){.function = function, .routine = &potrf, .type = type, .m = 1, .n = n, .k = 1,
                                .uplo = solver_uplo(function, uplo),
                                .operands = {{"A", a, type, n, n, lda, triangle, triangle, true, 0}}};
}

int cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo, int64_t n, int type_a,
                                const void *a, int64_t lda, int type_compute, size_t *device_bytes,
                                size_t *host_bytes)
{
    ENTER_WITH(handle, params);
    const struct solver_call call = make_potrf(__func__, uplo, n, type_a, (void *)a, lda, type_compute);
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo, int64_t n, int type_a, void *a,
                     int64_t lda, int type_compute, void *device_buffer, size_t device_bytes, void *host_buffer,
                     size_t host_bytes, int *info)
{
    ENTER_WITH(handle, params);
    struct solver_call call = make_potrf(__func__, uplo, n, type_a, a, lda, type_compute);
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}
