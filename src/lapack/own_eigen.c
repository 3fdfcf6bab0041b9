#include "lapack/own_eigen.h"
#include "gpu/solver_blas.h"
#include "lapack/device_matrix.h"
#include "lapack/divide_conquer.h"
#include "lapack/matrix_part.h"
#include "lapack/standard_form.h"
#include "lapack/tridiagonalisation.h"
#include "lapack/two_stage/two_stage.h"

#include <limits.h>

enum { ALIGNMENT = 256 };

/* The order from which two stages are the faster way to values alone. */
static const int64_t two_stages_from[] = {
    [TYPE_S] = 4096, [TYPE_D] = 4096, [TYPE_C] = INT64_MAX, [TYPE_Z] = INT64_MAX};

/* Steps one after the other use the same `scratch`. */
struct layout {
    bool in_two_stages;
    int64_t ld; /* of vectors */
    size_t e, tau, info, real_vectors, vectors, scratch, end, host;
    size_t factor_bytes;
    int back_elements; /* of ormtr's workspace */
};

static size_t take(size_t *end, size_t bytes)
{
    const size_t at = *end;
    *end += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static void *pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

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
                                       .tau = workspace + layout->tau};
}

static struct divide_conquer_call division_of(const struct own_eigen *work, const struct layout *layout,
                                              CUdeviceptr workspace)
{
    const bool is_complex = blas_scalar_parts(work->call.type) == 2;
    return (struct divide_conquer_call){.type = real_type(work->call.type), .n = work->call.n, .d = work->call.w,
                                        .e = workspace + layout->e, .ldq = layout->ld, .first_vector = work->first,
                                        .q = workspace + (is_complex ? layout->real_vectors : layout->vectors),
                                        .vectors = work->count, .info = work->call.info};
}

static struct two_stage two_stage_of(const struct own_eigen *work)
{
    const struct solver_eigen_call *const call = &work->call;
    return (struct two_stage){.type = call->type, .uplo = call->uplo, .n = call->n, .a = call->a, .lda = call->lda,
                              .w = call->w};
}

static bool wants_two_stages(const struct own_eigen *work)
{
    return work->count == 0 && blas_scalar_parts(work->call.type) == 1 &&
           (work->way == OWN_EIGEN_TWO_STAGES ||
            (work->way == OWN_EIGEN_BY_ORDER && work->call.n >= two_stages_from[work->call.type]));
}

static bool goes_back(const struct own_eigen *work)
{
    return work->count > 0 && work->call.n > 1;
}

static enum status ask_back(const struct solver_handle *handle, const struct own_eigen *work, struct layout *layout)
{
    const struct solver_eigen_call *const call = &work->call;
    const struct solver_library *const library = handle->library;
    layout->back_elements = 0;
    if (!goes_back(work))
        return STATUS_OK;
    if (!library->ormtr[call->type] || !library->ormtr_buffer[call->type] || call->n * call->lda >= INT_MAX ||
        layout->ld * work->count >= INT_MAX)
        return STATUS_UNSUPPORTED;
    const int result = library->ormtr_buffer[call->type](
        handle->solver, DEVICE_LEFT, fill_of(work), DEVICE_NO_TRANS, (int)call->n, (int)work->count, pointer(call->a),
        (int)call->lda, pointer(call->a), pointer(call->a), (int)layout->ld, &layout->back_elements);
    return result == CUSOLVER_STATUS_SUCCESS && layout->back_elements >= 0 ? STATUS_OK : STATUS_UNSUPPORTED;
}

static enum status ask_factor(const struct solver_handle *handle, const struct own_eigen *work, struct layout *layout)
{
    const struct solver_eigen_call *const call = &work->call;
    const int type = solver_data_type(call->type);
    layout->factor_bytes = layout->host = 0;
    if (!call->itype)
        return STATUS_OK;
    const int result = handle->library->potrf_buffer(handle->solver, handle->params, fill_of(work), call->n, type,
                                                     pointer(call->b), call->ldb, type, &layout->factor_bytes,
                                                     &layout->host);
    return result == CUSOLVER_STATUS_SUCCESS && layout->factor_bytes < SIZE_MAX / 2 && layout->host < SIZE_MAX / 2
               ? STATUS_OK
               : STATUS_UNSUPPORTED;
}

static enum status lay_out(const struct solver_handle *handle, const struct own_eigen *work, struct layout *layout)
{
    const enum blas_type type = work->call.type;
    const size_t element = blas_element_bytes(type), real = blas_element_bytes(real_type(type));
    const size_t n = (size_t)work->call.n, count = (size_t)work->count;
    *layout = (struct layout){.ld = ((int64_t)n + 31) / 32 * 32};
    if (work->call.itype > 1)
        return STATUS_UNSUPPORTED;
    size_t *const end = &layout->end, reduction_bytes = 0, two_stage_bytes = 0;
    layout->e = take(end, n * real);
    layout->tau = take(end, n * element);
    layout->info = take(end, sizeof(int));
    layout->real_vectors = take(end, element > real ? (size_t)layout->ld * count * real : 0);
    layout->vectors = take(end, (size_t)layout->ld * count * element);
    const struct tridiagonalisation reduction = reduction_of(work, layout, 0);
    const struct divide_conquer_call division = division_of(work, layout, 0);
    enum status status = ask_back(handle, work, layout);
    if (status == STATUS_OK)
        status = ask_factor(handle, work, layout);
    const struct two_stage two_stage = two_stage_of(work);
    if (status == STATUS_OK && wants_two_stages(work))
        layout->in_two_stages = two_stage_workspace(handle, &two_stage, &two_stage_bytes) == STATUS_OK;
    if (status == STATUS_OK && !layout->in_two_stages)
        status = tridiagonalisation_workspace(handle, &reduction, &reduction_bytes);
    if (status != STATUS_OK)
        return status;
    const size_t of_steps[] = {layout->in_two_stages ? two_stage_bytes : reduction_bytes,
                               layout->in_two_stages ? 0 : divide_conquer_workspace(&division), layout->factor_bytes,
                               (size_t)layout->back_elements * element};
    size_t scratch = 0;
    for (size_t i = 0; i < sizeof of_steps / sizeof *of_steps; i++)
        scratch = of_steps[i] > scratch ? of_steps[i] : scratch;
    layout->scratch = take(end, scratch);
    return STATUS_OK;
}

enum status own_eigen_workspace(const struct solver_handle *handle, const struct own_eigen *work, size_t *device_bytes,
                                size_t *host_bytes)
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
                                              pointer(call->b), call->ldb, type, pointer(workspace + layout->scratch),
                                              layout->factor_bytes, host_workspace, host_bytes,
                                              pointer(call->info + sizeof(int)));
    return solver_status(handle->library, result, "cuSOLVER's potrf");
}

/* A becomes the matrix of the standard problem. */
static enum status queue_standard(const struct solver_handle *handle, const struct own_eigen *work)
{
    const struct solver_eigen_call *const call = &work->call;
    const struct device_part a = {.address = call->a, .ld = call->lda, .rows = call->n, .columns = call->n,
                                  .part = call->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER};
    const struct standard_form form = {.type = call->type, .itype = call->itype, .uplo = call->uplo, .n = call->n,
                                       .factor = call->b, .ld = call->ldb};
    const enum status status = matrix_part_complete(handle->library->device, handle->stream, &a, call->type);
    return status == STATUS_OK ? standard_form_apply(handle, &form, call->a, call->lda) : status;
}

/* Vectors of the tridiagonal matrix become A's. */
static enum status queue_back(const struct solver_handle *handle, const struct own_eigen *work,
                              const struct layout *layout, CUdeviceptr workspace)
{
    const struct solver_eigen_call *const call = &work->call;
    const struct device_part real = {.address = workspace + layout->real_vectors, .ld = layout->ld, .rows = call->n,
                                     .columns = work->count, .part = PART_FULL};
    enum status status = STATUS_OK;
    if (blas_scalar_parts(call->type) == 2)
        status = matrix_part_widen(handle->library->device, handle->stream, &real, workspace + layout->vectors,
                                   layout->ld, call->type);
    if (status != STATUS_OK || !goes_back(work))
        return status;
    const int result = handle->library->ormtr[call->type](
        handle->solver, DEVICE_LEFT, fill_of(work), DEVICE_NO_TRANS, (int)call->n, (int)work->count, pointer(call->a),
        (int)call->lda, pointer(workspace + layout->tau), pointer(workspace + layout->vectors), (int)layout->ld,
        pointer(workspace + layout->scratch), layout->back_elements, pointer(workspace + layout->info));
    return solver_status(handle->library, result, "cuSOLVER's ormtr");
}

static enum status queue_vectors(const struct solver_handle *handle, const struct own_eigen *work,
                                 const struct layout *layout, CUdeviceptr workspace)
{
    const struct solver_eigen_call *const call = &work->call;
    const struct device_part vectors = {.address = workspace + layout->vectors, .ld = layout->ld, .rows = call->n,
                                        .columns = work->count, .part = PART_FULL};
    const size_t first = (size_t)work->first * (size_t)call->lda * blas_element_bytes(call->type);
    const struct standard_form form = {.type = call->type, .itype = call->itype, .uplo = call->uplo, .n = call->n,
                                       .factor = call->b, .ld = call->ldb};
    enum status status = queue_back(handle, work, layout, workspace);
    if (status == STATUS_OK && call->itype)
        status = standard_form_vectors(handle, &form, vectors.address, vectors.ld, work->count);
    return status == STATUS_OK ? matrix_part_copy(handle->library->device, handle->stream, &vectors, call->a + first,
                                                  call->lda, call->type)
                               : status;
}

/* INFO of B's factor is looked at before anything is made of it: what is queued behind must not meet what is no number. */
static enum status fetch_factor_info(const struct solver_handle *handle, const struct own_eigen *work, int *info)
{
    CUresult result =
        driver()->copy_to_host_async(info, work->call.info + sizeof(int), sizeof *info, handle->stream);
    if (result == CUDA_SUCCESS)
        result = driver()->stream_synchronise(handle->stream);
    return device_check(handle->library->device, result, "waiting for B's factor");
}

enum status own_eigen_run(const struct solver_handle *handle, const struct own_eigen *work, CUdeviceptr workspace,
                          size_t device_bytes, void *host_workspace, size_t host_bytes)
{
    struct layout layout;
    enum status status = lay_out(handle, work, &layout);
    if (status == STATUS_OK && (layout.end > device_bytes || layout.host > host_bytes))
        return STATUS_UNSUPPORTED; /* the libraries answer otherwise than when they were asked before */
    if (status == STATUS_OK)
        status = device_check(handle->library->device,
                              driver()->memory_set_async(work->call.info, 0, 2 * sizeof(int), handle->stream),
                              "zeroing INFO");
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
    const struct two_stage two_stage = two_stage_of(work);
    if (status == STATUS_OK && layout.in_two_stages)
        return two_stage_queue(handle, &two_stage, workspace + layout.scratch);
    const struct tridiagonalisation reduction = reduction_of(work, &layout, workspace);
    if (status == STATUS_OK)
        status = tridiagonalisation_queue(handle, &reduction, workspace + layout.scratch,
                                          layout.end - layout.scratch);
    const struct divide_conquer_call division = division_of(work, &layout, workspace);
    if (status == STATUS_OK)
        status = divide_conquer_queue(handle, &division, workspace + layout.scratch);
    return status == STATUS_OK && work->count > 0 ? queue_vectors(handle, work, &layout, workspace) : status;
}
