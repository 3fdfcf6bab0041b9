/* syevd, syevdx and the Hermitian ones of the native API. */
#include "api/eigen_call.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/eigensolver/vector_range.h"
#include "lapack/matrix_part.h"

enum { RANGE_AT = PART_SCALE_BYTES, INFO_AT = RANGE_AT + VECTOR_RANGE_BYTES, SOLVER_AT = INFO_AT + 256 };

/* Of an interval nothing is known before. INFO has a second number in front of the program's. */
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

static enum status plan(const struct solver_handle *solver, const struct eigen_call *call, size_t *bytes)
{
    const struct own_eigen own = solver_of(call, 0);
    size_t host_bytes;
    const enum status status = own_eigen_workspace(solver, &own, bytes, &host_bytes);
    *bytes += SOLVER_AT;
    return status;
}

static enum status choose(const struct solver_handle *solver, const struct eigen_call *call,
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

static enum status queue(const struct solver_handle *solver, const struct eigen_call *call,
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
    return status == STATUS_OK && call->routine == EIGEN_SYEVDX ? choose(solver, call, workspace) : status;
}

const struct eigen_method eigen_values = {plan, queue};
