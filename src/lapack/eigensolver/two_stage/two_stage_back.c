#include "lapack/eigensolver/two_stage/two_stage_back.h"
#include "lapack/eigensolver/block_reflector.h"
#include "lapack/eigensolver/plain_launch.h"
#include "lapack/workspace.h"

enum { TAKE_THREADS = 512, ROWS_UNIT = 64 };

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

static enum status queue_chased(const struct solver_handle *handle, const struct two_stage_back *back)
{
    const enum blas_type type = back->reduction->type;
    struct band_back_arguments arguments = {.kept = bulge_chasing_kept(back->chasing),
                                            .c = device_pointer(back->c),
                                            .ld = back->ldc,
                                            .order = back->reduction->n,
                                            .columns = back->columns};
    return plain_launch(handle->library->device, handle->stream, kernels_of[type].back,
                        (unsigned)((back->columns + BAND_BACK_COLUMNS - 1) / BAND_BACK_COLUMNS),
                        BAND_BACK_THREADS, BAND_BACK_ELEMENTS * blas_element_bytes(type), &arguments);
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
