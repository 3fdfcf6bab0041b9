#include "lapack/factor.h"

#include <limits.h>

static void (*const describers[LAPACK_FAMILY_COUNT])(struct factor_problem *, struct route *) = {
    [LAPACK_POTRF] = cholesky_describe, [LAPACK_POTRS] = cholesky_describe, [LAPACK_POSV] = cholesky_describe,
    [LAPACK_POTRI] = cholesky_describe, [LAPACK_GETRF] = lu_describe,       [LAPACK_GETRS] = lu_describe,
    [LAPACK_GESV] = lu_describe,        [LAPACK_GETRI] = lu_describe,
};

const union blas_scalar factor_one[TYPE_COUNT] __attribute__((aligned(16))) = {
    [TYPE_S] = {.s = 1}, [TYPE_D] = {.d = 1}, [TYPE_C] = {.c = {1, 0}}, [TYPE_Z] = {.z = {1, 0}}};

void factor_describe(struct factor_problem *problem, struct route *route)
{
    *route = (struct route){.problem = problem, .type = problem->type};
    describers[problem->family](problem, route);
}

bool factor_is_narrow(const struct route *route, int number)
{
    const struct route_operand *const operand = &route->operands[number];
    return operand->ld * operand->columns < INT_MAX;
}

/* The last 32 bits of 1 are the only ones that are not 0, of single precision and of double. */
enum status factor_set_identity(const struct route *route, int number, int64_t n, CUstream stream)
{
    const struct route_operand *const operand = &route->operands[number];
    const size_t element = blas_element_bytes(route->type);
    const bool is_single = blas_is_single(route->type);
    CUresult result = driver()->memory_set_async(operand->address, 0, (size_t)(operand->ld * n) * element, stream);
    if (result == CUDA_SUCCESS)
        result = driver()->words_set_2d_async(operand->address + (is_single ? 0 : sizeof(uint32_t)),
                                              ((size_t)operand->ld + 1) * element, is_single ? 0x3f800000 : 0x3ff00000, 1,
                                              (size_t)n, stream);
    return result == CUDA_SUCCESS ? STATUS_OK : STATUS_DEVICE_ERROR;
}
