#include "lapack/eigensolver/own_eigen.h"
#include "gpu/cooperative.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"

#include <string.h>

/* Elements of shared memory beside the matrix and what comes in (kernels/tridiagonal/chip_memory.h). */
#define CHIP_ELEMENTS(rows_most) ((TRIDIAGONAL_WARPS + 2) * (rows_most) + 2 + 3 * TRIDIAGONAL_WARPS + 16)

struct chip_kernels {
    enum kernel cluster, wide[3];    /* with 1 column a thread, 2, and more */
    int order_most;                  /* by what a thread of the last can carry */
    int cluster_16_to, cluster_8_to; /* clusters are faster up to these (bench/lapack_exchange, H100) */
};

static const struct chip_kernels chip_kernels_of[] = {
    [TYPE_S] = {KERNEL_ssytrd_cluster, {KERNEL_ssytrd_chip_1, KERNEL_ssytrd_chip_2, KERNEL_ssytrd_chip},
                6 * TRIDIAGONAL_THREADS, 416, 256},
    [TYPE_D] = {KERNEL_dsytrd_cluster, {KERNEL_dsytrd_chip_1, KERNEL_dsytrd_chip_2, KERNEL_dsytrd_chip},
                4 * TRIDIAGONAL_THREADS, 384, 224},
    [TYPE_C] = {KERNEL_chetrd_cluster, {KERNEL_chetrd_chip_1, KERNEL_chetrd_chip_2, KERNEL_chetrd_chip},
                4 * TRIDIAGONAL_THREADS, 320, 192},
    [TYPE_Z] = {KERNEL_zhetrd_cluster, {KERNEL_zhetrd_chip_1, KERNEL_zhetrd_chip_2, KERNEL_zhetrd_chip},
                3 * TRIDIAGONAL_THREADS, 224, 128},
};

static int64_t rows_of(int64_t order, int64_t blocks)
{
    return (order + blocks - 1) / blocks;
}

int64_t chip_order_most(struct device *device, enum blas_type type)
{
    const int64_t element = (int64_t)blas_element_bytes(type);
    const int64_t blocks = device_kernels(device)->multiprocessors;
    const int64_t elements = (int64_t)device_properties(device)->shared_bytes_per_block / element -
                             CHIP_ELEMENTS(CHIP_ROWS_MOST);
    int64_t most = 0;
    for (int64_t rows = 1; rows <= CHIP_ROWS_MOST && elements > 0; rows++) {
        const int64_t by_memory = elements / rows, by_blocks = rows * blocks,
                      order = by_memory < by_blocks ? by_memory : by_blocks;
        most = order > most ? order : most;
    }
    return most < chip_kernels_of[type].order_most ? most : chip_kernels_of[type].order_most;
}

/* On all multiprocessors, for an order up to that. */
static struct chip_plan chip_plan_wide(struct device *device, enum blas_type type, int64_t order)
{
    const int64_t blocks = device_kernels(device)->multiprocessors;
    const int64_t elements = rows_of(order, blocks) * order + CHIP_ELEMENTS(CHIP_ROWS_MOST);
    const int kernel = order <= TRIDIAGONAL_THREADS ? 0 : order <= 2 * TRIDIAGONAL_THREADS ? 1 : 2;
    return (struct chip_plan){.kernel = chip_kernels_of[type].wide[kernel], .blocks = (unsigned)blocks,
                              .shared_bytes = (size_t)elements * blas_element_bytes(type)};
}

/* STATUS_UNSUPPORTED: this many blocks do not do. */
static enum status plan_blocks(struct device *device, enum blas_type type, int64_t order, unsigned blocks,
                               struct chip_plan *plan)
{
    const int64_t rows = rows_of(order, blocks);
    const int64_t elements = (rows + CHIP_INBOX) * order + TRIDIAGONAL_WARPS +
                             CHIP_ELEMENTS(CHIP_CLUSTER_ROWS_MOST) + 2 * CHIP_CLUSTER_ROWS_MOST;
    *plan = (struct chip_plan){.kernel = chip_kernels_of[type].cluster, .blocks = blocks, .is_cluster = true,
                               .shared_bytes = (size_t)elements * blas_element_bytes(type)};
    if (order > TRIDIAGONAL_THREADS || rows > CHIP_CLUSTER_ROWS_MOST ||
        plan->shared_bytes > device_properties(device)->shared_bytes_per_block)
        return STATUS_UNSUPPORTED;
    const struct cluster_launch launch = {.kernel = plan->kernel, .threads = TRIDIAGONAL_THREADS,
                                          .shared_bytes = plan->shared_bytes, .blocks = blocks};
    return cluster_room(device, &launch);
}

enum status chip_plan_cluster(struct device *device, enum blas_type type, int64_t order,
                              struct chip_plan *plan)
{
    /* Any device with clusters has those of 8. */
    static const unsigned sizes[] = {TRIDIAGONAL_WARPS, 8};
    enum status status = STATUS_UNSUPPORTED;
    if (cooperative_is_refused(device))
        return status;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == STATUS_UNSUPPORTED; i++)
        status = plan_blocks(device, type, order, sizes[i], plan);
    return status;
}

int64_t chip_cluster_to(enum blas_type type, unsigned blocks)
{
    return blocks > 8 ? chip_kernels_of[type].cluster_16_to : chip_kernels_of[type].cluster_8_to;
}

enum { FILL_LOWER = 0, NO_TRANS = 0 };
/* Elements of shared memory (kernels/tridiagonal). */
enum { PANEL_ELEMENTS = 2 * TRIDIAGONAL_WARPS * 32 + 4 * TRIDIAGONAL_PANEL + 6 * TRIDIAGONAL_WARPS };

struct kernels {
    enum kernel copy, panel;
};

static const struct kernels kernels_of[] = {
    [TYPE_S] = {KERNEL_ssytrd_copy, KERNEL_ssytrd_panel},
    [TYPE_D] = {KERNEL_dsytrd_copy, KERNEL_dsytrd_panel},
    [TYPE_C] = {KERNEL_chetrd_copy, KERNEL_chetrd_panel},
    [TYPE_Z] = {KERNEL_zhetrd_copy, KERNEL_zhetrd_panel},
};

/* Offsets of everything in the workspace, and what the device allows. */
struct layout {
    int64_t padded_order, chip_order; /* the most that is finished on the chip */
    unsigned blocks;
    size_t gate, copy, v, w, column, row_sums, column_sums, products, norms, squares, exchange, end;
};

static bool has_panels(const struct tridiagonalisation *work, const struct layout *layout)
{
    return work->n > layout->chip_order;
}

static enum status lay_out(const struct solver_handle *handle, const struct tridiagonalisation *work,
                           struct layout *layout)
{
    const size_t element = blas_element_bytes(work->type),
                 real = blas_real_bytes(work->type);
    const int64_t tiles = (work->n + TRIDIAGONAL_SEGMENT - 1) / TRIDIAGONAL_SEGMENT,
                  n = tiles * TRIDIAGONAL_SEGMENT;
    *layout = (struct layout){.padded_order = n,
                              .chip_order = chip_order_most(handle->library->device, work->type)};
    layout->blocks = (unsigned)device_kernels(handle->library->device)->multiprocessors;
    if (layout->chip_order <= TRIDIAGONAL_PANEL || tiles > INT16_MAX)
        return STATUS_UNSUPPORTED;
    size_t *const end = &layout->end;
    layout->gate = workspace_take(end, sizeof(struct grid_gate));
    layout->exchange = workspace_take(end, 4 * (size_t)layout->chip_order * element);
    layout->copy = workspace_take(end, (size_t)n * (size_t)n * element);
    if (!has_panels(work, layout))
        return STATUS_OK;
    layout->v = workspace_take(end, (size_t)n * TRIDIAGONAL_PANEL * element);
    layout->w = workspace_take(end, (size_t)n * TRIDIAGONAL_PANEL * element);
    layout->column = workspace_take(end, (size_t)n * element);
    const size_t pieces = (size_t)(TRIDIAGONAL_PARTS * TRIDIAGONAL_WARPS + tiles);
    layout->row_sums = workspace_take(end, pieces * TRIDIAGONAL_SEGMENT * element);
    layout->column_sums = workspace_take(end, (size_t)tiles * (size_t)n * element);
    layout->products = workspace_take(end, 2 * TRIDIAGONAL_PANEL * element);
    layout->norms = workspace_take(end, (size_t)n / 32 * real);
    layout->squares = workspace_take(end, TRIDIAGONAL_PARTS * real);
    return STATUS_OK;
}

/* Is there room for a block on each multiprocessor? */
static enum status check_room(const struct solver_handle *handle, enum kernel kernel, size_t shared_bytes,
                              unsigned wanted)
{
    const struct cooperative_launch launch = {
        .kernel = kernel, .threads = TRIDIAGONAL_THREADS, .shared_bytes = shared_bytes};
    unsigned blocks;
    const enum status status = cooperative_room(handle->library->device, &launch, &blocks);
    return status == STATUS_OK && blocks < wanted ? STATUS_UNSUPPORTED : status;
}

static enum status plan_cluster(const struct solver_handle *handle, const struct tridiagonalisation *work,
                                int64_t order, struct chip_plan *plan)
{
    const enum status status = chip_plan_cluster(handle->library->device, work->type, order, plan);
    if (status != STATUS_OK)
        return status;
    const int64_t most = work->cluster_to > 0 ? work->cluster_to : chip_cluster_to(work->type, plan->blocks);
    return order <= most ? STATUS_OK : STATUS_UNSUPPORTED;
}

enum status tridiagonalisation_workspace(const struct solver_handle *handle,
                                         const struct tridiagonalisation *work, size_t *bytes)
{
    struct device *const device = handle->library->device;
    struct layout layout;
    struct chip_plan plan;
    enum status status = lay_out(handle, work, &layout);
    *bytes = layout.end;
    if (status != STATUS_OK ||
        (status = plan_cluster(handle, work, work->n, &plan)) != STATUS_UNSUPPORTED)
        return status;
    plan = chip_plan_wide(device, work->type, layout.chip_order);
    status = check_room(handle, plan.kernel, plan.shared_bytes, layout.blocks);
    return status == STATUS_OK && has_panels(work, &layout)
               ? check_room(handle, kernels_of[work->type].panel,
                            PANEL_ELEMENTS * blas_element_bytes(work->type), layout.blocks)
               : status;
}

/* The upper triangle by rows and columns in reverse order. */
static struct tridiagonal_result result_of(const struct tridiagonalisation *work)
{
    const bool upper = work->uplo == UPLO_UPPER;
    const size_t element = blas_element_bytes(work->type),
                 real = blas_real_bytes(work->type);
    const size_t last = upper ? (size_t)work->n - 1 : 0, last_reflector = upper && work->n > 1 ? last - 1 : 0;
    const int64_t step = upper ? -1 : 1;
    return (struct tridiagonal_result){
        .matrix = (void *)(uintptr_t)(work->a + last * ((size_t)work->lda + 1) * element), .row_step = step,
        .column_step = step * work->lda, .diagonal = (void *)(uintptr_t)(work->d + last * real),
        .off_diagonal = (void *)(uintptr_t)(work->e + last_reflector * real),
        .tau = (void *)(uintptr_t)(work->tau + last_reflector * element), .step = step};
}

static void *at(CUdeviceptr workspace, size_t offset)
{
    return (void *)(uintptr_t)(workspace + offset);
}

static enum status copy(const struct solver_handle *handle, const struct tridiagonalisation *work,
                        const struct layout *layout, CUdeviceptr workspace)
{
    enum { THREADS = 256, BLOCKS_EACH = 8 };
    struct device *const device = handle->library->device;
    struct tridiagonal_copy_arguments arguments = {.from = result_of(work), .to = at(workspace, layout->copy),
                                                   .ld = layout->padded_order, .order = work->n,
                                                   .padded_order = layout->padded_order};
    const enum kernel kernel = kernels_of[work->type].copy;
    const enum status status = device_launch(device, handle->stream, kernel, BLOCKS_EACH * layout->blocks,
                                             THREADS, 0, &arguments);
    if (status != STATUS_OK || !has_panels(work, layout))
        return status;
    /* V, W and the column must be finite also where nothing has been written yet. */
    return device_check(device,
                        driver()->memory_set_async(workspace + layout->v, 0, layout->row_sums - layout->v,
                                                   handle->stream),
                        kernel_name(kernel));
}

static enum status queue_panel(const struct solver_handle *handle, const struct tridiagonalisation *work,
                               const struct layout *layout, CUdeviceptr workspace, int64_t first)
{
    struct tridiagonal_panel_arguments arguments = {.a = at(workspace, layout->copy),
                                                    .ld = layout->padded_order, .order = work->n,
                                                    .padded_order = layout->padded_order, .first = first,
                                                    .result = result_of(work), .v = at(workspace, layout->v),
                                                    .w = at(workspace, layout->w),
                                                    .column = at(workspace, layout->column),
                                                    .row_sums = at(workspace, layout->row_sums),
                                                    .column_sums = at(workspace, layout->column_sums),
                                                    .products = at(workspace, layout->products),
                                                    .norms = at(workspace, layout->norms),
                                                    .squares = at(workspace, layout->squares),
                                                    .gate = at(workspace, layout->gate)};
    struct cooperative_launch launch = {.kernel = kernels_of[work->type].panel,
                                        .threads = TRIDIAGONAL_THREADS,
                                        .shared_bytes = PANEL_ELEMENTS * blas_element_bytes(work->type),
                                        .blocks = layout->blocks, .gate = workspace + layout->gate,
                                        .watch = handle->watch};
    return cooperative_launch(handle->library->device, handle->stream, &launch, &arguments);
}

/* The matrix A behind the panel becomes A - V W' - W V'. */
static enum status queue_update(const struct solver_handle *handle, const struct tridiagonalisation *work,
                                const struct layout *layout, CUdeviceptr workspace, int64_t first)
{
    static const union blas_scalar minus_one[] = {
        [TYPE_S] = {.s = -1}, [TYPE_D] = {.d = -1}, [TYPE_C] = {.c = {-1, 0}}, [TYPE_Z] = {.z = {-1, 0}}};
    static const float one_single = 1;
    static const double one_double = 1;
    const int64_t behind = first + TRIDIAGONAL_PANEL, ld = layout->padded_order;
    const size_t element = blas_element_bytes(work->type), rows = (size_t)behind * element;
    const int result = solver_her2k(handle, work->type, FILL_LOWER, NO_TRANS, ld - behind, TRIDIAGONAL_PANEL,
                                    &minus_one[work->type], at(workspace, layout->v + rows), ld,
                                    at(workspace, layout->w + rows), ld,
                                    blas_is_single(work->type) ? (const void *)&one_single : &one_double,
                                    at(workspace, layout->copy + rows * ((size_t)ld + 1)), ld);
    return solver_blas_status(handle->library, result, "cuBLAS's syr2k");
}

static enum status launch_wide(const struct solver_handle *handle, const struct chip_plan *plan,
                               struct tridiagonal_chip_arguments *arguments)
{
    struct cooperative_launch launch = {.kernel = plan->kernel, .threads = TRIDIAGONAL_THREADS,
                                        .shared_bytes = plan->shared_bytes, .blocks = plan->blocks,
                                        .gate = (uintptr_t)arguments->gate, .watch = handle->watch};
    return cooperative_launch(handle->library->device, handle->stream, &launch, arguments);
}

static enum status launch_cluster(const struct solver_handle *handle, const struct chip_plan *plan,
                                  struct tridiagonal_chip_arguments *arguments)
{
    const struct cluster_launch launch = {.kernel = plan->kernel, .threads = TRIDIAGONAL_THREADS,
                                          .shared_bytes = plan->shared_bytes, .blocks = plan->blocks};
    return cluster_launch(handle->library->device, handle->stream, &launch, arguments);
}

static enum status queue_chip(const struct solver_handle *handle, const struct tridiagonalisation *work,
                              const struct layout *layout, CUdeviceptr workspace, int64_t first)
{
    struct device *const device = handle->library->device;
    const size_t corner = (size_t)first * ((size_t)layout->padded_order + 1) * blas_element_bytes(work->type);
    struct tridiagonal_chip_arguments arguments = {.a = at(workspace, layout->copy + corner),
                                                   .ld = layout->padded_order, .order = work->n - first,
                                                   .first = first, .result = result_of(work),
                                                   .exchange = at(workspace, layout->exchange),
                                                   .gate = at(workspace, layout->gate)};
    struct chip_plan plan;
    enum status status = plan_cluster(handle, work, arguments.order, &plan);
    if (status == STATUS_OK)
        status = launch_cluster(handle, &plan, &arguments);
    if (status != STATUS_UNSUPPORTED)
        return status;
    plan = chip_plan_wide(device, work->type, arguments.order);
    return launch_wide(handle, &plan, &arguments);
}

enum status tridiagonalisation_queue(const struct solver_handle *handle,
                                     const struct tridiagonalisation *work, CUdeviceptr workspace,
                                     size_t bytes)
{
    struct layout layout;
    int64_t first = 0;
    enum status status = lay_out(handle, work, &layout);
    if (status == STATUS_OK && layout.end > bytes)
        return STATUS_UNSUPPORTED;
    if (status == STATUS_OK)
        status = copy(handle, work, &layout, workspace);
    for (; status == STATUS_OK && work->n - first > layout.chip_order; first += TRIDIAGONAL_PANEL) {
        status = queue_panel(handle, work, &layout, workspace, first);
        if (status == STATUS_OK)
            status = queue_update(handle, work, &layout, workspace, first);
    }
    return status == STATUS_OK ? queue_chip(handle, work, &layout, workspace, first) : status;
}
