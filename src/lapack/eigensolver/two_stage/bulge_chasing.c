#include "lapack/eigensolver/two_stage/bulge_chasing.h"
#include "gpu/cooperative.h"
#include "lapack/eigensolver/plain_launch.h"
#include "lapack/workspace.h"

enum { DIAGONAL_THREADS = 256 };

struct kernels {
    enum kernel chase, diagonals;
};
static const struct kernels kernels_of[] = {
    [TYPE_S] = {KERNEL_sband_chase, KERNEL_sband_diagonals},
    [TYPE_D] = {KERNEL_dband_chase, KERNEL_dband_diagonals},
};

struct layout {
    size_t gate, progress, end;
};

static struct layout lay_out(const struct bulge_chasing *work)
{
    struct layout layout = {0};
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
    return (struct cooperative_launch){.kernel = kernels_of[work->type].chase,
                                       .threads = BAND_CHASE_THREADS,
                                       .shared_bytes = BAND_CHASE_ELEMENTS * blas_element_bytes(work->type),
                                       .blocks = (unsigned)(steps_most(work) / 2 + 1)};
}

enum status bulge_chasing_workspace(const struct solver_handle *handle, const struct bulge_chasing *work,
                                    size_t *bytes)
{
    const struct cooperative_launch launch = launch_of(work);
    unsigned blocks;
    *bytes = lay_out(work).end;
    return cooperative_room(handle->library->device, &launch, &blocks);
}

static enum status queue_chase(const struct solver_handle *handle, const struct bulge_chasing *work,
                               CUdeviceptr workspace)
{
    struct device *const device = handle->library->device;
    const struct layout layout = lay_out(work);
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
                     driver()->memory_set_async(workspace + layout.progress, 0, layout.end - layout.progress,
                                                handle->stream),
                     "zeroing the sweeps' progress");
    return status == STATUS_OK ? cooperative_launch(device, handle->stream, &launch, &arguments) : status;
}

static enum status queue_triangles(const struct solver_handle *handle, const struct bulge_chasing *work)
{
    struct band_triangles_arguments arguments = {.kept = bulge_chasing_kept(work), .order = work->n};
    const int64_t steps = arguments.kept.steps_most;
    return plain_launch(handle->library->device, handle->stream, KERNEL_band_triangles,
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
               ? plain_launch(handle->library->device, handle->stream, kernels_of[work->type].diagonals,
                              (unsigned)((work->n + DIAGONAL_THREADS - 1) / DIAGONAL_THREADS),
                              DIAGONAL_THREADS, 0, &arguments)
               : status;
}
