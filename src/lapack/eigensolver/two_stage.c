#include "lapack/eigensolver/two_stage.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/families.h"

enum { TAKE_THREADS = 512, ROWS_UNIT = 64 };
/* Shared memory of a block: for a step's operands, and for each pair of warps. */
enum { STAGE_BYTES = BAND_BACK_STAGE * sizeof(double), PAIR_BYTES = 2 * BAND_BACK_EXCHANGE * sizeof(double) };

struct kernels {
    enum kernel back, take;
};
static const struct kernels kernels_of[] = {
    [TYPE_S] = {KERNEL_sband_back, KERNEL_ssyband_take},
    [TYPE_D] = {KERNEL_dband_back, KERNEL_dsyband_take},
};

/* V of a panel. */
struct back_layout {
    int64_t ld;
    size_t v, scratch, end;
};

static struct back_layout lay_out_back(const struct two_stage_back *back)
{
    const enum blas_type type = back->reduction->type;
    struct back_layout layout = {.ld = (back->reduction->n + ROWS_UNIT - 1) / ROWS_UNIT * ROWS_UNIT};
    layout.v = workspace_take(&layout.end, (size_t)layout.ld * BAND_WIDTH * blas_element_bytes(type));
    layout.scratch =
        workspace_take(&layout.end, block_reflector_workspace(type, BAND_WIDTH, back->columns));
    return layout;
}

static size_t two_stage_back_workspace(const struct two_stage_back *back) { return lay_out_back(back).end; }

static int64_t parts_of(int64_t count, int64_t part) { return (count + part - 1) / part; }

static int64_t pairs_most(const struct device_properties *properties)
{
    const int64_t room = (int64_t)properties->shared_bytes_per_block - STAGE_BYTES;
    return room < BAND_BACK_PAIRS * PAIR_BYTES ? room / PAIR_BYTES : BAND_BACK_PAIRS;
}

/* Has a block of the device the shared memory that it takes? */
static bool two_stage_back_fits(const struct device *device)
{
    return pairs_most(device_properties(device)) > 0;
}

/* So many that all blocks are on the device in as few turns as there can be, and these are full. With one a
 * multiprocessor has units that idle. */
static int64_t pairs_of_block(int64_t pairs, const struct device_properties *properties)
{
    const int64_t most = pairs_most(properties), least = most < 2 ? most : 2,
                  turns = parts_of(pairs, most * properties->multiprocessors),
                  wanted = parts_of(pairs, turns * properties->multiprocessors);
    return wanted > least ? wanted : least;
}

static enum status queue_chased(const struct solver_handle *handle, const struct two_stage_back *back)
{
    struct device *const device = handle->library->device;
    const struct device_properties *const properties = device_properties(device);
    const int64_t all = parts_of(back->columns, BAND_BACK_COLUMNS),
                  pairs = pairs_of_block(all, properties);
    const size_t exchange_bytes = (size_t)pairs * PAIR_BYTES;
    struct band_back_arguments arguments = {.kept = bulge_chasing_kept(back->chasing),
                                            .c = device_pointer(back->c),
                                            .ld = back->ldc,
                                            .order = back->reduction->n,
                                            .columns = back->columns};
    arguments.stages = properties->shared_bytes_per_block < 2 * STAGE_BYTES + exchange_bytes ? 1 : 2;
    return device_launch(device, handle->stream, kernels_of[back->reduction->type].back,
                         (unsigned)parts_of(all, pairs), (unsigned)(64 * pairs),
                         (size_t)arguments.stages * STAGE_BYTES + exchange_bytes, &arguments);
}

static enum status queue_panel(const struct solver_handle *handle, const struct two_stage_back *back,
                               const struct back_layout *layout, CUdeviceptr workspace, int64_t panel)
{
    const struct band_reduction *const work = back->reduction;
    const size_t element = blas_element_bytes(work->type);
    const int64_t first = panel * BAND_WIDTH, behind = first + BAND_WIDTH;
    const struct block_reflector reflector = {
        .type = work->type,
        .rows = work->n - behind,
        .width = BAND_WIDTH,
        .v = {workspace + layout->v, layout->ld},
        .t = {work->t + (size_t)(panel * BAND_WIDTH * BAND_WIDTH) * element, BAND_WIDTH}};
    const struct block_reflector_side side = {.c = {back->c + (size_t)behind * element, back->ldc},
                                              .others = back->columns};
    struct band_take_arguments arguments = {
        .a = device_pointer(work->a + (size_t)(behind + first * work->lda) * element),
        .ld = work->lda,
        .rows = reflector.rows,
        .v = device_pointer(reflector.v.address),
        .v_ld = reflector.v.ld};
    const enum status status = device_launch(handle->library->device, handle->stream,
                                             kernels_of[work->type].take, BAND_WIDTH, TAKE_THREADS, 0,
                                             &arguments);
    return status == STATUS_OK ? block_reflector_queue(handle, &reflector, &side, workspace + layout->scratch)
                               : status;
}

/* Queue it on the handle's stream, with a workspace at a multiple of 256. Inside device_enter. */
static enum status two_stage_back_queue(const struct solver_handle *handle,
                                        const struct two_stage_back *back, CUdeviceptr workspace)
{
    const struct back_layout layout = lay_out_back(back);
    enum status status = back->reduction->n > 2 ? queue_chased(handle, back) : STATUS_OK;
    for (int64_t i = band_reduction_panels(back->reduction->n) - 1; i >= 0 && status == STATUS_OK; i--)
        status = queue_panel(handle, back, &layout, workspace, i);
    return status;
}

struct layout {
    int64_t ld; /* of the square, if there is one */
    size_t square, band, inverse, d, e, scratch;
};

static struct layout lay_out(const struct two_stage *work)
{
    const size_t element = blas_element_bytes(work->type), n = (size_t)work->n;
    struct layout layout = {.ld = (work->n + 31) / 32 * 32};
    layout.square =
        workspace_take(&layout.scratch, work->keeps_other_triangle ? (size_t)layout.ld * n * element : 0);
    layout.band = workspace_take(&layout.scratch, n * BAND_STORED * element);
    layout.inverse = workspace_take(&layout.scratch, element);
    layout.d = workspace_take(&layout.scratch, work->with_vectors ? 0 : n * element);
    layout.e = workspace_take(&layout.scratch, work->with_vectors ? 0 : n * element);
    return layout;
}

/* The first stage, whose T lies first in `kept`. */
static struct band_reduction reduction_of(const struct two_stage *work)
{
    return (struct band_reduction){.type = work->type,
                                   .uplo = work->uplo,
                                   .n = work->n,
                                   .a = work->a,
                                   .lda = work->lda,
                                   .t = work->with_vectors ? work->kept : 0};
}

static struct bulge_chasing chasing_of(const struct two_stage *work)
{
    const struct band_reduction reduction = reduction_of(work);
    size_t behind = 0;
    workspace_take(&behind, band_reduction_t_bytes(&reduction));
    return (struct bulge_chasing){
        .type = work->type, .n = work->n, .kept = work->with_vectors ? work->kept + behind : 0};
}

size_t two_stage_kept_bytes(const struct two_stage *work)
{
    const struct band_reduction reduction = reduction_of(work);
    const struct bulge_chasing chasing = chasing_of(work);
    size_t bytes = 0;
    workspace_take(&bytes, band_reduction_t_bytes(&reduction));
    workspace_take(&bytes, bulge_chasing_kept_bytes(&chasing));
    return bytes;
}

struct two_stage_steps two_stage_steps_of(const struct two_stage *work, CUdeviceptr workspace)
{
    const struct layout layout = lay_out(work);
    struct two_stage_steps steps = {.reduction = reduction_of(work),
                                    .chasing = chasing_of(work),
                                    .scratch = workspace + layout.scratch};
    if (work->keeps_other_triangle) {
        steps.reduction.a = workspace + layout.square;
        steps.reduction.lda = layout.ld;
    }
    steps.reduction.band = steps.chasing.band = workspace + layout.band;
    steps.reduction.inverse = steps.chasing.inverse = workspace + layout.inverse;
    steps.chasing.d = work->with_vectors ? work->w : workspace + layout.d;
    steps.chasing.e = work->with_vectors ? work->e : workspace + layout.e;
    steps.bisection = (struct bisection){
        .type = work->type, .n = work->n, .d = steps.chasing.d, .e = steps.chasing.e, .w = work->w};
    return steps;
}

enum status two_stage_workspace(const struct solver_handle *handle, const struct two_stage *work,
                                size_t *bytes)
{
    const struct two_stage_steps steps = two_stage_steps_of(work, 0);
    size_t of_reduction = 0, of_chasing = 0, scratch = bisection_workspace(&steps.bisection);
    if (work->with_vectors && !two_stage_back_fits(handle->library->device))
        return STATUS_UNSUPPORTED;
    enum status status = band_reduction_workspace(handle, &steps.reduction, &of_reduction);
    if (status == STATUS_OK)
        status = bulge_chasing_workspace(handle, &steps.chasing, &of_chasing);
    scratch = of_reduction > scratch ? of_reduction : scratch;
    scratch = of_chasing > scratch ? of_chasing : scratch;
    *bytes = (size_t)steps.scratch + scratch;
    return status;
}

static enum status copy(const struct solver_handle *handle, const struct two_stage *work,
                        const struct band_reduction *reduction)
{
    const struct device_part a = {.address = work->a,
                                  .ld = work->lda,
                                  .rows = work->n,
                                  .columns = work->n,
                                  .part = work->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER};
    return matrix_part_copy(handle->library->device, handle->stream, &a, reduction->a, reduction->lda,
                            work->type);
}

enum status two_stage_queue(const struct solver_handle *handle, const struct two_stage *work,
                            CUdeviceptr workspace)
{
    const struct two_stage_steps steps = two_stage_steps_of(work, workspace);
    enum status status = work->keeps_other_triangle ? copy(handle, work, &steps.reduction) : STATUS_OK;
    if (status == STATUS_OK)
        status = band_reduction_queue(handle, &steps.reduction, steps.scratch);
    if (status == STATUS_OK)
        status = bulge_chasing_queue(handle, &steps.chasing, steps.scratch);
    return status == STATUS_OK && !work->with_vectors
               ? bisection_queue(handle, &steps.bisection, steps.scratch)
               : status;
}

size_t two_stage_vectors_workspace(const struct two_stage *work, int64_t columns)
{
    const struct band_reduction reduction = reduction_of(work);
    const struct bulge_chasing chasing = chasing_of(work);
    const struct two_stage_back back = {.reduction = &reduction, .chasing = &chasing, .columns = columns};
    return two_stage_back_workspace(&back);
}

enum status two_stage_vectors_queue(const struct solver_handle *handle, const struct two_stage *work,
                                    CUdeviceptr c, int64_t ldc, int64_t columns, CUdeviceptr workspace)
{
    const struct band_reduction reduction = reduction_of(work);
    const struct bulge_chasing chasing = chasing_of(work);
    const struct two_stage_back back = {
        .reduction = &reduction, .chasing = &chasing, .c = c, .ldc = ldc, .columns = columns};
    return two_stage_back_queue(handle, &back, workspace);
}

/* Orders at which one stage takes as long as two on an H100 (bench/lapack_two_stage, doc/eigensolver.md). */
struct two_stage_borders two_stage_borders(enum blas_type type)
{
    static const struct two_stage_borders single = {5184, 7296, 11264}, wide = {4416, 4736, 4992};
    return type == TYPE_S ? single : wide;
}
