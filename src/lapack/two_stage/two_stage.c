#include "lapack/two_stage/two_stage.h"
#include "gpu/kernels/two_stage/band_arguments.h"
#include "lapack/workspace.h"

struct layout {
    size_t band, inverse, d, e, scratch;
};

static struct layout lay_out(const struct two_stage *work)
{
    const size_t element = blas_element_bytes(work->type), n = (size_t)work->n;
    struct layout layout = {0};
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
                      .a = work->a,
                      .lda = work->lda,
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

enum status two_stage_queue(const struct solver_handle *handle, const struct two_stage *work,
                            CUdeviceptr workspace)
{
    const struct two_stage_steps steps = two_stage_steps_of(work, workspace);
    enum status status = band_reduction_queue(handle, &steps.reduction, steps.scratch);
    if (status == STATUS_OK)
        status = bulge_chasing_queue(handle, &steps.chasing, steps.scratch);
    return status == STATUS_OK ? bisection_queue(handle, &steps.bisection, steps.scratch) : status;
}
