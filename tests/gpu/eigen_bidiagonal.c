/* A panel of the reduction to bidiagonal form: the first one of a square matrix, or of a column so long that another
 * form of the kernel has it. */
#include "eigen_steps.h"
#include "gpu/cooperative.h"
#include "gpu/kernels/bidiagonal/bidiagonal_arguments.h"

#include <string.h>

enum { COPY, VX, YU, COLUMN, ROW, NORMS, ROW_PRODUCTS, COLUMN_PRODUCTS, SUMS, D, E, TAUQ, TAUP, GATE };
enum { ALL_MULTIPROCESSORS, ONE_BLOCK, TWO_BLOCKS };
enum { SQUARE_MOST = 1024, COLUMNS_OF_LONG = 5, FACTORS = 2 * BIDIAGONAL_PANEL };

static int64_t columns_of(const struct eigen_case *given)
{
    return given->n <= SQUARE_MOST ? given->n : COLUMNS_OF_LONG;
}
static int64_t width_of(const struct eigen_case *given)
{
    return columns_of(given) < BIDIAGONAL_PANEL ? columns_of(given) : BIDIAGONAL_PANEL;
}
static int64_t ld_of(const struct eigen_case *given)
{
    return (given->n + BIDIAGONAL_CHUNK - 1) / BIDIAGONAL_CHUNK * BIDIAGONAL_CHUNK;
}

static enum status take(struct eigen_run *run)
{
    const size_t element = blas_element_bytes(run->given->type), real = element_part_bytes(run->given->type),
                 ld = (size_t)ld_of(run->given), columns = (size_t)columns_of(run->given),
                 width = (size_t)width_of(run->given);
    const size_t bytes[] = {[COPY] = ld * columns * element,
                            [VX] = ld * FACTORS * element,
                            [YU] = columns * FACTORS * element,
                            [COLUMN] = ld * element,
                            [ROW] = columns * element,
                            [NORMS] = ld / BIDIAGONAL_CHUNK * real,
                            [ROW_PRODUCTS] = FACTORS * BIDIAGONAL_PARTS * element,
                            [COLUMN_PRODUCTS] = (FACTORS + 1) * BIDIAGONAL_PARTS * element,
                            [SUMS] = ld * BIDIAGONAL_PARTS * element,
                            [D] = width * real,
                            [E] = width * real,
                            [TAUQ] = width * element,
                            [TAUP] = width * element,
                            [GATE] = sizeof(struct grid_gate)};
    for (int operand = COPY; operand <= GATE; operand++)
        eigen_memory_take(&run->memory, operand, bytes[operand]);
    return STATUS_OK;
}

/* Zeros below the last row. */
static void fill(struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    struct eigen_memory *const memory = &run->memory;
    memset(eigen_memory_host(memory, COPY), 0, memory->operands[COPY].bytes);
    for (int64_t j = 0; j < columns_of(given); j++)
        for (int64_t i = 0; i < given->n; i++)
            eigen_set(given->type, eigen_memory_host(memory, COPY), i + j * ld_of(given), 1, i, j, 1);
    for (int result = VX; result <= GATE; result++)
        eigen_memory_allow(memory, result);
}

static void *pointer(const struct eigen_run *run, int operand)
{
    return device_pointer(eigen_memory_address(&run->memory, operand));
}

/* As src/lapack/singular/bidiagonalisation.c has them. */
static enum kernel kernel_of(enum blas_type type, int units)
{
    static const enum kernel kernels[][BIDIAGONAL_UNITS_MOST + 1] = {
#define KERNELS(letter)                                                                                   \
    {KERNEL_##letter##gebrd_panel_long, KERNEL_##letter##gebrd_panel_1, KERNEL_##letter##gebrd_panel_2,   \
     KERNEL_##letter##gebrd_panel_4, KERNEL_##letter##gebrd_panel_4, KERNEL_##letter##gebrd_panel_6,      \
     KERNEL_##letter##gebrd_panel_6, KERNEL_##letter##gebrd_panel_8, KERNEL_##letter##gebrd_panel_8}
        [TYPE_S] = KERNELS(s), [TYPE_D] = KERNELS(d), [TYPE_C] = KERNELS(c), [TYPE_Z] = KERNELS(z)};
    return kernels[type][units > BIDIAGONAL_UNITS_MOST ? 0 : units];
}

static enum status queue(struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const int64_t element = (int64_t)blas_element_bytes(given->type), columns = columns_of(given),
                  chunks = ld_of(given) / BIDIAGONAL_CHUNK;
    const int units = bidiagonal_units(given->n, element);
    const bool is_long = units > BIDIAGONAL_UNITS_MOST;
    const int group = is_long ? 1 : bidiagonal_group(units), parts = bidiagonal_parts(columns, group),
              row_parts = (int)(chunks < BIDIAGONAL_PARTS ? chunks : BIDIAGONAL_PARTS),
              most = parts > row_parts ? parts : row_parts,
              all = device_kernels(run->lane->device)->multiprocessors;
    const int blocks = run->way != ALL_MULTIPROCESSORS ? run->way : all < most ? all : most;
    const int64_t own = bidiagonal_own(columns, group, parts, blocks),
                  before = bidiagonal_shared_before(own, element),
                  room = (int64_t)device_properties(run->lane->device)->shared_bytes_per_block - before,
                  ring = is_long                      ? own * BIDIAGONAL_WARPS * element
                         : room < BIDIAGONAL_RING_MOST ? room / 16 * 16
                                                       : BIDIAGONAL_RING_MOST;
    struct bidiagonal_panel_arguments arguments = {
        .a = pointer(run, COPY), .lda = ld_of(given), .rows = given->n, .columns = columns,
        .width = (int32_t)width_of(given), .parts = parts, .row_parts = row_parts, .ring = (int32_t)ring,
        .own = (int32_t)own, .vx = pointer(run, VX), .yu = pointer(run, YU), .column = pointer(run, COLUMN),
        .row = pointer(run, ROW), .norms = pointer(run, NORMS), .row_products = pointer(run, ROW_PRODUCTS),
        .column_products = pointer(run, COLUMN_PRODUCTS), .sums = pointer(run, SUMS), .d = pointer(run, D),
        .e = pointer(run, E), .tauq = pointer(run, TAUQ), .taup = pointer(run, TAUP),
        .gate = pointer(run, GATE)};
    struct cooperative_launch launch = {.kernel = kernel_of(given->type, units),
                                        .threads = BIDIAGONAL_THREADS,
                                        .shared_bytes = (size_t)(before + ring),
                                        .blocks = (unsigned)blocks,
                                        .gate = eigen_memory_address(&run->memory, GATE)};
    if (room < ring || (!is_long && ring < 2 * group * given->n * element + 64))
        return STATUS_UNSUPPORTED;
    return cooperative_launch(run->lane->device, run->lane->stream, &launch, &arguments);
}

static uint64_t digest(const struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const enum blas_type real = eigen_real_type(given->type);
    const int64_t width = width_of(given);
    uint64_t digest = result_digest(real, eigen_memory_host(&run->memory, D), width);
    digest = result_digest_more(digest, real, eigen_memory_host(&run->memory, E), width);
    digest = result_digest_more(digest, given->type, eigen_memory_host(&run->memory, TAUQ), width);
    digest = result_digest_more(digest, given->type, eigen_memory_host(&run->memory, TAUP), width);
    digest = result_digest_more(digest, given->type, eigen_memory_host(&run->memory, VX), ld_of(given) * FACTORS);
    return result_digest_more(digest, given->type, eigen_memory_host(&run->memory, YU),
                              columns_of(given) * FACTORS);
}

const struct eigen_form eigen_bidiagonal = {
    "a panel to bidiagonal form", {"by all multiprocessors", "by one block", "by two blocks"}, take, fill, queue,
    digest};
