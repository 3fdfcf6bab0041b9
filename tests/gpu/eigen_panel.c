/* A panel of the reduction to tridiagonal form: the first one of a lower triangle. The diagonal's element
 * behind it comes with it. */
#include "eigen_steps.h"
#include "gpu/cooperative.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"

#include <string.h>

enum { MATRIX, D, E, TAU, COPY, V, W, COLUMN, ROW_SUMS, COLUMN_SUMS, PRODUCTS, NORMS, SQUARES, GATE };
enum { ALL_MULTIPROCESSORS, ONE_BLOCK, TWO_BLOCKS };
enum { DIAGONAL = TRIDIAGONAL_PANEL + 1 };
/* Elements of shared memory (kernels/tridiagonal). */
enum { PANEL_ELEMENTS = 2 * TRIDIAGONAL_WARPS * 32 + 4 * TRIDIAGONAL_PANEL + 6 * TRIDIAGONAL_WARPS };

static int64_t ld_of(const struct eigen_case *given) { return given->n + EIGEN_GAP; }
static int64_t tiles_of(const struct eigen_case *given)
{
    return (given->n + TRIDIAGONAL_SEGMENT - 1) / TRIDIAGONAL_SEGMENT;
}
static int64_t padded_of(const struct eigen_case *given) { return tiles_of(given) * TRIDIAGONAL_SEGMENT; }

static enum status take(struct eigen_run *run)
{
    const size_t element = blas_element_bytes(run->given->type), real = element_part_bytes(run->given->type),
                 padded = (size_t)padded_of(run->given), tiles = (size_t)tiles_of(run->given),
                 pieces = TRIDIAGONAL_PARTS * TRIDIAGONAL_WARPS + tiles;
    const size_t bytes[] = {[MATRIX] = (size_t)(ld_of(run->given) * run->given->n) * element,
                            [D] = DIAGONAL * real,
                            [E] = TRIDIAGONAL_PANEL * real,
                            [TAU] = TRIDIAGONAL_PANEL * element,
                            [COPY] = padded * padded * element,
                            [V] = padded * TRIDIAGONAL_PANEL * element,
                            [W] = padded * TRIDIAGONAL_PANEL * element,
                            [COLUMN] = padded * element,
                            [ROW_SUMS] = pieces * TRIDIAGONAL_SEGMENT * element,
                            [COLUMN_SUMS] = tiles * padded * element,
                            [PRODUCTS] = 2 * TRIDIAGONAL_PANEL * element,
                            [NORMS] = padded / 32 * real,
                            [SQUARES] = TRIDIAGONAL_PARTS * real,
                            [GATE] = sizeof(struct grid_gate)};
    for (int operand = MATRIX; operand <= GATE; operand++)
        eigen_memory_take(&run->memory, operand, bytes[operand]);
    return STATUS_OK;
}

/* The copy's lower triangle, zeros beside it. */
static void fill(struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    struct eigen_memory *const memory = &run->memory;
    const size_t element = blas_element_bytes(given->type);
    const int64_t ld = padded_of(given);
    for (int operand = COPY; operand <= COLUMN; operand++)
        memset(eigen_memory_host(memory, operand), 0, memory->operands[operand].bytes);
    for (int64_t j = 0; j < given->n; j++) {
        for (int64_t i = j + 1; i < given->n; i++)
            eigen_set(given->type, eigen_memory_host(memory, COPY), i + j * ld, 1, i, j, 1);
        eigen_set(eigen_real_type(given->type), eigen_memory_host(memory, COPY),
                  element_parts(given->type) * (j + j * ld), 1, j, j, 1);
    }
    for (int64_t j = 0; j < DIAGONAL; j++)
        eigen_memory_allow_part(memory, MATRIX, (size_t)(j + j * ld_of(given)) * element,
                                j < TRIDIAGONAL_PANEL ? (size_t)(given->n - j) * element : element);
    for (int result = D; result <= GATE; result++)
        if (result != COPY)
            eigen_memory_allow(memory, result);
}

static void *pointer(const struct eigen_run *run, int operand)
{
    return device_pointer(eigen_memory_address(&run->memory, operand));
}

static enum status queue(struct eigen_run *run)
{
    static const enum kernel kernels[] = {[TYPE_S] = KERNEL_ssytrd_panel, [TYPE_D] = KERNEL_dsytrd_panel,
                                          [TYPE_C] = KERNEL_chetrd_panel, [TYPE_Z] = KERNEL_zhetrd_panel};
    const struct eigen_case *const given = run->given;
    struct tridiagonal_panel_arguments arguments = {
        .a = pointer(run, COPY), .ld = padded_of(given), .order = given->n, .padded_order = padded_of(given),
        .result = {.matrix = pointer(run, MATRIX), .row_step = 1, .column_step = ld_of(given),
                   .diagonal = pointer(run, D), .off_diagonal = pointer(run, E), .tau = pointer(run, TAU),
                   .step = 1},
        .v = pointer(run, V), .w = pointer(run, W), .column = pointer(run, COLUMN),
        .row_sums = pointer(run, ROW_SUMS), .column_sums = pointer(run, COLUMN_SUMS),
        .products = pointer(run, PRODUCTS), .norms = pointer(run, NORMS), .squares = pointer(run, SQUARES),
        .gate = pointer(run, GATE)};
    const int all = device_kernels(run->lane->device)->multiprocessors;
    struct cooperative_launch launch = {.kernel = kernels[given->type], .threads = TRIDIAGONAL_THREADS,
                                        .shared_bytes = PANEL_ELEMENTS * blas_element_bytes(given->type),
                                        .blocks = run->way == ALL_MULTIPROCESSORS ? (unsigned)all
                                                                                  : (unsigned)run->way,
                                        .gate = eigen_memory_address(&run->memory, GATE)};
    return cooperative_launch(run->lane->device, run->lane->stream, &launch, &arguments);
}

static uint64_t digest(const struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const enum blas_type real = eigen_real_type(given->type);
    const int64_t numbers = padded_of(given) * TRIDIAGONAL_PANEL;
    uint64_t digest = result_digest(given->type, eigen_memory_host(&run->memory, MATRIX),
                                    ld_of(given) * given->n);
    digest = result_digest_more(digest, real, eigen_memory_host(&run->memory, D), DIAGONAL);
    digest = result_digest_more(digest, real, eigen_memory_host(&run->memory, E), TRIDIAGONAL_PANEL);
    digest = result_digest_more(digest, given->type, eigen_memory_host(&run->memory, TAU), TRIDIAGONAL_PANEL);
    digest = result_digest_more(digest, given->type, eigen_memory_host(&run->memory, V), numbers);
    return result_digest_more(digest, given->type, eigen_memory_host(&run->memory, W), numbers);
}

const struct eigen_form eigen_panel = {
    "a panel of a larger matrix", {"by all multiprocessors", "by one block", "by two blocks"}, take, fill,
    queue, digest};
