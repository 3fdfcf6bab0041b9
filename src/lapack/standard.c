/* standard_describe: reduction.h. It completes A's triangle to a square and multiplies or solves from both
 * sides: twice LAPACK's operations, all of them level 3. */
#include "gpu/solver_blas.h"
#include "lapack/device_matrix.h"
#include "lapack/reduction.h"
#include "lapack/route_values.h"

enum { MATRIX_A, FACTOR, SQUARE, IDENTITY };
enum { VECTOR_DIAGONAL };

static enum status plan(struct route *route, const struct solver_handle *handle)
{
    (void)route, (void)handle;
    return STATUS_OK;
}

static int fill_of(const struct reduction_problem *problem)
{
    return problem->uplo == UPLO_UPPER ? DEVICE_UPPER : DEVICE_LOWER;
}

static enum status make_square(struct route *route, const struct solver_handle *handle)
{
    const struct reduction_problem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[MATRIX_A], *const unit = &route->operands[IDENTITY],
                              *const square = &route->operands[SQUARE];
    const enum blas_type type = route->type;
    const enum status status = device_matrix_set_identity(route, handle, IDENTITY, problem->n);
    if (status != STATUS_OK)
        return status;
    return solver_blas_status(handle->library,
                              solver_hemm(handle, type, DEVICE_LEFT, fill_of(problem), problem->n, problem->n,
                                          &device_one[type], route_pointer(a->address), a->ld, route_pointer(unit->address),
                                          unit->ld, &device_zero[type], route_pointer(square->address), square->ld),
                              "cuBLAS's symm");
}

/* Applies the factor from one side, or for ITYPE 1 its inverse. */
static enum status apply(struct route *route, const struct solver_handle *handle, int side, int trans)
{
    const struct reduction_problem *const problem = route->problem;
    const struct route_operand *const factor = &route->operands[FACTOR], *const square = &route->operands[SQUARE];
    const enum blas_type type = route->type;
    const int64_t n = problem->n;
    void *const x = route_pointer(square->address), *const b = route_pointer(factor->address);
    const int result = problem->itype == 1
                           ? solver_trsm(handle, type, side, fill_of(problem), trans, DEVICE_NON_UNIT, n, n, &device_one[type],
                                         b, factor->ld, x, square->ld)
                           : solver_trmm(handle, type, side, fill_of(problem), trans, DEVICE_NON_UNIT, n, n, &device_one[type],
                                         b, factor->ld, x, square->ld, x, square->ld);
    return solver_blas_status(handle->library, result, "cuBLAS's trsm or trmm");
}

/* inv(U') A inv(U), inv(L) A inv(L'); U A U', L' A L. */
static enum status queue(struct route *route, const struct solver_handle *handle)
{
    const struct reduction_problem *const problem = route->problem;
    const bool left_is_turned = (problem->itype == 1) == (problem->uplo == UPLO_UPPER);
    enum status status = make_square(route, handle);
    if (status == STATUS_OK)
        status = apply(route, handle, DEVICE_LEFT, left_is_turned ? DEVICE_CONJUGATE_TRANS : DEVICE_NO_TRANS);
    if (status == STATUS_OK)
        status = apply(route, handle, DEVICE_RIGHT, left_is_turned ? DEVICE_NO_TRANS : DEVICE_CONJUGATE_TRANS);
    if (status == STATUS_OK)
        status = device_matrix_clear_imaginary(route, handle, SQUARE);
    if (status == STATUS_OK)
        status = device_matrix_copy_diagonal(route, handle, SQUARE, problem->n, VECTOR_DIAGONAL);
    return status;
}

/* Level 3 has no INFO. The diagonal shows an overflow. */
static bool judge(struct route *route)
{
    const struct reduction_problem *const problem = route->problem;
    return route_values_are_finite(problem->diagonal, problem->n * blas_scalar_parts(route->type), route->type);
}

void standard_describe(struct reduction_problem *problem, struct route *route)
{
    static const struct route_method method = {plan, queue, judge};
    const bool hermitian = blas_scalar_parts(route->type) == 2;
    const struct route_operand room = {.rows = problem->n, .columns = problem->n};
    route->method = &method;
    for (int i = MATRIX_A; i <= IDENTITY; i++)
        route->operands[i] = room;
    route->operands[MATRIX_A].up = problem->a;
    route->operands[MATRIX_A].hermitian = hermitian;
    route->operands[FACTOR].up = problem->b;
    route->operands[FACTOR].diagonal = problem->itype == 1 ? DIAGONAL_REAL_NONZERO : DIAGONAL_ANY;
    route->operands[SQUARE].home = problem->a;
    route->vectors[VECTOR_DIAGONAL] =
        (struct route_vector){.bytes = (size_t)problem->n * blas_element_bytes(route->type), .values = problem->diagonal};
}
