/* sytrd, hetrd, ormtr and unmtr of the native API. */
#include "api/eigen_call.h"
#include "lapack/eigensolver/back_transformation.h"
#include "lapack/eigensolver/tridiagonalisation.h"
#include "lapack/matrix_part.h"

enum status eigen_scale(const struct solver_handle *solver, const struct eigen_call *call, CUdeviceptr scale)
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

static struct back_transformation product_of(const struct eigen_call *call)
{
    const bool right = call->side != MUBLAS_LEFT;
    return (struct back_transformation){.type = eigen_call_type(call),
                                        .uplo = call->uplo == MUBLAS_UPPER ? UPLO_UPPER : UPLO_LOWER,
                                        .n = eigen_call_order(call),
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
    const struct back_transformation product = product_of(call);
    (void)solver;
    *bytes = back_transformation_workspace(&product);
    return STATUS_OK;
}

static enum status queue_product(const struct solver_handle *solver, const struct eigen_call *call,
                                 CUdeviceptr workspace, size_t bytes)
{
    const struct back_transformation product = product_of(call);
    (void)bytes;
    return back_transformation_queue(solver, &product, workspace);
}

const struct eigen_method eigen_ormtr = {plan_product, queue_product};
