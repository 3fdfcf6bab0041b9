#include "lapack/factor.h"

#include <limits.h>

static void (*const describers[LAPACK_FAMILY_COUNT])(struct factor_problem *, struct route *) = {
    [LAPACK_POTRF] = cholesky_describe, [LAPACK_POTRS] = cholesky_describe, [LAPACK_POSV] = cholesky_describe,
    [LAPACK_POTRI] = cholesky_describe, [LAPACK_GETRF] = lu_describe,       [LAPACK_GETRS] = lu_describe,
    [LAPACK_GESV] = lu_describe,        [LAPACK_GETRI] = lu_describe,       [LAPACK_GEQRF] = qr_describe,
    [LAPACK_ORGQR] = qr_describe,       [LAPACK_ORMQR] = qr_describe,       [LAPACK_GELS] = qr_describe,
    [LAPACK_TRTRI] = triangle_describe,
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

/* The upper half of 1, or all of it in single precision, is all of it that is not 0. */
static CUresult set_unit_diagonal(const struct route *route, int number, int64_t n, CUstream stream)
{
    const struct route_operand *const operand = &route->operands[number];
    const size_t element = blas_element_bytes(route->type), pitch = ((size_t)operand->ld + 1) * element;
    const bool is_single = blas_is_single(route->type);
    const CUdeviceptr upper = operand->address + (is_single ? 0 : sizeof(uint32_t));
    const CUresult result =
        driver()->words_set_2d_async(operand->address, pitch, 0, element / sizeof(uint32_t), (size_t)n, stream);
    return result == CUDA_SUCCESS ? driver()->words_set_2d_async(upper, pitch, is_single ? 0x3f800000 : 0x3ff00000, 1,
                                                                 (size_t)n, stream)
                                  : result;
}

enum status factor_set_unit_diagonal(const struct route *route, const struct solver_handle *handle, int number, int64_t n)
{
    return device_check(handle->library->device, set_unit_diagonal(route, number, n, handle->stream), "setting a diagonal");
}

enum status factor_set_identity(const struct route *route, const struct solver_handle *handle, int number, int64_t n)
{
    const struct route_operand *const operand = &route->operands[number];
    const size_t bytes = (size_t)(operand->ld * n) * blas_element_bytes(route->type);
    CUresult result = driver()->memory_set_async(operand->address, 0, bytes, handle->stream);
    if (result == CUDA_SUCCESS)
        result = set_unit_diagonal(route, number, n, handle->stream);
    return device_check(handle->library->device, result, "setting an identity");
}
