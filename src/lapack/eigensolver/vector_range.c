#include "lapack/eigensolver/vector_range.h"
#include "gpu/kernel_set.h"
#include "gpu/kernels/route_arguments.h"

enum { THREADS = 256 };

static enum status launch(struct device *device, CUstream stream, enum kernel kernel, void *arguments,
                          unsigned blocks, unsigned threads)
{
    void *parameters[] = {arguments};
    CUfunction function;
    CUresult result = kernel_set_function(device_kernels(device), kernel, 0, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->launch_kernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, NULL);
    return device_check(device, result, kernel_name(kernel));
}

static enum status find(struct device *device, CUstream stream, const struct vector_range *range,
                        CUdeviceptr workspace)
{
    struct range_arguments arguments = {.values = (const void *)(uintptr_t)range->values,
                                        .n = range->n,
                                        .first = range->first,
                                        .count = range->count,
                                        .above = range->above,
                                        .up_to = range->up_to,
                                        .is_interval = range->is_interval,
                                        .is_single = blas_is_single(range->type),
                                        .found = (int *)(uintptr_t)workspace,
                                        .m = (int *)(uintptr_t)range->m};
    return launch(device, stream, KERNEL_eigen_range_find, &arguments, 1, 1);
}

enum status vector_range_queue(struct device *device, CUstream stream, const struct vector_range *range,
                               CUdeviceptr workspace)
{
    const int64_t words = (int64_t)(blas_element_bytes(range->type) / sizeof(uint32_t));
    struct range_move_arguments arguments = {.values = (unsigned *)(uintptr_t)range->values,
                                             .vectors = (unsigned *)(uintptr_t)range->vectors,
                                             .value_words = blas_is_single(range->type) ? 1 : 2,
                                             .rows = range->has_vectors ? range->n * words : 0,
                                             .ld = range->ld * words,
                                             .found = (const int *)(uintptr_t)workspace};
    const enum status status = find(device, stream, range, workspace);
    if (status != STATUS_OK)
        return status;
    return launch(device, stream, KERNEL_eigen_range_move, &arguments,
                  1 + (unsigned)((arguments.rows + THREADS - 1) / THREADS), THREADS);
}
