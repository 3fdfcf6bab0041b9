#include "lapack/device_matrix.h"
#include "gpu/vendor/solver_blas.h"

const union blas_scalar device_zero[TYPE_COUNT] __attribute__((aligned(16)));
const union blas_scalar device_one[TYPE_COUNT] __attribute__((aligned(16))) = {
    [TYPE_S] = {.s = 1}, [TYPE_D] = {.d = 1}, [TYPE_C] = {.c = {1, 0}}, [TYPE_Z] = {.z = {1, 0}}};

static enum status check(const struct solver_handle *handle, CUresult result, const char *what)
{
    return device_check(handle->library->device, result, what);
}

/* Only the last 32 bits of 1 are not 0, in single and in double precision. */
static CUresult set_unit_diagonal(const struct route *route, const struct solver_handle *handle, int operand,
                                  int64_t n)
{
    const struct route_operand *const matrix = &route->operands[operand];
    const size_t element = blas_element_bytes(route->type), pitch = ((size_t)matrix->ld + 1) * element;
    const bool is_single = blas_is_single(route->type);
    const CUdeviceptr upper = matrix->address + (is_single ? 0 : sizeof(uint32_t));
    const CUresult result = driver()->words_set_2d_async(
        matrix->address, pitch, 0, element / sizeof(uint32_t), (size_t)n, handle->stream);
    return result == CUDA_SUCCESS
               ? driver()->words_set_2d_async(upper, pitch, is_single ? 0x3f800000 : 0x3ff00000, 1, (size_t)n,
                                              handle->stream)
               : result;
}

enum status device_matrix_set_unit_diagonal(const struct route *route, const struct solver_handle *handle,
                                            int operand, int64_t n)
{
    return check(handle, set_unit_diagonal(route, handle, operand, n), "setting a diagonal");
}

enum status device_matrix_set_identity(const struct route *route, const struct solver_handle *handle,
                                       int operand, int64_t n)
{
    const struct route_operand *const matrix = &route->operands[operand];
    const size_t bytes = (size_t)matrix->ld * (size_t)n * blas_element_bytes(route->type);
    CUresult result = driver()->memory_set_async(matrix->address, 0, bytes, handle->stream);
    if (result == CUDA_SUCCESS)
        result = set_unit_diagonal(route, handle, operand, n);
    return check(handle, result, "setting an identity");
}

enum status device_matrix_clear_imaginary(const struct route *route, const struct solver_handle *handle,
                                          int operand)
{
    const struct route_operand *const matrix = &route->operands[operand];
    const size_t element = blas_element_bytes(route->type);
    if (blas_scalar_parts(route->type) == 1)
        return STATUS_OK;
    return check(
        handle,
        driver()->words_set_2d_async(matrix->address + element / 2, ((size_t)matrix->ld + 1) * element, 0,
                                     element / 2 / sizeof(uint32_t), (size_t)matrix->columns, handle->stream),
        "clearing a diagonal's imaginary parts");
}

enum status device_matrix_copy_diagonal(const struct route *route, const struct solver_handle *handle,
                                        int operand, int64_t n, int vector)
{
    const struct route_operand *const matrix = &route->operands[operand];
    const size_t element = blas_element_bytes(route->type);
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = matrix->address,
                                .srcPitch = ((size_t)matrix->ld + 1) * element,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = route->vectors[vector].address, .dstPitch = element,
                                .WidthInBytes = element, .Height = (size_t)n};
    return check(handle, driver()->copy_2d_async(&copy, handle->stream), "copying a diagonal");
}

enum status device_matrix_turn(const struct route *route, const struct solver_handle *handle, int source,
                               int identity, int result, int64_t m, int64_t n)
{
    const struct route_operand *const from = &route->operands[source], *const to = &route->operands[result];
    const struct route_operand *const unit = &route->operands[identity];
    const enum blas_type type = route->type;
    void *const x = device_pointer(from->address), *const one = device_pointer(unit->address),
                *const y = device_pointer(to->address);
    const int status = m < n ? solver_gemm(handle, type, DEVICE_NO_TRANS, DEVICE_CONJUGATE_TRANS, m, n, m,
                                           &device_one[type], one, unit->ld, x, from->ld, &device_zero[type],
                                           y, to->ld)
                             : solver_gemm(handle, type, DEVICE_CONJUGATE_TRANS, DEVICE_NO_TRANS, m, n, n,
                                           &device_one[type], x, from->ld, one, unit->ld, &device_zero[type],
                                           y, to->ld);
    return solver_blas_status(handle->library, status, "transposing by cuBLAS's gemm");
}
