#include "lapack/singular/own_singular.h"
#include "common/whole_number.h"
#include "gpu/kernels/bidiagonal/bidiagonal_arguments.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"

/* All but the first and the last functions have a matrix that is not wide. Steps one after the other use the same
 * `scratch`. */
struct layout {
    bool by_qr;
    int64_t ld; /* of the square and of real vectors */
    size_t e, tauq, taup, tau, square, real_u, real_v, scratch, end, host;
    size_t reduction_bytes, qr_bytes;
};

static enum blas_type real_type(enum blas_type type)
{
    return blas_is_single(type) ? TYPE_S : TYPE_D;
}

static bool is_complex(const struct own_singular *work)
{
    return blas_scalar_parts(work->type) == 2;
}

static bool has_vectors(const struct own_singular *work)
{
    return work->u.address || work->v.address;
}

/* LAPACK's gesvd takes QR first from about the same ratio on. */
static bool wants_qr(const struct own_singular *work)
{
    return !work->without_qr && 5 * work->m > 8 * work->n;
}

static struct bidiagonalisation reduction_of(const struct own_singular *work, const struct layout *layout,
                                             CUdeviceptr workspace)
{
    return (struct bidiagonalisation){.type = work->type, .m = layout->by_qr ? work->n : work->m, .n = work->n,
                                      .a = layout->by_qr ? workspace + layout->square : work->a,
                                      .lda = layout->by_qr ? layout->ld : work->lda, .d = work->s,
                                      .e = workspace + layout->e, .tauq = workspace + layout->tauq,
                                      .taup = workspace + layout->taup};
}

/* Real vectors of a real matrix come to their place at once. */
static struct bidiagonal_division division_of(const struct own_singular *work, const struct layout *layout,
                                              CUdeviceptr workspace)
{
    const struct bidiagonal_vectors real_u = {work->u.address ? workspace + layout->real_u : 0, layout->ld},
                                    real_v = {work->v.address ? workspace + layout->real_v : 0, layout->ld};
    return (struct bidiagonal_division){.type = real_type(work->type), .n = work->n, .d = work->s,
                                        .e = workspace + layout->e, .u = is_complex(work) ? real_u : work->u,
                                        .v = is_complex(work) ? real_v : work->v, .vectors = work->n,
                                        .info = work->info};
}

static struct bidiagonal_bisection bisection_of(const struct own_singular *work, const struct layout *layout,
                                                CUdeviceptr workspace)
{
    return (struct bidiagonal_bisection){.type = real_type(work->type), .n = work->n, .d = work->s,
                                         .e = workspace + layout->e, .s = work->s};
}

/* U meets the reduction's Q, of the order of what was reduced, and V its P. */
static struct bidiagonal_back back_of(const struct own_singular *work, const struct layout *layout,
                                      CUdeviceptr workspace, enum bidiagonal_side vectors)
{
    const struct bidiagonalisation reduction = reduction_of(work, layout, workspace);
    const bool is_left = vectors == BIDIAGONAL_Q;
    const struct bidiagonal_vectors *const to = is_left ? &work->u : &work->v;
    return (struct bidiagonal_back){.type = work->type, .vectors = vectors,
                                    .order = is_left ? reduction.m : work->n,
                                    .k = is_left ? work->n : reduction.m, .a = reduction.a, .lda = reduction.lda,
                                    .tau = is_left ? reduction.tauq : reduction.taup,
                                    .side = {.c = {to->address, to->ld},
                                             .others = is_left && !layout->by_qr ? work->u_columns : work->n}};
}

/* Reflectors of QR lie as the left ones of a reduction do. */
static struct bidiagonal_back qr_back_of(const struct own_singular *work, const struct layout *layout,
                                         CUdeviceptr workspace)
{
    return (struct bidiagonal_back){.type = work->type, .vectors = BIDIAGONAL_Q, .order = work->m, .k = work->n,
                                    .a = work->a, .lda = work->lda, .tau = workspace + layout->tau,
                                    .side = {.c = {work->u.address, work->u.ld}, .others = work->u_columns}};
}

static enum status ask_qr(const struct solver_handle *handle, const struct own_singular *work,
                          struct layout *layout)
{
    const struct solver_library *const library = handle->library;
    const int type = solver_data_type(work->type);
    if (!layout->by_qr)
        return STATUS_OK;
    if (!library->geqrf || !library->geqrf_buffer)
        return STATUS_UNSUPPORTED;
    const int result = library->geqrf_buffer(handle->solver, handle->params, work->m, work->n, type,
                                             device_pointer(work->a), work->lda, type, NULL, type,
                                             &layout->qr_bytes, &layout->host);
    return result == CUSOLVER_STATUS_SUCCESS && layout->qr_bytes < SIZE_MAX / 2 && layout->host < SIZE_MAX / 2
               ? STATUS_OK
               : STATUS_UNSUPPORTED;
}

static size_t more(size_t a, size_t b) { return a > b ? a : b; }

/* The steps after the reduction need so much. */
static size_t later_bytes(const struct own_singular *work, const struct layout *layout)
{
    const struct bidiagonal_division division = division_of(work, layout, 0);
    const struct bidiagonal_bisection bisection = bisection_of(work, layout, 0);
    if (!has_vectors(work))
        return bidiagonal_bisection_workspace(&bisection);
    size_t bytes = bidiagonal_division_workspace(&division);
    for (enum bidiagonal_side side = BIDIAGONAL_Q; side <= BIDIAGONAL_P; side++) {
        const struct bidiagonal_back back = back_of(work, layout, 0, side);
        if (back.side.c.address)
            bytes = more(bytes, bidiagonal_back_workspace(&back));
    }
    const struct bidiagonal_back qr_back = qr_back_of(work, layout, 0);
    return layout->by_qr && work->u.address ? more(bytes, bidiagonal_back_workspace(&qr_back)) : bytes;
}

static enum status lay_out(const struct solver_handle *handle, const struct own_singular *work,
                           struct layout *layout)
{
    const size_t element = blas_element_bytes(work->type), real = blas_element_bytes(real_type(work->type)),
                 n = (size_t)work->n;
    *layout = (struct layout){.by_qr = wants_qr(work), .ld = (work->n + 31) / 32 * 32};
    const size_t square = (size_t)layout->ld * n;
    size_t *const end = &layout->end;
    layout->e = workspace_take(end, n * real);
    layout->tauq = workspace_take(end, n * element);
    layout->taup = workspace_take(end, n * element);
    layout->tau = workspace_take(end, layout->by_qr ? n * element : 0);
    layout->square = workspace_take(end, layout->by_qr ? square * element : 0);
    layout->real_u = workspace_take(end, is_complex(work) && work->u.address ? square * real : 0);
    layout->real_v = workspace_take(end, is_complex(work) && work->v.address ? square * real : 0);
    const struct bidiagonalisation reduction = reduction_of(work, layout, 0);
    enum status status = ask_qr(handle, work, layout);
    if (status == STATUS_OK)
        status = bidiagonalisation_workspace(handle, &reduction, &layout->reduction_bytes);
    if (status == STATUS_OK)
        layout->scratch = workspace_take(
            end, more(more(layout->reduction_bytes, layout->qr_bytes), later_bytes(work, layout)));
    return status;
}

/* INFO, and what the reduction makes: one that is told to leave (cooperative.h) leaves it half done, and what is
 * queued behind must not meet what is no number. */
static enum status clear_results(const struct solver_handle *handle, const struct own_singular *work,
                                 const struct layout *layout, CUdeviceptr workspace)
{
    const size_t values = (size_t)work->n * blas_element_bytes(real_type(work->type));
    CUresult result = driver()->memory_set_async(work->info, 0, 2 * sizeof(int), handle->stream);
    if (result == CUDA_SUCCESS)
        result = driver()->memory_set_async(work->s, 0, values, handle->stream);
    if (result == CUDA_SUCCESS)
        result = driver()->memory_set_async(workspace + layout->e, 0, layout->tau - layout->e, handle->stream);
    return device_check(handle->library->device, result, "clearing results");
}

/* R comes into the square. */
static enum status queue_qr(const struct solver_handle *handle, const struct own_singular *work,
                            const struct layout *layout, CUdeviceptr workspace, void *host_workspace,
                            size_t host_bytes)
{
    const int type = solver_data_type(work->type);
    const CUdeviceptr square = workspace + layout->square;
    const struct device_part r = {work->a, work->lda, work->n, work->n, PART_UPPER};
    const int result = handle->library->geqrf(handle->solver, handle->params, work->m, work->n, type,
                                              device_pointer(work->a), work->lda, type,
                                              device_pointer(workspace + layout->tau), type,
                                              device_pointer(workspace + layout->scratch), layout->qr_bytes,
                                              host_workspace, host_bytes,
                                              device_pointer(work->info + sizeof(int)));
    enum status status = solver_status(handle->library, result, "cuSOLVER's geqrf");
    if (status == STATUS_OK)
        status = device_check(handle->library->device,
                              driver()->memory_set_async(square, 0, layout->real_u - layout->square,
                                                         handle->stream),
                              "clearing a square");
    return status == STATUS_OK ? matrix_part_copy(handle->library->device, handle->stream, &r, square,
                                                  layout->ld, work->type)
                               : status;
}

/* Vectors of a bidiagonal matrix become complex. */
static enum status queue_widening(const struct solver_handle *handle, const struct own_singular *work,
                                  CUdeviceptr real, int64_t ld, const struct bidiagonal_vectors *to)
{
    const struct device_part from = {real, ld, work->n, work->n, PART_FULL};
    if (!is_complex(work) || !to->address)
        return STATUS_OK;
    return matrix_part_widen(handle->library->device, handle->stream, &from, to->address, to->ld, work->type);
}

/* Words of a matrix become 0. */
static CUresult clear_block(const struct solver_handle *handle, CUdeviceptr address, size_t pitch, size_t bytes,
                            int64_t columns)
{
    if (bytes == 0 || columns == 0)
        return CUDA_SUCCESS;
    return driver()->words_set_2d_async(address, pitch, 0, bytes / sizeof(uint32_t), (size_t)columns,
                                        handle->stream);
}

/* U has n x n vectors; what is beside them becomes the identity's. */
static enum status queue_rest_of_u(const struct solver_handle *handle, const struct own_singular *work)
{
    const size_t element = blas_element_bytes(work->type), pitch = (size_t)work->u.ld * element,
                 n = (size_t)work->n, m = (size_t)work->m;
    const int64_t others = work->u_columns - work->n;
    const bool is_single = blas_is_single(work->type);
    const CUdeviceptr beside = work->u.address + n * pitch, one = beside + n * element;
    CUresult result = clear_block(handle, work->u.address + n * element, pitch, (m - n) * element, work->n);
    if (result == CUDA_SUCCESS)
        result = clear_block(handle, beside, pitch, m * element, others);
    if (result == CUDA_SUCCESS && others > 0) /* only the last 32 bits of 1 are not 0, in either precision */
        result = driver()->words_set_2d_async(one + (is_single ? 0 : sizeof(uint32_t)), pitch + element,
                                              is_single ? 0x3f800000 : 0x3ff00000, 1, (size_t)others,
                                              handle->stream);
    return device_check(handle->library->device, result, "making left vectors' other rows and columns");
}

static enum status queue_left(const struct solver_handle *handle, const struct own_singular *work,
                              const struct layout *layout, CUdeviceptr workspace)
{
    const CUdeviceptr scratch = workspace + layout->scratch;
    const struct bidiagonal_back back = back_of(work, layout, workspace, BIDIAGONAL_Q),
                                 qr_back = qr_back_of(work, layout, workspace);
    enum status status = queue_widening(handle, work, workspace + layout->real_u, layout->ld, &work->u);
    if (status == STATUS_OK && layout->by_qr)
        status = bidiagonal_back_queue(handle, &back, scratch);
    if (status == STATUS_OK)
        status = queue_rest_of_u(handle, work);
    return status == STATUS_OK ? bidiagonal_back_queue(handle, layout->by_qr ? &qr_back : &back, scratch)
                               : status;
}

static enum status queue_vectors(const struct solver_handle *handle, const struct own_singular *work,
                                 const struct layout *layout, CUdeviceptr workspace)
{
    const struct bidiagonal_back back = back_of(work, layout, workspace, BIDIAGONAL_P);
    const enum status status =
        work->u.address ? queue_left(handle, work, layout, workspace) : STATUS_OK;
    if (status != STATUS_OK || !work->v.address)
        return status;
    const enum status widened =
        queue_widening(handle, work, workspace + layout->real_v, layout->ld, &work->v);
    return widened == STATUS_OK ? bidiagonal_back_queue(handle, &back, workspace + layout->scratch) : widened;
}

static enum status run(const struct solver_handle *handle, const struct own_singular *work,
                       CUdeviceptr workspace, size_t device_bytes, void *host_workspace, size_t host_bytes)
{
    struct layout layout;
    enum status status = lay_out(handle, work, &layout);
    if (status == STATUS_OK && (layout.end > device_bytes || layout.host > host_bytes))
        return STATUS_UNSUPPORTED; /* the libraries answer otherwise than when they were asked before */
    const CUdeviceptr scratch = workspace + layout.scratch;
    const struct bidiagonalisation reduction = reduction_of(work, &layout, workspace);
    const struct bidiagonal_division division = division_of(work, &layout, workspace);
    const struct bidiagonal_bisection bisection = bisection_of(work, &layout, workspace);
    if (status == STATUS_OK)
        status = clear_results(handle, work, &layout, workspace);
    if (status == STATUS_OK && layout.by_qr)
        status = queue_qr(handle, work, &layout, workspace, host_workspace, host_bytes);
    if (status == STATUS_OK)
        status = bidiagonalisation_queue(handle, &reduction, scratch, layout.end - layout.scratch);
    if (status == STATUS_OK && !has_vectors(work))
        return bidiagonal_bisection_queue(handle, &bisection, scratch);
    if (status == STATUS_OK)
        status = bidiagonal_division_queue(handle, &division, scratch);
    return status == STATUS_OK ? queue_vectors(handle, work, &layout, workspace) : status;
}

static int64_t turned_ld(const struct own_singular *work)
{
    return round_up(work->n, ADJOINT_UNIT);
}

/* The conjugate transpose of a wide matrix lies in front of the other workspace. */
static size_t turned_bytes(const struct own_singular *work)
{
    return work->m >= work->n ? 0
                              : device_aligned((size_t)(turned_ld(work) * work->m) *
                                               blas_element_bytes(work->type));
}

/* A' = V S U'. */
static struct own_singular turned_of(const struct own_singular *work, CUdeviceptr workspace)
{
    struct own_singular turned = *work;
    if (work->m >= work->n)
        return turned;
    turned.m = work->n, turned.n = work->m;
    turned.a = workspace, turned.lda = turned_ld(work);
    turned.u = work->v, turned.v = work->u;
    turned.u_columns = work->v_columns, turned.v_columns = work->u_columns;
    return turned;
}

enum status own_singular_adjoint_queue(const struct solver_handle *handle, enum blas_type type,
                          const struct device_part *from, CUdeviceptr to, int64_t to_ld)
{
    enum { TURN_THREADS = 8 * BIDIAGONAL_TILE, BLOCKS_EACH = 8 };
    static const enum kernel kernels[] = {[TYPE_S] = KERNEL_sgebrd_copy, [TYPE_D] = KERNEL_dgebrd_copy,
                                          [TYPE_C] = KERNEL_cgebrd_copy, [TYPE_Z] = KERNEL_zgebrd_copy};
    struct device *const device = handle->library->device;
    struct bidiagonal_copy_arguments arguments = {.from = device_pointer(from->address), .to = device_pointer(to),
                                                  .from_ld = from->ld, .to_ld = to_ld, .rows = from->columns,
                                                  .columns = from->rows, .adjoint = true};
    return device_launch(device, handle->stream, kernels[type],
                         (unsigned)device_kernels(device)->multiprocessors * BLOCKS_EACH, TURN_THREADS,
                         BIDIAGONAL_TILE * (BIDIAGONAL_TILE + 1) * blas_element_bytes(type), &arguments);
}

static enum status queue_turn(const struct solver_handle *handle, const struct own_singular *work,
                              CUdeviceptr workspace)
{
    const struct device_part a = {work->a, work->lda, work->m, work->n, PART_FULL};
    return own_singular_adjoint_queue(handle, work->type, &a, workspace, turned_ld(work));
}

enum status own_singular_workspace(const struct solver_handle *handle, const struct own_singular *work,
                                   size_t *device_bytes, size_t *host_bytes)
{
    const struct own_singular turned = turned_of(work, 0);
    struct layout layout;
    const enum status status = lay_out(handle, &turned, &layout);
    *device_bytes = turned_bytes(work) + layout.end;
    *host_bytes = layout.host;
    return status;
}

enum status own_singular_run(const struct solver_handle *handle, const struct own_singular *work,
                             CUdeviceptr workspace, size_t device_bytes, void *host_workspace,
                             size_t host_bytes)
{
    const struct own_singular turned = turned_of(work, workspace);
    const size_t before = turned_bytes(work);
    if (device_bytes < before)
        return STATUS_UNSUPPORTED;
    const enum status status = before > 0 ? queue_turn(handle, work, workspace) : STATUS_OK;
    return status == STATUS_OK ? run(handle, &turned, workspace + before, device_bytes - before, host_workspace,
                                     host_bytes)
                               : status;
}
