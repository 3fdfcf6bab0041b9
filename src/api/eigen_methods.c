/* The eigenproblem routines of the native API, done by the eigensolver of src/lapack. */
#include "api/handle.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/singular/own_singular.h"

/* Queues that the diagonal of A becomes real, and that A is scaled (lapack/device_matrix.h). */
static enum status eigen_scale(const struct solver_handle *solver, const struct eigen_call *call,
                               CUdeviceptr scale)
{
    struct device *const device = solver->library->device;
    const enum blas_type type = eigen_call_type(call);
    const size_t element = blas_element_bytes(type);
    const struct device_part a = {.address = eigen_address(call->a),
                                  .ld = call->lda,
                                  .rows = call->n,
                                  .columns = call->n,
                                  .part = call->uplo == MUBLAS_UPPER ? PART_UPPER : PART_LOWER};
    enum status status = STATUS_OK;
    if (blas_scalar_parts(type) == 2)
        status = device_check(
            device,
            driver()->words_set_2d_async(a.address + element / 2, ((size_t)call->lda + 1) * element, 0,
                                         element / 2 / sizeof(uint32_t), (size_t)call->n, solver->stream),
            "clearing a diagonal's imaginary parts");
    return status == STATUS_OK ? matrix_part_scale(device, solver->stream, &a, type, scale) : status;
}

/* sytrd and hetrd. */
static struct tridiagonalisation reduction_of(const struct eigen_call *call)
{
    return (struct tridiagonalisation){.type = eigen_call_type(call),
                                       .uplo = call->uplo == MUBLAS_UPPER ? UPLO_UPPER : UPLO_LOWER,
                                       .n = call->n,
                                       .a = eigen_address(call->a),
                                       .lda = call->lda,
                                       .d = eigen_address(call->d),
                                       .e = eigen_address(call->e),
                                       .tau = eigen_address(call->tau)};
}

static enum status plan_reduction(const struct solver_handle *solver, const struct eigen_call *call,
                                  size_t *bytes)
{
    const struct tridiagonalisation reduction = reduction_of(call);
    const enum status status = tridiagonalisation_workspace(solver, &reduction, bytes);
    *bytes += PART_SCALE_BYTES;
    return status;
}

static enum status queue_reduction(const struct solver_handle *solver, const struct eigen_call *call,
                                   CUdeviceptr workspace, size_t bytes)
{
    const struct tridiagonalisation reduction = reduction_of(call);
    const enum blas_type type = reduction.type;
    const int64_t step = (call->lda + 1) * blas_scalar_parts(type),
                  behind = reduction.uplo == UPLO_UPPER ? call->lda : 1;
    const struct device_vector results[] = {
        {reduction.d, call->n, 1},
        {reduction.e, call->n - 1, 1},
        {reduction.a, call->n, step},
        {reduction.a + (size_t)behind * blas_element_bytes(type), call->n - 1, step}};
    enum status status = eigen_scale(solver, call, workspace);
    if (status == STATUS_OK)
        status = tridiagonalisation_queue(solver, &reduction, workspace + PART_SCALE_BYTES,
                                          bytes - PART_SCALE_BYTES);
    return status == STATUS_OK ? matrix_part_scale_back(solver->library->device, solver->stream, results, 4,
                                                        type, workspace, 0)
                               : status;
}

const struct eigen_method eigen_sytrd = {plan_reduction, queue_reduction};

/* ormtr and unmtr, ormbr and unmbr. */
static struct reflectors_product product_of(const struct eigen_call *call)
{
    const bool right = call->side != MUBLAS_LEFT, is_ormtr = call->routine == EIGEN_ORMTR,
               of_p = !is_ormtr && call->vect == MUBLAS_P;
    const int64_t order = eigen_call_order(call);
    const struct bidiagonal_reflectors reflectors =
        is_ormtr ? (struct bidiagonal_reflectors){order - 1, 1}
                 : bidiagonal_reflectors_of(of_p ? BIDIAGONAL_P : BIDIAGONAL_Q, order, call->k);
    return (struct reflectors_product){.type = eigen_call_type(call),
                                       .is_upper = is_ormtr && call->uplo == MUBLAS_UPPER,
                                       .from = reflectors.from,
                                       .by_rows = of_p,
                                       .order = order,
                                       .count = reflectors.count,
                                       .a = eigen_address(call->a),
                                       .tau = eigen_address(call->tau),
                                       .lda = call->lda,
                                       .side = {.right = right,
                                                .adjoint = call->trans != MUBLAS_NO_TRANS,
                                                .c = {eigen_address(call->c), call->ldc},
                                                .others = right ? call->m : call->n}};
}

static enum status plan_product(const struct solver_handle *solver, const struct eigen_call *call,
                                size_t *bytes)
{
    const struct reflectors_product product = product_of(call);
    (void)solver;
    *bytes = reflectors_product_workspace(&product);
    return STATUS_OK;
}

static enum status queue_product(const struct solver_handle *solver, const struct eigen_call *call,
                                 CUdeviceptr workspace, size_t bytes)
{
    const struct reflectors_product product = product_of(call);
    (void)bytes;
    return reflectors_product_queue(solver, &product, workspace);
}

const struct eigen_method eigen_ormtr = {plan_product, queue_product},
                          eigen_ormbr = {plan_product, queue_product};

/* stedc: where T, the vectors of T, the product with them and the solver's own workspace lie. */
struct layout {
    enum blas_type type, real_type;
    int64_t ld;    /* of all three */
    bool is_apart; /* the vectors of T do not come into Z at once */
    size_t scale, t, vectors, product, scratch, end;
};

static CUdeviceptr column_of_t(const struct layout *layout, CUdeviceptr workspace, int64_t column)
{
    return workspace + layout->t + (size_t)(column * layout->ld) * blas_element_bytes(layout->real_type);
}

static struct divide_conquer_call division_of(const struct eigen_call *call, const struct layout *layout,
                                              CUdeviceptr workspace)
{
    return (struct divide_conquer_call){.type = layout->real_type,
                                        .n = call->n,
                                        .d = column_of_t(layout, workspace, 0),
                                        .e = column_of_t(layout, workspace, 1),
                                        .q = layout->is_apart ? workspace + layout->vectors
                                                              : eigen_address(call->c),
                                        .ldq = layout->is_apart ? layout->ld : call->ldc,
                                        .vectors = call->compz == MUBLAS_COMPZ_NONE ? 0 : call->n,
                                        .info = eigen_address(call->info)};
}

static struct layout lay_out(const struct eigen_call *call)
{
    const enum blas_type type = eigen_call_type(call), real_type = blas_is_single(type) ? TYPE_S : TYPE_D;
    const bool multiplies = call->compz == MUBLAS_COMPZ_ORIGINAL;
    struct layout layout = {.type = type,
                            .real_type = real_type,
                            .ld = (call->n + 31) / 32 * 32,
                            .is_apart =
                                multiplies || (call->compz == MUBLAS_COMPZ_TRIDIAGONAL && type != real_type)};
    const size_t square = (size_t)layout.ld * (size_t)call->n;
    layout.scale = workspace_take(&layout.end, PART_SCALE_BYTES);
    layout.t = workspace_take(&layout.end, 2 * (size_t)layout.ld * blas_element_bytes(real_type));
    layout.vectors =
        workspace_take(&layout.end, layout.is_apart ? square * blas_element_bytes(real_type) : 0);
    layout.product = workspace_take(&layout.end, multiplies ? square * blas_element_bytes(type) : 0);
    const struct divide_conquer_call division = division_of(call, &layout, 0);
    layout.scratch = workspace_take(&layout.end, divide_conquer_workspace(&division));
    return layout;
}

static enum status plan(const struct solver_handle *solver, const struct eigen_call *call, size_t *bytes)
{
    enum { ORDER_MOST = 1 << 26 }; /* whose bytes are a number; no device has the memory for that */
    (void)solver;
    *bytes = call->n <= ORDER_MOST ? lay_out(call).end : 0;
    return *bytes > 0 ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

/* Z becomes Z Q. A complex Z has twice as many real rows; Q is real. */
static enum status multiply(const struct solver_handle *solver, const struct eigen_call *call,
                            const struct layout *layout, CUdeviceptr workspace)
{
    const int64_t parts = blas_scalar_parts(layout->type), n = call->n;
    const struct device_part product = {
        .address = workspace + layout->product, .ld = layout->ld, .rows = n, .columns = n, .part = PART_FULL};
    const int result =
        solver_gemm(solver, layout->real_type, DEVICE_NO_TRANS, DEVICE_NO_TRANS, parts * n, n, n,
                    &device_one[layout->real_type], call->c, parts * call->ldc,
                    device_pointer(workspace + layout->vectors), layout->ld, &device_zero[layout->real_type],
                    device_pointer(product.address), parts * layout->ld);
    const enum status status = solver_blas_status(solver->library, result, "cuBLAS's gemm");
    return status == STATUS_OK ? matrix_part_copy(solver->library->device, solver->stream, &product,
                                                  eigen_address(call->c), call->ldc, layout->type)
                               : status;
}

/* A copy of T, as two columns, that is finite: e is to stay. */
static enum status copy_matrix(const struct solver_handle *solver, const struct eigen_call *call,
                               const struct layout *layout, CUdeviceptr workspace)
{
    struct device *const device = solver->library->device;
    const enum blas_type type = layout->real_type;
    const size_t bytes = 2 * (size_t)layout->ld * blas_element_bytes(type);
    const struct device_part d = {eigen_address(call->d), call->n, call->n, 1, PART_FULL},
                             e = {eigen_address(call->e), call->n, call->n - 1, 1, PART_FULL},
                             t = {workspace + layout->t, layout->ld, call->n, 2, PART_FULL};
    enum status status =
        device_check(device, driver()->memory_set_async(t.address, 0, bytes, solver->stream), "clearing T");
    if (status == STATUS_OK)
        status =
            matrix_part_copy(device, solver->stream, &d, column_of_t(layout, workspace, 0), layout->ld, type);
    if (status == STATUS_OK && call->n > 1)
        status =
            matrix_part_copy(device, solver->stream, &e, column_of_t(layout, workspace, 1), layout->ld, type);
    return status == STATUS_OK
               ? matrix_part_scale(device, solver->stream, &t, type, workspace + layout->scale)
               : status;
}

static enum status bring_values(const struct solver_handle *solver, const struct eigen_call *call,
                                const struct layout *layout, CUdeviceptr workspace)
{
    struct device *const device = solver->library->device;
    const struct device_vector values = {column_of_t(layout, workspace, 0), call->n, 1};
    const struct device_part part = {values.address, call->n, call->n, 1, PART_FULL};
    const enum status status = matrix_part_scale_back(device, solver->stream, &values, 1, layout->real_type,
                                                      workspace + layout->scale, eigen_address(call->info));
    return status == STATUS_OK ? matrix_part_copy(device, solver->stream, &part, eigen_address(call->d),
                                                  call->n, layout->real_type)
                               : status;
}

static enum status bring_vectors(const struct solver_handle *solver, const struct eigen_call *call,
                                 const struct layout *layout, CUdeviceptr workspace)
{
    const struct device_part vectors = {workspace + layout->vectors, layout->ld, call->n, call->n, PART_FULL};
    if (!layout->is_apart)
        return STATUS_OK;
    return call->compz == MUBLAS_COMPZ_ORIGINAL
               ? multiply(solver, call, layout, workspace)
               : matrix_part_widen(solver->library->device, solver->stream, &vectors, eigen_address(call->c),
                                   call->ldc, layout->type);
}

static enum status queue(const struct solver_handle *solver, const struct eigen_call *call,
                         CUdeviceptr workspace, size_t bytes)
{
    const struct layout layout = lay_out(call);
    const struct divide_conquer_call division = division_of(call, &layout, workspace);
    enum status status = copy_matrix(solver, call, &layout, workspace);
    (void)bytes;
    if (status == STATUS_OK)
        status = divide_conquer_queue(solver, &division, workspace + layout.scratch);
    if (status == STATUS_OK)
        status = bring_values(solver, call, &layout, workspace);
    return status == STATUS_OK ? bring_vectors(solver, call, &layout, workspace) : status;
}

const struct eigen_method eigen_stedc = {plan, queue};

/* syevd, syevdx and the Hermitian ones: what their workspace holds. */
enum { RANGE_AT = PART_SCALE_BYTES, INFO_AT = RANGE_AT + VECTOR_RANGE_BYTES, SOLVER_AT = INFO_AT + 256 };

/* An interval's count is not known before. INFO has a second number in front of the program's. */
static struct own_eigen solver_of(const struct eigen_call *call, CUdeviceptr workspace)
{
    const bool is_part = call->routine == EIGEN_SYEVDX && call->range == MUBLAS_INDICES,
               vectors = call->vectors == MUBLAS_VECTORS;
    return (struct own_eigen){.call = {.type = eigen_call_type(call),
                                       .vectors = vectors,
                                       .uplo = call->uplo == MUBLAS_UPPER ? UPLO_UPPER : UPLO_LOWER,
                                       .n = call->n,
                                       .lda = call->lda,
                                       .a = eigen_address(call->a),
                                       .w = eigen_address(call->d),
                                       .info = workspace + INFO_AT},
                              .first = is_part && vectors ? call->il - 1 : 0,
                              .count = !vectors  ? 0
                                       : is_part ? call->iu - call->il + 1
                                                 : call->n,
                              .keeps_other_triangle = true};
}

static enum status plan_values(const struct solver_handle *solver, const struct eigen_call *call,
                               size_t *bytes)
{
    const struct own_eigen own = solver_of(call, 0);
    size_t host_bytes;
    const enum status status = own_eigen_workspace(solver, &own, bytes, &host_bytes);
    *bytes += SOLVER_AT;
    return status;
}

static enum status queue_range(const struct solver_handle *solver, const struct eigen_call *call,
                               CUdeviceptr workspace)
{
    const bool is_part = call->range == MUBLAS_INDICES;
    const struct vector_range range = {.type = eigen_call_type(call),
                                       .n = call->n,
                                       .values = eigen_address(call->d),
                                       .is_interval = call->range == MUBLAS_INTERVAL,
                                       .above = call->vl,
                                       .up_to = call->vu,
                                       .first = is_part ? call->il - 1 : 0,
                                       .count = is_part ? call->iu - call->il + 1 : call->n,
                                       .has_vectors = call->vectors == MUBLAS_VECTORS,
                                       .vectors = eigen_address(call->a),
                                       .ld = call->lda,
                                       .m = eigen_address(call->found)};
    return vector_range_queue(solver->library->device, solver->stream, &range, workspace + RANGE_AT);
}

/* The solver writes two ints where the program has one. */
static enum status copy_info(const struct solver_handle *solver, const struct eigen_call *call,
                             CUdeviceptr workspace)
{
    const struct device_part info = {
        .address = workspace + INFO_AT, .ld = 1, .rows = 1, .columns = 1, .part = PART_FULL};
    return matrix_part_copy(solver->library->device, solver->stream, &info, eigen_address(call->info), 1,
                            TYPE_S);
}

static enum status queue_values(const struct solver_handle *solver, const struct eigen_call *call,
                                CUdeviceptr workspace, size_t bytes)
{
    const struct own_eigen own = solver_of(call, workspace);
    const struct device_vector values = {eigen_address(call->d), call->n, 1};
    struct device *const device = solver->library->device;
    enum status status = eigen_scale(solver, call, workspace);
    if (status == STATUS_OK)
        status = own_eigen_run(solver, &own, workspace + SOLVER_AT, bytes - SOLVER_AT, NULL, 0);
    if (status == STATUS_OK)
        status = matrix_part_scale_back(device, solver->stream, &values, 1, own.call.type, workspace,
                                        own.call.info);
    if (status == STATUS_OK)
        status = copy_info(solver, call, workspace);
    return status == STATUS_OK && call->routine == EIGEN_SYEVDX ? queue_range(solver, call, workspace)
                                                                : status;
}

const struct eigen_method eigen_values = {plan_values, queue_values};
