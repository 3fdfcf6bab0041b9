#include "lapack/eigensolver/two_stage/two_stage_back.h"
#include "lapack/eigensolver/block_reflector.h"
#include "lapack/eigensolver/plain_launch.h"
#include "lapack/workspace.h"

enum { TAKE_THREADS = 512, ROWS_UNIT = 64 };
/* Of a block's shared memory: for a step's operands, and for each pair of warps. */
enum { STAGE_BYTES = BAND_BACK_STAGE * sizeof(double), PAIR_BYTES = 2 * BAND_BACK_EXCHANGE * sizeof(double) };

struct kernels {
    enum kernel back, take;
};
static const struct kernels kernels_of[] = {
    [TYPE_S] = {KERNEL_sband_back, KERNEL_ssyband_take},
    [TYPE_D] = {KERNEL_dband_back, KERNEL_dsyband_take},
};

/* V of a panel. */
struct layout {
    int64_t ld;
    size_t v, scratch, end;
};

static struct layout lay_out(const struct two_stage_back *back)
{
    const enum blas_type type = back->reduction->type;
    struct layout layout = {.ld = (back->reduction->n + ROWS_UNIT - 1) / ROWS_UNIT * ROWS_UNIT};
    layout.v = workspace_take(&layout.end, (size_t)layout.ld * BAND_WIDTH * blas_element_bytes(type));
    layout.scratch =
        workspace_take(&layout.end, block_reflector_workspace(type, BAND_WIDTH, back->columns));
    return layout;
}

size_t two_stage_back_workspace(const struct two_stage_back *back) { return lay_out(back).end; }

static int64_t parts_of(int64_t count, int64_t part) { return (count + part - 1) / part; }

static int64_t pairs_most(const struct device_properties *properties)
{
    const int64_t room = (int64_t)properties->shared_bytes_per_block - STAGE_BYTES;
    return room < BAND_BACK_PAIRS * PAIR_BYTES ? room / PAIR_BYTES : BAND_BACK_PAIRS;
}

bool two_stage_back_fits(const struct device *device)
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
    return plain_launch(device, handle->stream, kernels_of[back->reduction->type].back,
                        (unsigned)parts_of(all, pairs), (unsigned)(64 * pairs),
                        (size_t)arguments.stages * STAGE_BYTES + exchange_bytes, &arguments);
}

static enum status queue_panel(const struct solver_handle *handle, const struct two_stage_back *back,
                               const struct layout *layout, CUdeviceptr workspace, int64_t panel)
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
    const enum status status = plain_launch(handle->library->device, handle->stream,
                                            kernels_of[work->type].take, BAND_WIDTH, TAKE_THREADS, 0,
                                            &arguments);
    return status == STATUS_OK ? block_reflector_queue(handle, &reflector, &side, workspace + layout->scratch)
                               : status;
}

enum status two_stage_back_queue(const struct solver_handle *handle, const struct two_stage_back *back,
                                 CUdeviceptr workspace)
{
    const struct layout layout = lay_out(back);
    enum status status = back->reduction->n > 2 ? queue_chased(handle, back) : STATUS_OK;
    for (int64_t i = band_reduction_panels(back->reduction->n) - 1; i >= 0 && status == STATUS_OK; i--)
        status = queue_panel(handle, back, &layout, workspace, i);
    return status;
}
