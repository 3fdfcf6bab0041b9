#include "lapack/eigensolver/two_stage/two_stage.h"
#include "lapack/matrix_part.h"
#include "lapack/workspace.h"

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

/* What lies in `kept`. */
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
