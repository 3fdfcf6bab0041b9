#include "lapack/matrix_part.h"
#include "gpu/device.h"
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

static unsigned blocks_most(struct device *device)
{
    enum { BLOCKS_EACH = 8 };
    return BLOCKS_EACH * (unsigned)device_kernels(device)->multiprocessors;
}

static enum status copy(struct device *device, CUstream stream, struct part_arguments *arguments)
{
    return device_launch(device, stream, KERNEL_part_copy, blocks_for(arguments, blocks_most(device)), THREADS,
                         0, arguments);
}

enum status matrix_part_copy(struct device *device, CUstream stream, const struct device_part *from,
                             CUdeviceptr to, int64_t to_ld, enum blas_type type)
{
    struct part_arguments arguments = arguments_of(from, type, blas_is_single(type) ? 1 : 2);
    arguments.to = (void *)(uintptr_t)to;
    arguments.to_ld = to_ld * arguments.element_units;
    return copy(device, stream, &arguments);
}

/* Row 0 of column j + 1 stands behind row j of column j above the diagonal, and n - 1 - j elements behind row 0 of
 * column j below it. */
static void set_packed(const struct part_arguments *part, int64_t *ld, int64_t *bend)
{
    const bool is_upper = part->part == PART_UPPER;
    *ld = is_upper ? part->element_units : part->rows - part->element_units;
    *bend = is_upper ? part->element_units : -part->element_units;
}

enum status matrix_part_unpack(struct device *device, CUstream stream, CUdeviceptr packed,
                               const struct device_part *part, enum blas_type type)
{
    struct part_arguments arguments = arguments_of(part, type, blas_is_single(type) ? 1 : 2);
    arguments.to = (void *)(uintptr_t)part->address;
    arguments.to_ld = arguments.from_ld;
    arguments.from = (const void *)(uintptr_t)packed;
    set_packed(&arguments, &arguments.from_ld, &arguments.from_bend);
    return copy(device, stream, &arguments);
}

enum status matrix_part_pack(struct device *device, CUstream stream, const struct device_part *part,
                             CUdeviceptr packed, enum blas_type type)
{
    struct part_arguments arguments = arguments_of(part, type, blas_is_single(type) ? 1 : 2);
    arguments.to = (void *)(uintptr_t)packed;
    set_packed(&arguments, &arguments.to_ld, &arguments.to_bend);
    return copy(device, stream, &arguments);
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
    return device_launch(device, stream, kernels[type], blocks_most(device), THREADS,
                         TILE * (TILE + 1) * blas_element_bytes(type), &arguments);
}

enum status matrix_part_widen(struct device *device, CUstream stream, const struct device_part *from,
                              CUdeviceptr to, int64_t to_ld, enum blas_type type)
{
    struct widening_arguments arguments = {.from = (const void *)(uintptr_t)from->address,
                                           .to = (void *)(uintptr_t)to, .from_ld = from->ld, .to_ld = to_ld,
                                           .rows = from->rows, .columns = from->columns};
    return device_launch(device, stream, type == TYPE_C ? KERNEL_ccomplex_from_real : KERNEL_zcomplex_from_real,
                         blocks_most(device), THREADS, 0, &arguments);
}

enum status matrix_part_queue_largest(struct device *device, CUstream stream, const struct device_part *part,
                                      enum blas_type type, CUdeviceptr numbers, unsigned *blocks)
{
    struct part_arguments arguments = arguments_of(part, type, blas_is_single(type) ? 1 : 2);
    arguments.largest = (unsigned *)(uintptr_t)numbers;
    *blocks = blocks_for(&arguments, PART_BLOCKS_MOST);
    return device_launch(device, stream, KERNEL_part_largest, *blocks, THREADS, THREADS * sizeof(uint32_t),
                         &arguments);
}

enum { SCALE_AT = PART_BLOCKS_MOST * sizeof(uint32_t) }; /* behind the moduli */
_Static_assert(SCALE_AT + sizeof(struct part_scale) <= PART_SCALE_BYTES &&
                   (int)SCALED_VECTORS == PART_SCALED_MOST,
               "as the kernels have it");

static struct part_scale *scale_at(CUdeviceptr scale)
{
    return (struct part_scale *)(uintptr_t)(scale + SCALE_AT);
}

/* The reduction to tridiagonal form takes a matrix within these exponents as it is: as
 * route_values_largest_is_safe. */
static enum status choose_scale(struct device *device, CUstream stream, enum blas_type type,
                                CUdeviceptr scale, unsigned blocks)
{
    const bool is_single = blas_is_single(type);
    struct scale_choice_arguments arguments = {.largest = (const unsigned *)(uintptr_t)scale,
                                               .scale = scale_at(scale),
                                               .count = blocks,
                                               .is_single = is_single,
                                               .exponent_least = is_single ? -48 : -483,
                                               .exponent_most = is_single ? 29 : 254};
    return device_launch(device, stream, KERNEL_part_scale_choose, 1, THREADS, THREADS * sizeof(uint32_t),
                         &arguments);
}

enum status matrix_part_scale(struct device *device, CUstream stream, const struct device_part *part,
                              enum blas_type type, CUdeviceptr scale)
{
    const bool is_single = blas_is_single(type);
    struct scaling_arguments arguments = {.part = arguments_of(part, type, is_single ? 1 : 2),
                                          .scale = scale_at(scale)};
    unsigned blocks;
    arguments.part.to = (void *)(uintptr_t)part->address;
    arguments.part.to_ld = arguments.part.from_ld;
    enum status status = matrix_part_queue_largest(device, stream, part, type, scale, &blocks);
    if (status == STATUS_OK)
        status = choose_scale(device, stream, type, scale, blocks);
    if (status != STATUS_OK)
        return status;
    return device_launch(device, stream, is_single ? KERNEL_spart_scale : KERNEL_dpart_scale,
                         blocks_for(&arguments.part, blocks_most(device)), THREADS, 0, &arguments);
}

enum status matrix_part_scale_back(struct device *device, CUstream stream,
                                   const struct device_vector *vectors, int count, enum blas_type type,
                                   CUdeviceptr scale, CUdeviceptr info)
{
    struct scaling_back_arguments arguments = {.scale = scale_at(scale), .info = (int *)(uintptr_t)info};
    int64_t longest = 1;
    for (int i = 0; i < count; i++) {
        arguments.vectors[i] = (void *)(uintptr_t)vectors[i].address;
        arguments.counts[i] = vectors[i].count;
        arguments.steps[i] = vectors[i].step;
        longest = vectors[i].count > longest ? vectors[i].count : longest;
    }
    const int64_t blocks = (longest + THREADS - 1) / THREADS, most = blocks_most(device);
    return device_launch(device, stream, blas_is_single(type) ? KERNEL_sscale_back : KERNEL_dscale_back,
                         (unsigned)(blocks < most ? blocks : most), THREADS, 0, &arguments);
}
