#include "gpu/cooperative.h"
#include "gpu/kernels/two_stage/band_arguments.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/eigensolver/two_stage.h"

#include <limits.h>

enum { SCALE_THREADS = 256, SCALE_TILE = 32, STORE_THREADS = BAND_STORED, BLOCKS_EACH = 8 };
enum { W_COLUMNS = BAND_WIDTH, SECOND_V_COLUMNS = 2 * BAND_WIDTH, FACTOR_COLUMNS = 3 * BAND_WIDTH };

struct kernels {
    enum kernel scale, panel, panel_long, store;
};
static const struct kernels kernels_of[] = {
    [TYPE_S] = {KERNEL_ssyband_scale, KERNEL_ssyband_panel, KERNEL_ssyband_panel_long, KERNEL_ssyband_store},
    [TYPE_D] = {KERNEL_dsyband_scale, KERNEL_dsyband_panel, KERNEL_dsyband_panel_long, KERNEL_dsyband_store},
};

/* Offsets of everything in the workspace. */
struct layout {
    int64_t rows, ld, chunks; /* of the largest panel; ld of V, W and V, which lie side by side, and of Y */
    size_t gate, largest, factors, y, x, t, partials, pivots, end;
};

static struct layout lay_out(const struct band_reduction *work)
{
    enum { ROWS_UNIT = 64 };
    const size_t element = blas_element_bytes(work->type);
    struct layout layout = {.rows = work->n > BAND_WIDTH ? work->n - BAND_WIDTH : 0};
    layout.ld = (layout.rows + ROWS_UNIT - 1) / ROWS_UNIT * ROWS_UNIT;
    layout.chunks = (layout.rows + BAND_CHUNK - 1) / BAND_CHUNK;
    size_t *const end = &layout.end;
    layout.gate = workspace_take(end, sizeof(struct grid_gate));
    layout.largest = workspace_take(end, PART_BLOCKS_MOST * sizeof(uint32_t));
    layout.factors = workspace_take(end, (size_t)layout.ld * FACTOR_COLUMNS * element);
    layout.y = workspace_take(end, (size_t)layout.ld * BAND_WIDTH * element);
    layout.x = workspace_take(end, BAND_WIDTH * BAND_WIDTH * element);
    layout.t = workspace_take(end, BAND_WIDTH * BAND_WIDTH * element);
    layout.partials = workspace_take(end, 2 * BAND_WIDTH * (size_t)layout.chunks * element);
    layout.pivots = workspace_take(end, 2 * BAND_WIDTH * element);
    return layout;
}

static struct cooperative_launch panel_launch(const struct band_reduction *work, enum kernel kernel)
{
    return (struct cooperative_launch){.kernel = kernel,
                                       .threads = BAND_PANEL_THREADS,
                                       .shared_bytes = BAND_PANEL_ELEMENTS * blas_element_bytes(work->type)};
}

/* Blocks that hold a chunk each, all at once. */
static enum status find_room(const struct solver_handle *handle, const struct band_reduction *work,
                             unsigned *blocks)
{
    const struct cooperative_launch launch = panel_launch(work, kernels_of[work->type].panel),
                                    launch_long = panel_launch(work, kernels_of[work->type].panel_long);
    unsigned blocks_long;
    const enum status status = cooperative_room(handle->library->device, &launch, blocks);
    return status == STATUS_OK ? cooperative_room(handle->library->device, &launch_long, &blocks_long)
                               : status;
}

/* A single row below the band has nothing to clear. */
int64_t band_reduction_panels(int64_t n) { return n > BAND_WIDTH + 1 ? (n - 2) / BAND_WIDTH : 0; }

size_t band_reduction_t_bytes(const struct band_reduction *work)
{
    return (size_t)band_reduction_panels(work->n) * BAND_WIDTH * BAND_WIDTH * blas_element_bytes(work->type);
}

enum status band_reduction_workspace(const struct solver_handle *handle, const struct band_reduction *work,
                                     size_t *bytes)
{
    unsigned blocks;
    *bytes = lay_out(work).end;
    return work->n > INT_MAX / BAND_STORED ? STATUS_UNSUPPORTED : find_room(handle, work, &blocks);
}

/* The whole square, scaled. */
static enum status queue_square(const struct solver_handle *handle, const struct band_reduction *work,
                                const struct layout *layout, CUdeviceptr workspace)
{
    struct device *const device = handle->library->device;
    const bool lower = work->uplo != UPLO_UPPER;
    const struct device_part part = {.address = work->a,
                                     .ld = work->lda,
                                     .rows = work->n,
                                     .columns = work->n,
                                     .part = lower ? PART_LOWER : PART_UPPER};
    unsigned numbers;
    const enum status status = matrix_part_queue_largest(device, handle->stream, &part, work->type,
                                                         workspace + layout->largest, &numbers);
    if (status != STATUS_OK)
        return status;
    struct band_scale_arguments arguments = {.a = device_pointer(work->a),
                                             .ld = work->lda,
                                             .order = work->n,
                                             .lower = lower,
                                             .largest = device_pointer(workspace + layout->largest),
                                             .largest_count = numbers,
                                             .inverse = device_pointer(work->inverse)};
    return device_launch(device, handle->stream, kernels_of[work->type].scale,
                         BLOCKS_EACH * (unsigned)device_kernels(device)->multiprocessors, SCALE_THREADS,
                         (SCALE_TILE * (SCALE_TILE + 1) + 1) * blas_element_bytes(work->type), &arguments);
}

/* T of the panel of this first column: all of them where they are kept. */
static CUdeviceptr t_of(const struct band_reduction *work, const struct layout *layout, CUdeviceptr workspace,
                        int64_t first)
{
    const size_t panel_bytes = BAND_WIDTH * BAND_WIDTH * blas_element_bytes(work->type);
    return work->t ? work->t + (size_t)(first / BAND_WIDTH) * panel_bytes : workspace + layout->t;
}

static enum status queue_panel(const struct solver_handle *handle, const struct band_reduction *work,
                               const struct layout *layout, CUdeviceptr workspace, int64_t first,
                               unsigned room)
{
    const size_t element = blas_element_bytes(work->type);
    const int64_t rows = work->n - first - BAND_WIDTH, chunks = (rows + BAND_CHUNK - 1) / BAND_CHUNK;
    struct band_panel_arguments arguments = {
        .a = device_pointer(work->a + (size_t)(first + BAND_WIDTH + first * work->lda) * element),
        .ld = work->lda,
        .rows = rows,
        .v = device_pointer(workspace + layout->factors),
        .v_ld = layout->ld,
        .t = device_pointer(t_of(work, layout, workspace, first)),
        .partials = device_pointer(workspace + layout->partials),
        .chunks_most = layout->chunks,
        .pivots = device_pointer(workspace + layout->pivots),
        .gate = device_pointer(workspace + layout->gate)};
    const struct kernels *const kernels = &kernels_of[work->type];
    struct cooperative_launch launch =
        panel_launch(work, chunks > (int64_t)room ? kernels->panel_long : kernels->panel);
    launch.blocks = chunks > (int64_t)room ? room : (unsigned)chunks;
    launch.gate = workspace + layout->gate;
    launch.watch = handle->watch;
    return cooperative_launch(handle->library->device, handle->stream, &launch, &arguments);
}

/* The square behind the panel becomes Q' A Q = A - V W' - W V', where Y = V T, X = Y' A Y, W = A Y - V X / 2.
 * */
static enum status queue_update(const struct solver_handle *handle, const struct band_reduction *work,
                                const struct layout *layout, CUdeviceptr workspace, int64_t first)
{
    const size_t element = blas_element_bytes(work->type), column = (size_t)layout->ld * element;
    const int64_t behind = first + BAND_WIDTH, rows = work->n - behind, b = BAND_WIDTH;
    const struct factor v = {workspace + layout->factors, layout->ld},
                        y = {workspace + layout->y, layout->ld},
                        w = {v.address + W_COLUMNS * column, layout->ld}, x = {workspace + layout->x, b},
                        t = {t_of(work, layout, workspace, first), b},
                         a = {work->a + (size_t)(behind * (work->lda + 1)) * element, work->lda};
    const bool in_parts = work->t != 0; /* values alone are right to eps times the largest either way */
    const struct device_product products[] = {
        {CUBLAS_OP_N, CUBLAS_OP_N, rows, b, b, 1, 0, v, t, y, false},
        {CUBLAS_OP_N, CUBLAS_OP_N, rows, b, rows, 1, 0, a, y, w, in_parts},
        {CUBLAS_OP_T, CUBLAS_OP_N, b, b, rows, 1, 0, y, w, x, in_parts},
        {CUBLAS_OP_N, CUBLAS_OP_N, rows, b, b, -0.5, 1, v, x, w, false},
        {CUBLAS_OP_N, CUBLAS_OP_T, rows, rows, 2 * b, -1, 1, v, w, a, false}, /* (V, W) (W, V)' */
    };
    return device_products_queue(handle, work->type, products, sizeof products / sizeof *products);
}

static enum status queue_store(const struct solver_handle *handle, const struct band_reduction *work)
{
    struct device *const device = handle->library->device;
    struct band_store_arguments arguments = {
        .a = device_pointer(work->a), .ld = work->lda, .order = work->n, .band = device_pointer(work->band)};
    return device_launch(device, handle->stream, kernels_of[work->type].store,
                         BLOCKS_EACH * (unsigned)device_kernels(device)->multiprocessors, STORE_THREADS, 0,
                         &arguments);
}

enum status band_reduction_queue(const struct solver_handle *handle, const struct band_reduction *work,
                                 CUdeviceptr workspace)
{
    const struct layout layout = lay_out(work);
    unsigned room;
    enum status status = find_room(handle, work, &room);
    if (status == STATUS_OK)
        status = queue_square(handle, work, &layout, workspace);
    for (int64_t i = 0; status == STATUS_OK && i < band_reduction_panels(work->n); i++) {
        const int64_t first = i * BAND_WIDTH;
        status = queue_panel(handle, work, &layout, workspace, first, room);
        if (status == STATUS_OK)
            status = queue_update(handle, work, &layout, workspace, first);
    }
    return status == STATUS_OK ? queue_store(handle, work) : status;
}

enum { DIAGONAL_THREADS = 256 };

struct chase_kernels {
    enum kernel chase, diagonals;
};
static const struct chase_kernels chase_kernels_of[] = {
    [TYPE_S] = {KERNEL_sband_chase, KERNEL_sband_diagonals},
    [TYPE_D] = {KERNEL_dband_chase, KERNEL_dband_diagonals},
};

struct chase_layout {
    size_t gate, progress, end;
};

static struct chase_layout lay_out_chase(const struct bulge_chasing *work)
{
    struct chase_layout layout = {0};
    layout.gate = workspace_take(&layout.end, sizeof(struct grid_gate));
    layout.progress = workspace_take(&layout.end, (size_t)work->n * sizeof(uint32_t));
    return layout;
}

static int64_t steps_most(const struct bulge_chasing *work)
{
    return (work->n + BAND_WIDTH - 1) / BAND_WIDTH;
}

/* With room for triangles (band_back.cu). */
static size_t vectors_bytes(const struct bulge_chasing *work)
{
    const int64_t steps = steps_most(work);
    return (size_t)((steps + 1) * BAND_WIDTH * steps) * BAND_WIDTH * sizeof(double);
}

size_t bulge_chasing_kept_bytes(const struct bulge_chasing *work)
{
    return vectors_bytes(work) + (size_t)(work->n * steps_most(work)) * sizeof(double);
}

struct band_reflectors bulge_chasing_kept(const struct bulge_chasing *work)
{
    const CUdeviceptr taus = work->kept + vectors_bytes(work);
    return (struct band_reflectors){.vectors = work->kept ? device_pointer(work->kept) : NULL,
                                    .taus = work->kept ? device_pointer(taus) : NULL,
                                    .steps_most = steps_most(work)};
}

/* Sweeps are two steps apart: more of them than the first one's steps allow would wait. */
static struct cooperative_launch launch_of(const struct bulge_chasing *work)
{
    return (struct cooperative_launch){.kernel = chase_kernels_of[work->type].chase,
                                       .threads = BAND_CHASE_THREADS,
                                       .shared_bytes = BAND_CHASE_ELEMENTS * blas_element_bytes(work->type),
                                       .blocks = (unsigned)(steps_most(work) / 2 + 1)};
}

enum status bulge_chasing_workspace(const struct solver_handle *handle, const struct bulge_chasing *work,
                                    size_t *bytes)
{
    const struct cooperative_launch launch = launch_of(work);
    unsigned blocks;
    *bytes = lay_out_chase(work).end;
    return cooperative_room(handle->library->device, &launch, &blocks);
}

static enum status queue_chase(const struct solver_handle *handle, const struct bulge_chasing *work,
                               CUdeviceptr workspace)
{
    struct device *const device = handle->library->device;
    const struct chase_layout layout = lay_out_chase(work);
    struct band_chase_arguments arguments = {.band = device_pointer(work->band),
                                             .order = work->n,
                                             .progress = device_pointer(workspace + layout.progress),
                                             .gate = device_pointer(workspace + layout.gate),
                                             .kept = bulge_chasing_kept(work)};
    struct cooperative_launch launch = launch_of(work);
    launch.gate = workspace + layout.gate;
    launch.watch = handle->watch;
    const enum status status =
        device_check(device,
                     driver()->memory_set_async(workspace + layout.progress, 0,
                                                layout.end - layout.progress, handle->stream),
                     "zeroing the sweeps' progress");
    return status == STATUS_OK ? cooperative_launch(device, handle->stream, &launch, &arguments) : status;
}

static enum status queue_triangles(const struct solver_handle *handle, const struct bulge_chasing *work)
{
    struct band_triangles_arguments arguments = {.kept = bulge_chasing_kept(work), .order = work->n};
    const int64_t steps = arguments.kept.steps_most;
    return device_launch(handle->library->device, handle->stream, KERNEL_band_triangles,
                         (unsigned)(steps * steps), BAND_WIDTH, BAND_TRIANGLES_ELEMENTS * sizeof(double),
                         &arguments);
}

enum status bulge_chasing_queue(const struct solver_handle *handle, const struct bulge_chasing *work,
                                CUdeviceptr workspace)
{
    struct band_diagonals_arguments arguments = {.band = device_pointer(work->band),
                                                 .inverse = device_pointer(work->inverse),
                                                 .d = device_pointer(work->d),
                                                 .e = device_pointer(work->e),
                                                 .order = work->n};
    enum status status = work->n > 2 ? queue_chase(handle, work, workspace) : STATUS_OK;
    if (status == STATUS_OK && work->n > 2 && work->kept)
        status = queue_triangles(handle, work);
    return status == STATUS_OK
               ? device_launch(handle->library->device, handle->stream,
                               chase_kernels_of[work->type].diagonals,
                               (unsigned)((work->n + DIAGONAL_THREADS - 1) / DIAGONAL_THREADS),
                               DIAGONAL_THREADS, 0, &arguments)
               : status;
}
