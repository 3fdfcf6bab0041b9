#include "lapack/matrix_part.h"
#include "gpu/kernel_set.h"
#include "gpu/kernels/route_arguments.h"

enum { THREADS = 256 };

static struct part_arguments arguments_of(const struct device_part *part, enum blas_type type, int64_t unit_words)
{
    const int64_t units = (int64_t)(blas_element_bytes(type) / sizeof(uint32_t)) / unit_words;
    return (struct part_arguments){.from = (const void *)(uintptr_t)part->address, .from_ld = part->ld * units,
                                   .rows = part->rows * units, .columns = part->columns, .unit_words = unit_words,
                                   .element_units = units, .part = part->part};
}

static unsigned blocks_for(const struct part_arguments *arguments, unsigned most)
{
    const int64_t pieces = (arguments->rows + PART_PIECE - 1) / PART_PIECE * arguments->columns;
    return pieces < (int64_t)most ? (unsigned)pieces : most;
}

static enum status launch_part(struct lane *lane, enum kernel kernel, struct part_arguments *arguments, unsigned blocks)
{
    const size_t shared_bytes = THREADS * sizeof(uint32_t);
    void *parameters[] = {arguments};
    CUfunction function;
    CUresult result = kernel_set_function(device_kernels(lane->device), kernel, shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->launch_kernel(function, blocks, 1, 1, THREADS, 1, 1, (unsigned)shared_bytes, lane->stream, parameters,
                                         NULL);
    return device_check(lane->device, result, kernel_name(kernel));
}

enum status matrix_part_copy(struct lane *lane, const struct device_part *from, CUdeviceptr to, int64_t to_ld, enum blas_type type)
{
    enum { BLOCKS_EACH = 8 };
    const int64_t unit_words = blas_is_single(type) ? 1 : 2;
    struct part_arguments arguments = arguments_of(from, type, unit_words);
    arguments.to = (void *)(uintptr_t)to;
    arguments.to_ld = to_ld * arguments.element_units;
    const unsigned most = BLOCKS_EACH * (unsigned)device_kernels(lane->device)->multiprocessors;
    return launch_part(lane, KERNEL_part_copy, &arguments, blocks_for(&arguments, most));
}

enum status matrix_part_queue_largest(struct lane *lane, const struct device_part *part, enum blas_type type, CUdeviceptr numbers,
                                      unsigned *blocks)
{
    struct part_arguments arguments = arguments_of(part, type, blas_is_single(type) ? 1 : 2);
    arguments.largest = (unsigned *)(uintptr_t)numbers;
    *blocks = blocks_for(&arguments, PART_BLOCKS_MOST);
    return launch_part(lane, KERNEL_part_largest, &arguments, *blocks);
}
