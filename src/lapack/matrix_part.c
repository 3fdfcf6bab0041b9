#include "lapack/matrix_part.h"
#include "gpu/kernel_set.h"
#include "gpu/kernels/route_arguments.h"

enum { THREADS = 256 };

static struct part_arguments arguments_of(const struct device_part *part, enum blas_type type,
                                          int64_t unit_words)
{
    const int64_t units = (int64_t)(blas_element_bytes(type) / sizeof(uint32_t)) / unit_words;
    return (struct part_arguments){.from = (const void *)(uintptr_t)part->address,
                                   .from_ld = part->ld * units, .rows = part->rows * units,
                                   .columns = part->columns, .unit_words = unit_words, .element_units = units,
                                   .part = part->part};
}

static unsigned blocks_for(const struct part_arguments *arguments, unsigned most)
{
    const int64_t pieces = (arguments->rows + PART_PIECE - 1) / PART_PIECE * arguments->columns;
    return pieces < (int64_t)most ? (unsigned)pieces : most;
}

static enum status launch(struct device *device, CUstream stream, enum kernel kernel, void *arguments,
                          unsigned blocks, size_t shared_bytes)
{
    void *parameters[] = {arguments};
    CUfunction function;
    CUresult result = kernel_set_function(device_kernels(device), kernel, shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->launch_kernel(function, blocks, 1, 1, THREADS, 1, 1, (unsigned)shared_bytes,
                                         stream, parameters, NULL);
    return device_check(device, result, kernel_name(kernel));
}

static unsigned blocks_most(struct device *device)
{
    enum { BLOCKS_EACH = 8 };
    return BLOCKS_EACH * (unsigned)device_kernels(device)->multiprocessors;
}

enum status matrix_part_copy(struct device *device, CUstream stream, const struct device_part *from,
                             CUdeviceptr to, int64_t to_ld, enum blas_type type)
{
    const int64_t unit_words = blas_is_single(type) ? 1 : 2;
    struct part_arguments arguments = arguments_of(from, type, unit_words);
    arguments.to = (void *)(uintptr_t)to;
    arguments.to_ld = to_ld * arguments.element_units;
    return launch(device, stream, KERNEL_part_copy, &arguments, blocks_for(&arguments, blocks_most(device)),
                  0);
}

enum status matrix_part_complete(struct device *device, CUstream stream, const struct device_part *part,
                                 enum blas_type type)
{
    enum { TILE = 32 };
    static const enum kernel kernels[] = {[TYPE_S] = KERNEL_scomplete_square,
                                          [TYPE_D] = KERNEL_dcomplete_square,
                                          [TYPE_C] = KERNEL_ccomplete_square,
                                          [TYPE_Z] = KERNEL_zcomplete_square};
    struct square_arguments arguments = {.a = (void *)(uintptr_t)part->address, .ld = part->ld,
                                         .order = part->rows, .lower = part->part == PART_LOWER};
    return launch(device, stream, kernels[type], &arguments, blocks_most(device),
                  TILE * (TILE + 1) * blas_element_bytes(type));
}

enum status matrix_part_widen(struct device *device, CUstream stream, const struct device_part *from,
                              CUdeviceptr to, int64_t to_ld, enum blas_type type)
{
    struct widening_arguments arguments = {.from = (const void *)(uintptr_t)from->address,
                                           .to = (void *)(uintptr_t)to, .from_ld = from->ld, .to_ld = to_ld,
                                           .rows = from->rows, .columns = from->columns};
    return launch(device, stream, type == TYPE_C ? KERNEL_ccomplex_from_real : KERNEL_zcomplex_from_real,
                  &arguments, blocks_most(device), 0);
}

enum status matrix_part_queue_largest(struct device *device, CUstream stream, const struct device_part *part,
                                      enum blas_type type, CUdeviceptr numbers, unsigned *blocks)
{
    struct part_arguments arguments = arguments_of(part, type, blas_is_single(type) ? 1 : 2);
    arguments.largest = (unsigned *)(uintptr_t)numbers;
    *blocks = blocks_for(&arguments, PART_BLOCKS_MOST);
    return launch(device, stream, KERNEL_part_largest, &arguments, *blocks, THREADS * sizeof(uint32_t));
}
