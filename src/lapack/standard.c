/* standard_describe: reduction.h. It completes A's triangle to a square and multiplies or solves from both
 * sides: twice LAPACK's operations, all of them level 3. */
#include "lapack/device_matrix.h"
#include "lapack/reduction.h"
#include "lapack/route_values.h"
#include "lapack/standard_form.h"

enum { MATRIX_A, FACTOR };
enum { VECTOR_DIAGONAL };

static enum status plan(struct route *route, const struct solver_handle *handle)
{
    (void)route, (void)handle;
    return STATUS_OK;
}

static enum status queue(struct route *route, const struct solver_handle *handle)
{
    const struct reduction_problem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[MATRIX_A];
    const struct route_operand *const factor = &route->operands[FACTOR];
    const struct device_part part = {.address = a->address, .ld = a->ld, .rows = problem->n,
                                     .columns = problem->n,
                                     .part = problem->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER};
    const struct standard_form form = {.type = route->type, .itype = problem->itype, .uplo = problem->uplo,
                                       .n = problem->n, .factor = factor->address, .ld = factor->ld};
    enum status status = device_matrix_clear_imaginary(route, handle, MATRIX_A);
    if (status == STATUS_OK)
        status = matrix_part_complete(handle->library->device, handle->stream, &part, route->type);
    if (status == STATUS_OK)
        status = standard_form_apply(handle, &form, a->address, a->ld);
    if (status == STATUS_OK)
        status = device_matrix_clear_imaginary(route, handle, MATRIX_A);
    if (status == STATUS_OK)
        status = device_matrix_copy_diagonal(route, handle, MATRIX_A, problem->n, VECTOR_DIAGONAL);
    return status;
}

/* Level 3 has no INFO. The diagonal shows an overflow. */
static bool judge(struct route *route)
{
    const struct reduction_problem *const problem = route->problem;
    return route_values_are_finite(problem->diagonal, problem->n * blas_scalar_parts(route->type),
                                   route->type);
}

void standard_describe(struct reduction_problem *problem, struct route *route)
{
    static const struct route_method method = {plan, queue, judge};
    const bool hermitian = blas_scalar_parts(route->type) == 2;
    const struct route_operand room = {.rows = problem->n, .columns = problem->n};
    route->method = &method;
    for (int i = MATRIX_A; i <= FACTOR; i++)
        route->operands[i] = room;
    route->operands[MATRIX_A].up = problem->a;
    route->operands[MATRIX_A].hermitian = hermitian;
    route->operands[FACTOR].up = problem->b;
    route->operands[FACTOR].diagonal = problem->itype == 1 ? DIAGONAL_REAL_NONZERO : DIAGONAL_ANY;
    route->operands[MATRIX_A].home = problem->a;
    route->vectors[VECTOR_DIAGONAL] = (struct route_vector){
        .bytes = (size_t)problem->n * blas_element_bytes(route->type), .values = problem->diagonal};
}
