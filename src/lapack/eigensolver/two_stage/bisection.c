#include "lapack/eigensolver/two_stage/bisection.h"
#include "gpu/kernels/two_stage/stebz_arguments.h"
#include "lapack/eigensolver/plain_launch.h"
#include "lapack/workspace.h"

enum { WARP = 32 };

struct kernels {
    enum kernel bounds, values;
};
static const struct kernels kernels_of[] = {
    [TYPE_S] = {KERNEL_sstebz_bounds, KERNEL_sstebz_values},
    [TYPE_D] = {KERNEL_dstebz_bounds, KERNEL_dstebz_values},
};

struct layout {
    size_t rows, bounds, end;
};

static struct layout lay_out(const struct bisection *work)
{
    const size_t element = blas_element_bytes(work->type);
    struct layout layout = {0};
    layout.rows = workspace_take(&layout.end, 2 * (size_t)work->n * element);
    layout.bounds = workspace_take(&layout.end, STEBZ_BOUNDS * element);
    return layout;
}

size_t bisection_workspace(const struct bisection *work) { return lay_out(work).end; }

/* More of them shorten the way of a value, until they fill the device. */
static int32_t lanes_for(int64_t n)
{
    enum { FULL = 1 << 16, LEAST = 4 };
    int32_t lanes = WARP;
    while (lanes > LEAST && n * lanes > FULL)
        lanes /= 2;
    return lanes;
}

/* From twice the norm to a quarter of the rounding unit times the norm. */
static int32_t passes_for(enum blas_type type, int32_t lanes)
{
    const double wanted = blas_is_single(type) ? 0x1p27 : 0x1p56;
    double reached = 1;
    int32_t passes = 0;
    for (; reached < wanted; reached *= lanes + 1)
        passes++;
    return passes;
}

enum status bisection_queue(const struct solver_handle *handle, const struct bisection *work,
                            CUdeviceptr workspace)
{
    struct device *const device = handle->library->device;
    const struct layout layout = lay_out(work);
    const size_t element = blas_element_bytes(work->type);
    const int32_t lanes = lanes_for(work->n);
    struct stebz_arguments arguments = {.d = device_pointer(work->d),
                                        .e = device_pointer(work->e),
                                        .w = device_pointer(work->w),
                                        .rows = device_pointer(workspace + layout.rows),
                                        .bounds = device_pointer(workspace + layout.bounds),
                                        .n = work->n,
                                        .lanes = lanes,
                                        .passes = passes_for(work->type, lanes)};
    const enum status status =
        plain_launch(device, handle->stream, kernels_of[work->type].bounds, 1, STEBZ_BOUNDS_THREADS,
                     STEBZ_BOUNDS_THREADS / WARP * element, &arguments);
    return status == STATUS_OK
               ? plain_launch(device, handle->stream, kernels_of[work->type].values,
                              (unsigned)((work->n * lanes + STEBZ_THREADS - 1) / STEBZ_THREADS),
                              STEBZ_THREADS, 2 * STEBZ_TILE * element, &arguments)
               : status;
}
