#include "lapack/eigensolver/own_eigen.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/two_stage.h"

/* Steps one after the other use the same `scratch`. */
struct layout {
    bool in_two_stages;
    int64_t ld; /* of vectors */
    size_t e, tau, info, real_vectors, vectors, kept, scratch, end, host;
    size_t factor_bytes, back_bytes, kept_bytes;
};

static enum blas_type real_type(enum blas_type type)
{
    return blas_is_single(type) ? TYPE_S : TYPE_D;
}

static int fill_of(const struct own_eigen *work)
{
    return work->call.uplo == UPLO_UPPER ? DEVICE_UPPER : DEVICE_LOWER;
}

static struct tridiagonalisation reduction_of(const struct own_eigen *work, const struct layout *layout,
                                              CUdeviceptr workspace)
{
    const struct solver_eigen_call *const call = &work->call;
    return (struct tridiagonalisation){.type = call->type, .uplo = call->uplo, .n = call->n, .a = call->a,
                                       .lda = call->lda, .d = call->w, .e = workspace + layout->e,
                                       .tau = workspace + layout->tau, .cluster_to = work->cluster_to};
}

static struct divide_conquer_call division_of(const struct own_eigen *work, const struct layout *layout,
                                              CUdeviceptr workspace)
{
    const bool is_complex = blas_scalar_parts(work->call.type) == 2;
    return (struct divide_conquer_call){.type = real_type(work->call.type), .n = work->call.n,
                                        .d = work->call.w, .e = workspace + layout->e, .ldq = layout->ld,
                                        .first_vector = work->first,
                                        .q = workspace +
                                             (is_complex ? layout->real_vectors : layout->vectors),
                                        .vectors = work->count, .info = work->call.info};
}

static struct two_stage two_stage_of(const struct own_eigen *work, const struct layout *layout,
                                     CUdeviceptr workspace)
{
    const struct solver_eigen_call *const call = &work->call;
    return (struct two_stage){.type = call->type, .uplo = call->uplo, .n = call->n, .a = call->a,
                              .lda = call->lda, .w = call->w, .e = workspace + layout->e,
                              .kept = workspace + layout->kept, .with_vectors = work->count > 0,
                              .keeps_other_triangle = work->keeps_other_triangle && work->count == 0};
}

static bool wants_two_stages(const struct own_eigen *work)
{
    const struct two_stage_borders from =
        work->borders.none > 0 ? work->borders : two_stage_borders(work->call.type);
    const int64_t n = work->call.n;
    return blas_scalar_parts(work->call.type) == 1 &&
           (work->way == OWN_EIGEN_TWO_STAGES ||
            (work->way == OWN_EIGEN_BY_ORDER && n >= two_stage_border(&from, n, work->count)));
}

static bool goes_back(const struct own_eigen *work)
{
    return work->count > 0 && work->call.n > 1;
}

static struct back_transformation back_of(const struct own_eigen *work, const struct layout *layout,
                                          CUdeviceptr workspace)
{
    const struct solver_eigen_call *const call = &work->call;
    return (struct back_transformation){.type = call->type, .uplo = call->uplo, .n = call->n, .a = call->a,
                                        .lda = call->lda, .tau = workspace + layout->tau,
                                        .side = {.c = {workspace + layout->vectors, layout->ld},
                                                 .others = work->count}};
}

/* The reduction, by one stage or two, and the way back from it. */
static enum status ask_reduction(const struct solver_handle *handle, const struct own_eigen *work,
                                 struct layout *layout, size_t *bytes)
{
    const struct two_stage two_stage = two_stage_of(work, layout, 0);
    layout->in_two_stages =
        wants_two_stages(work) && two_stage_workspace(handle, &two_stage, bytes) == STATUS_OK;
    if (layout->in_two_stages) {
        layout->back_bytes = goes_back(work) ? two_stage_vectors_workspace(&two_stage, work->count) : 0;
        layout->kept_bytes = work->count > 0 ? two_stage_kept_bytes(&two_stage) : 0;
        return STATUS_OK;
    }
    const struct tridiagonalisation reduction = reduction_of(work, layout, 0);
    const struct back_transformation back = back_of(work, layout, 0);
    layout->back_bytes = goes_back(work) ? back_transformation_workspace(&back) : 0;
    return tridiagonalisation_workspace(handle, &reduction, bytes);
}

static enum status ask_factor(const struct solver_handle *handle, const struct own_eigen *work,
                              struct layout *layout)
{
    const struct solver_eigen_call *const call = &work->call;
    const int type = solver_data_type(call->type);
    layout->factor_bytes = layout->host = 0;
    if (!call->itype)
        return STATUS_OK;
    const int result = handle->library->potrf_buffer(handle->solver, handle->params, fill_of(work), call->n,
                                                     type, device_pointer(call->b), call->ldb, type,
                                                     &layout->factor_bytes, &layout->host);
    return result == CUSOLVER_STATUS_SUCCESS && layout->factor_bytes < SIZE_MAX / 2 &&
                   layout->host < SIZE_MAX / 2
               ? STATUS_OK
               : STATUS_UNSUPPORTED;
}

static enum status lay_out(const struct solver_handle *handle, const struct own_eigen *work,
                           struct layout *layout)
{
    const enum blas_type type = work->call.type;
    const size_t element = blas_element_bytes(type), real = blas_element_bytes(real_type(type));
    const size_t n = (size_t)work->call.n, count = (size_t)work->count;
    *layout = (struct layout){.ld = ((int64_t)n + 31) / 32 * 32};
    if (work->call.itype > 1)
        return STATUS_UNSUPPORTED;
    size_t *const end = &layout->end, reduction_bytes = 0, scratch = 0;
    layout->e = workspace_take(end, n * real);
    layout->tau = workspace_take(end, n * element);
    layout->info = workspace_take(end, sizeof(int));
    layout->real_vectors = workspace_take(end, element > real ? (size_t)layout->ld * count * real : 0);
    layout->vectors = workspace_take(end, (size_t)layout->ld * count * element);
    enum status status = ask_factor(handle, work, layout);
    if (status == STATUS_OK)
        status = ask_reduction(handle, work, layout, &reduction_bytes);
    if (status != STATUS_OK)
        return status;
    layout->kept = workspace_take(end, layout->kept_bytes);
    const struct divide_conquer_call division = division_of(work, layout, 0);
    const bool divides = !layout->in_two_stages || count > 0;
    const size_t of_steps[] = {reduction_bytes, divides ? divide_conquer_workspace(&division) : 0,
                               layout->factor_bytes, layout->back_bytes};
    for (size_t i = 0; i < sizeof of_steps / sizeof *of_steps; i++)
        scratch = of_steps[i] > scratch ? of_steps[i] : scratch;
    layout->scratch = workspace_take(end, scratch);
    return STATUS_OK;
}

enum status own_eigen_workspace(const struct solver_handle *handle, const struct own_eigen *work,
                                size_t *device_bytes, size_t *host_bytes)
{
    struct layout layout;
    const enum status status = lay_out(handle, work, &layout);
    *device_bytes = layout.end;
    *host_bytes = layout.host;
    return status;
}

static enum status queue_factor(const struct solver_handle *handle, const struct own_eigen *work,
                                const struct layout *layout, CUdeviceptr workspace, void *host_workspace,
                                size_t host_bytes)
{
    const struct solver_eigen_call *const call = &work->call;
    const int type = solver_data_type(call->type);
    const int result = handle->library->potrf(handle->solver, handle->params, fill_of(work), call->n, type,
                                              device_pointer(call->b), call->ldb, type,
                                              device_pointer(workspace + layout->scratch),
                                              layout->factor_bytes, host_workspace, host_bytes,
                                              device_pointer(call->info + sizeof(int)));
    return solver_status(handle->library, result, "cuSOLVER's potrf");
}

/* A becomes the matrix of the standard problem. */
static enum status queue_standard(const struct solver_handle *handle, const struct own_eigen *work)
{
    const struct solver_eigen_call *const call = &work->call;
    const struct device_part a = {.address = call->a, .ld = call->lda, .rows = call->n, .columns = call->n,
                                  .part = call->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER};
    const struct standard_form form = {.type = call->type, .itype = call->itype, .uplo = call->uplo,
                                       .n = call->n, .factor = call->b, .ld = call->ldb};
    const enum status status = matrix_part_complete(handle->library->device, handle->stream, &a, call->type);
    return status == STATUS_OK ? standard_form_apply(handle, &form, call->a, call->lda) : status;
}

static enum status queue_reduction(const struct solver_handle *handle, const struct own_eigen *work,
                                   const struct layout *layout, CUdeviceptr workspace)
{
    const struct two_stage two_stage = two_stage_of(work, layout, workspace);
    const struct tridiagonalisation reduction = reduction_of(work, layout, workspace);
    return layout->in_two_stages
               ? two_stage_queue(handle, &two_stage, workspace + layout->scratch)
               : tridiagonalisation_queue(handle, &reduction, workspace + layout->scratch,
                                          layout->end - layout->scratch);
}

/* Vectors of the tridiagonal matrix become A's. */
static enum status queue_back(const struct solver_handle *handle, const struct own_eigen *work,
                              const struct layout *layout, CUdeviceptr workspace)
{
    const struct solver_eigen_call *const call = &work->call;
    const struct device_part real = {.address = workspace + layout->real_vectors, .ld = layout->ld,
                                     .rows = call->n, .columns = work->count, .part = PART_FULL};
    enum status status = STATUS_OK;
    if (blas_scalar_parts(call->type) == 2)
        status = matrix_part_widen(handle->library->device, handle->stream, &real,
                                   workspace + layout->vectors, layout->ld, call->type);
    if (status != STATUS_OK || !goes_back(work))
        return status;
    if (layout->in_two_stages) {
        const struct two_stage two_stage = two_stage_of(work, layout, workspace);
        return two_stage_vectors_queue(handle, &two_stage, workspace + layout->vectors, layout->ld,
                                       work->count, workspace + layout->scratch);
    }
    const struct back_transformation back = back_of(work, layout, workspace);
    return back_transformation_queue(handle, &back, workspace + layout->scratch);
}

static enum status queue_vectors(const struct solver_handle *handle, const struct own_eigen *work,
                                 const struct layout *layout, CUdeviceptr workspace)
{
    const struct solver_eigen_call *const call = &work->call;
    const struct device_part vectors = {.address = workspace + layout->vectors, .ld = layout->ld,
                                        .rows = call->n, .columns = work->count, .part = PART_FULL};
    const size_t first = (size_t)work->first * (size_t)call->lda * blas_element_bytes(call->type);
    const struct standard_form form = {.type = call->type, .itype = call->itype, .uplo = call->uplo,
                                       .n = call->n, .factor = call->b, .ld = call->ldb};
    enum status status = queue_back(handle, work, layout, workspace);
    if (status == STATUS_OK && call->itype)
        status = standard_form_vectors(handle, &form, vectors.address, vectors.ld, work->count);
    return status == STATUS_OK ? matrix_part_copy(handle->library->device, handle->stream, &vectors,
                                                  call->a + first, call->lda, call->type)
                               : status;
}

/* INFO of B's factor is looked at before anything is made of it: what is queued behind must not meet what is
 * no number. */
static enum status fetch_factor_info(const struct solver_handle *handle, const struct own_eigen *work,
                                     int *info)
{
    static const char what[] = "waiting for B's factor";
    struct device *const device = handle->library->device;
    int *const home = handle->watch ? handle->watch->number : info;
    enum status status = device_check(
        device,
        driver()->copy_to_host_async(home, work->call.info + sizeof(int), sizeof *info, handle->stream),
        what);
    if (status == STATUS_OK)
        status = handle->watch ? stream_watch_wait(handle->watch, what)
                               : device_check(device, driver()->stream_synchronise(handle->stream), what);
    if (status == STATUS_OK)
        *info = *home;
    return status;
}

/* INFO, and what the reduction makes: one that is told to leave (cooperative.h) leaves it half done, and
 * what is queued behind must not meet what is no number. */
static enum status clear_results(const struct solver_handle *handle, const struct own_eigen *work,
                                 const struct layout *layout, CUdeviceptr workspace)
{
    const size_t values = (size_t)work->call.n * blas_element_bytes(real_type(work->call.type));
    CUresult result = driver()->memory_set_async(work->call.info, 0, 2 * sizeof(int), handle->stream);
    if (result == CUDA_SUCCESS)
        result = driver()->memory_set_async(work->call.w, 0, values, handle->stream);
    if (result == CUDA_SUCCESS)
        result =
            driver()->memory_set_async(workspace + layout->e, 0, layout->info - layout->e, handle->stream);
    return device_check(handle->library->device, result, "clearing results");
}

enum status own_eigen_run(const struct solver_handle *handle, const struct own_eigen *work,
                          CUdeviceptr workspace, size_t device_bytes, void *host_workspace, size_t host_bytes)
{
    struct layout layout;
    enum status status = lay_out(handle, work, &layout);
    if (status == STATUS_OK && (layout.end > device_bytes || layout.host > host_bytes))
        return STATUS_UNSUPPORTED; /* the libraries answer otherwise than when they were asked before */
    if (status == STATUS_OK)
        status = clear_results(handle, work, &layout, workspace);
    int factor_info = 0;
    if (status == STATUS_OK && work->call.itype) {
        status = queue_factor(handle, work, &layout, workspace, host_workspace, host_bytes);
        if (status == STATUS_OK)
            status = fetch_factor_info(handle, work, &factor_info);
        if (factor_info != 0)
            return status; /* what is asked for does not exist */
        if (status == STATUS_OK)
            status = queue_standard(handle, work);
    }
    if (status == STATUS_OK)
        status = queue_reduction(handle, work, &layout, workspace);
    if (layout.in_two_stages && work->count == 0)
        return status; /* that has made the values, too */
    const struct divide_conquer_call division = division_of(work, &layout, workspace);
    if (status == STATUS_OK)
        status = divide_conquer_queue(handle, &division, workspace + layout.scratch);
    return status == STATUS_OK && work->count > 0 ? queue_vectors(handle, work, &layout, workspace) : status;
}
