#include "lapack/singular/own_singular.h"
#include "common/whole_number.h"
#include "gpu/cooperative.h"
#include "gpu/kernels/bidiagonal/bidiagonal_arguments.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"

enum { COPY_THREADS = 8 * BIDIAGONAL_TILE, STORE_THREADS = 256, BLOCKS_EACH = 8 };
enum { BULK_COPIES_FROM = 9 }; /* the major number of devices that have bulk copies */

struct kernels {
    enum kernel copy, store, panel[BIDIAGONAL_UNITS_MOST + 1], longest; /* panels by units; one does for the next */
};
#define KERNELS_OF(letter)                                                                                     \
    {                                                                                                          \
        KERNEL_##letter##gebrd_copy, KERNEL_##letter##gebrd_store,                                             \
            {0, KERNEL_##letter##gebrd_panel_1, KERNEL_##letter##gebrd_panel_2, KERNEL_##letter##gebrd_panel_4, \
             KERNEL_##letter##gebrd_panel_4, KERNEL_##letter##gebrd_panel_6, KERNEL_##letter##gebrd_panel_6,   \
             KERNEL_##letter##gebrd_panel_8, KERNEL_##letter##gebrd_panel_8},                                  \
            KERNEL_##letter##gebrd_panel_long                                                                  \
    }
static const struct kernels kernels_of[] = {
    [TYPE_S] = KERNELS_OF(s), [TYPE_D] = KERNELS_OF(d), [TYPE_C] = KERNELS_OF(c), [TYPE_Z] = KERNELS_OF(z)};

/* Sizes of what is reduced, A or its conjugate transpose; and offsets in the workspace. */
struct layout {
    int64_t rows, columns, ld;
    size_t gate, copy, vx, yu, column, row, norms, row_products, column_products, sums, end;
};

static struct layout lay_out(const struct bidiagonalisation *work)
{
    const bool turned = work->m < work->n;
    const size_t element = blas_element_bytes(work->type),
                 real = blas_real_bytes(work->type), panel = BIDIAGONAL_PANEL;
    struct layout layout = {.rows = turned ? work->n : work->m, .columns = turned ? work->m : work->n};
    layout.ld = round_up(layout.rows, BIDIAGONAL_CHUNK);
    const size_t ld = (size_t)layout.ld, columns = (size_t)layout.columns,
                 parts = (size_t)smaller(layout.columns, BIDIAGONAL_PARTS); /* no part without a column */
    size_t *const end = &layout.end;
    layout.gate = workspace_take(end, sizeof(struct grid_gate));
    layout.copy = workspace_take(end, ld * columns * element);
    layout.vx = workspace_take(end, ld * 2 * panel * element);
    layout.yu = workspace_take(end, columns * 2 * panel * element);
    layout.column = workspace_take(end, ld * element);
    layout.row = workspace_take(end, columns * element);
    layout.norms = workspace_take(end, ld / BIDIAGONAL_CHUNK * real);
    layout.row_products = workspace_take(end, 2 * panel * BIDIAGONAL_PARTS * element);
    layout.column_products = workspace_take(end, (2 * panel + 1) * parts * element);
    layout.sums = workspace_take(end, ld * parts * element);
    return layout;
}

/* How a panel is launched. */
struct plan {
    enum kernel kernel;
    int64_t parts, row_parts, own, ring; /* as the kernel's arguments */
    unsigned blocks;
    size_t shared_bytes;
};

/* Plans it by the ring, if the device and the number of rows allow it. */
static bool plan_ring(struct device *device, enum blas_type type, int64_t rows, int64_t columns,
                      struct plan *plan)
{
    const int64_t element = (int64_t)blas_element_bytes(type);
    const int units = bidiagonal_units(rows, element);
    if (device_properties(device)->compute_major < BULK_COPIES_FROM || units > BIDIAGONAL_UNITS_MOST)
        return false;
    const int group = bidiagonal_group(units);
    plan->parts = bidiagonal_parts(columns, group);
    plan->blocks = (unsigned)smaller(device_kernels(device)->multiprocessors,
                                   plan->parts > plan->row_parts ? plan->parts : plan->row_parts);
    plan->own = bidiagonal_own(columns, group, plan->parts, plan->blocks);
    const int64_t before = bidiagonal_shared_before(plan->own, element),
                  room = (int64_t)device_properties(device)->shared_bytes_per_block - before;
    plan->ring = smaller(room, BIDIAGONAL_RING_MOST) / 16 * 16;
    plan->kernel = kernels_of[type].panel[units];
    plan->shared_bytes = (size_t)(before + plan->ring);
    return plan->own <= BIDIAGONAL_OWN_MOST &&
           plan->ring >= 2 * group * round_up(rows * element, 16);
}

static enum status plan_panel(struct device *device, enum blas_type type, int64_t rows, int64_t columns,
                              struct plan *plan)
{
    const int64_t element = (int64_t)blas_element_bytes(type);
    *plan = (struct plan){
        .row_parts = smaller(round_up(rows, BIDIAGONAL_CHUNK) / BIDIAGONAL_CHUNK, BIDIAGONAL_PARTS)};
    if (plan_ring(device, type, rows, columns, plan))
        return STATUS_OK;
    plan->kernel = kernels_of[type].longest;
    plan->parts = bidiagonal_parts(columns, 1);
    plan->blocks = (unsigned)smaller(device_kernels(device)->multiprocessors,
                                   plan->parts > plan->row_parts ? plan->parts : plan->row_parts);
    plan->own = bidiagonal_own(columns, 1, plan->parts, plan->blocks);
    plan->ring = 0;
    plan->shared_bytes = (size_t)(bidiagonal_shared_before(plan->own, element) +
                                  plan->own * BIDIAGONAL_WARPS * element);
    return plan->own <= BIDIAGONAL_OWN_MOST && rows <= INT32_MAX / 2 &&
                   plan->shared_bytes <= device_properties(device)->shared_bytes_per_block
               ? STATUS_OK
               : STATUS_UNSUPPORTED;
}

enum status bidiagonalisation_workspace(const struct solver_handle *handle,
                                        const struct bidiagonalisation *work, size_t *bytes)
{
    struct device *const device = handle->library->device;
    const struct layout layout = lay_out(work);
    int64_t first = 0;
    enum status status = STATUS_OK;
    *bytes = layout.end;
    /* Each kernel that there will be, by the panel that needs the most of it. */
    for (enum kernel last = KERNEL_COUNT; status == STATUS_OK && first < layout.columns;
         first += BIDIAGONAL_PANEL) {
        struct plan plan;
        status = plan_panel(device, work->type, layout.rows - first, layout.columns - first, &plan);
        if (status != STATUS_OK || plan.kernel == last)
            continue;
        const struct cooperative_launch launch = {
            .kernel = plan.kernel, .threads = BIDIAGONAL_THREADS, .shared_bytes = plan.shared_bytes};
        unsigned blocks;
        last = plan.kernel;
        status = cooperative_room(device, &launch, &blocks);
        if (status == STATUS_OK && blocks < plan.blocks)
            status = STATUS_UNSUPPORTED;
    }
    return status;
}

static void *at(CUdeviceptr workspace, size_t offset) { return (void *)(uintptr_t)(workspace + offset); }

static enum status queue_copy(const struct solver_handle *handle, const struct bidiagonalisation *work,
                              const struct layout *layout, CUdeviceptr workspace)
{
    struct device *const device = handle->library->device;
    const size_t tile = BIDIAGONAL_TILE * (BIDIAGONAL_TILE + 1) * blas_element_bytes(work->type);
    struct bidiagonal_copy_arguments arguments = {.from = at(work->a, 0),
                                                  .to = at(workspace, layout->copy),
                                                  .from_ld = work->lda,
                                                  .to_ld = layout->ld,
                                                  .rows = layout->rows,
                                                  .columns = layout->columns,
                                                  .adjoint = work->m < work->n};
    return device_launch(device, handle->stream, kernels_of[work->type].copy,
                         (unsigned)device_kernels(device)->multiprocessors * BLOCKS_EACH, COPY_THREADS, tile,
                         &arguments);
}

/* Element `first` of a vector. */
static CUdeviceptr from(CUdeviceptr vector, int64_t first, size_t bytes) { return vector + (size_t)first * bytes; }

static enum status queue_panel(const struct solver_handle *handle, const struct bidiagonalisation *work,
                               const struct layout *layout, CUdeviceptr workspace, int64_t first)
{
    const bool turned = work->m < work->n;
    const size_t element = blas_element_bytes(work->type),
                 real = blas_real_bytes(work->type),
                 corner = (size_t)(first * (layout->ld + 1)) * element;
    struct plan plan;
    const enum status status = plan_panel(handle->library->device, work->type, layout->rows - first,
                                          layout->columns - first, &plan);
    struct bidiagonal_panel_arguments arguments = {
        .a = at(workspace, layout->copy + corner), .lda = layout->ld, .rows = layout->rows - first,
        .columns = layout->columns - first,
        .width = (int32_t)smaller(layout->columns - first, BIDIAGONAL_PANEL), .parts = (int32_t)plan.parts,
        .row_parts = (int32_t)plan.row_parts, .ring = (int32_t)plan.ring, .own = (int32_t)plan.own,
        .vx = at(workspace, layout->vx), .yu = at(workspace, layout->yu),
        .column = at(workspace, layout->column), .row = at(workspace, layout->row),
        .norms = at(workspace, layout->norms), .row_products = at(workspace, layout->row_products),
        .column_products = at(workspace, layout->column_products), .sums = at(workspace, layout->sums),
        .d = at(from(work->d, first, real), 0), .e = at(from(work->e, first, real), 0),
        .tauq = at(from(turned ? work->taup : work->tauq, first, element), 0),
        .taup = at(from(turned ? work->tauq : work->taup, first, element), 0),
        .gate = at(workspace, layout->gate)};
    struct cooperative_launch launch = {.kernel = plan.kernel,
                                        .threads = BIDIAGONAL_THREADS,
                                        .shared_bytes = plan.shared_bytes,
                                        .blocks = plan.blocks,
                                        .gate = workspace + layout->gate,
                                        .watch = handle->watch};
    return status == STATUS_OK
               ? cooperative_launch(handle->library->device, handle->stream, &launch, &arguments)
               : status;
}

static enum status queue_store(const struct solver_handle *handle, const struct bidiagonalisation *work,
                               const struct layout *layout, CUdeviceptr workspace, int64_t first)
{
    struct device *const device = handle->library->device;
    const size_t element = blas_element_bytes(work->type),
                 real = blas_real_bytes(work->type);
    struct bidiagonal_store_arguments arguments = {
        .a = at(from(work->a, first * (work->lda + 1), element), 0),
        .lda = work->lda,
        .rows = layout->rows - first,
        .columns = layout->columns - first,
        .width = (int32_t)smaller(layout->columns - first, BIDIAGONAL_PANEL),
        .adjoint = work->m < work->n,
        .vx = at(workspace, layout->vx),
        .yu = at(workspace, layout->yu),
        .d = at(from(work->d, first, real), 0),
        .e = at(from(work->e, first, real), 0),
        .ldv = layout->ld};
    return device_launch(device, handle->stream, kernels_of[work->type].store,
                         (unsigned)device_kernels(device)->multiprocessors * 2, STORE_THREADS, 0, &arguments);
}

/* The matrix A behind the panel becomes A - [V X] [Y' ; U']. */
static enum status queue_update(const struct solver_handle *handle, const struct bidiagonalisation *work,
                                const struct layout *layout, CUdeviceptr workspace, int64_t first)
{
    const size_t element = blas_element_bytes(work->type);
    const int64_t behind = first + BIDIAGONAL_PANEL, factors = 2 * BIDIAGONAL_PANEL;
    const struct device_product product = {
        .trans_a = CUBLAS_OP_N,
        .trans_b = CUBLAS_OP_N,
        .m = layout->rows - behind,
        .n = layout->columns - behind,
        .k = factors,
        .alpha = -1,
        .beta = 1,
        .a = {from(workspace + layout->vx, BIDIAGONAL_PANEL, element), layout->ld},
        .b = {from(workspace + layout->yu, BIDIAGONAL_PANEL * factors, element), factors},
        .c = {from(workspace + layout->copy, behind * (layout->ld + 1), element), layout->ld}};
    return product.n > 0 ? device_product_queue(handle, work->type, &product) : STATUS_OK;
}

enum status bidiagonalisation_queue(const struct solver_handle *handle, const struct bidiagonalisation *work,
                                    CUdeviceptr workspace, size_t bytes)
{
    const struct layout layout = lay_out(work);
    enum status status =
        layout.end > bytes ? STATUS_UNSUPPORTED : queue_copy(handle, work, &layout, workspace);
    for (int64_t first = 0; status == STATUS_OK && first < layout.columns; first += BIDIAGONAL_PANEL) {
        status = queue_panel(handle, work, &layout, workspace, first);
        if (status == STATUS_OK)
            status = queue_store(handle, work, &layout, workspace, first);
        if (status == STATUS_OK)
            status = queue_update(handle, work, &layout, workspace, first);
    }
    return status;
}

static struct reflectors_product product_of(const struct bidiagonal_back *work)
{
    const struct bidiagonal_reflectors reflectors =
        bidiagonal_reflectors_of(work->vectors, work->order, work->k);
    return (struct reflectors_product){.type = work->type, .from = reflectors.from,
                                       .by_rows = work->vectors == BIDIAGONAL_P, .order = work->order,
                                       .count = reflectors.count, .a = work->a, .tau = work->tau,
                                       .lda = work->lda, .side = work->side};
}

size_t bidiagonal_back_workspace(const struct bidiagonal_back *work)
{
    const struct reflectors_product product = product_of(work);
    return reflectors_product_workspace(&product);
}

enum status bidiagonal_back_queue(const struct solver_handle *handle,
                                  const struct bidiagonal_back *work, CUdeviceptr workspace)
{
    const struct reflectors_product product = product_of(work);
    return reflectors_product_queue(handle, &product, workspace);
}
