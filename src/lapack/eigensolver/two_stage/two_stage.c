#include "lapack/eigensolver/two_stage/two_stage.h"
#include "gpu/kernels/two_stage/band_arguments.h"
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
    layout.d = workspace_take(&layout.scratch, n * element);
    layout.e = workspace_take(&layout.scratch, n * element);
    return layout;
}

struct two_stage_steps two_stage_steps_of(const struct two_stage *work, CUdeviceptr workspace)
{
    const struct layout layout = lay_out(work);
    const CUdeviceptr band = workspace + layout.band, inverse = workspace + layout.inverse,
                      d = workspace + layout.d, e = workspace + layout.e;
    return (struct two_stage_steps){
        .reduction = {.type = work->type,
                      .uplo = work->uplo,
                      .n = work->n,
                      .a = work->keeps_other_triangle ? workspace + layout.square : work->a,
                      .lda = work->keeps_other_triangle ? layout.ld : work->lda,
                      .band = band,
                      .inverse = inverse},
        .chasing = {.type = work->type, .n = work->n, .band = band, .inverse = inverse, .d = d, .e = e},
        .bisection = {.type = work->type, .n = work->n, .d = d, .e = e, .w = work->w},
        .scratch = workspace + layout.scratch};
}

enum status two_stage_workspace(const struct solver_handle *handle, const struct two_stage *work,
                                size_t *bytes)
{
    const struct two_stage_steps steps = two_stage_steps_of(work, 0);
    size_t of_reduction = 0, of_chasing = 0, scratch = bisection_workspace(&steps.bisection);
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
    return status == STATUS_OK ? bisection_queue(handle, &steps.bisection, steps.scratch) : status;
}
