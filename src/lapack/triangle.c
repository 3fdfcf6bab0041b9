/* triangle_describe: the inverse of a triangular matrix. */
#include "lapack/factor.h"

static int diag_of(const struct route *route)
{
    return factor_problem_of(route)->diag == DIAG_UNIT ? DEVICE_UNIT : DEVICE_NON_UNIT;
}

static enum status plan(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    size_t device_bytes = SIZE_MAX, host_bytes = SIZE_MAX;
    if (!handle->library->trtri || !handle->library->trtri_buffer)
        return STATUS_UNSUPPORTED;
    const int result = handle->library->trtri_buffer(
        handle->solver, factor_fill(problem), diag_of(route), problem->n, solver_data_type(route->type),
        factor_operand(route, FACTOR_A), route->operands[FACTOR_A].ld, &device_bytes, &host_bytes);
    return route_reserve(route, result, device_bytes, host_bytes);
}

static enum status queue(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const enum status status = problem->diag == DIAG_UNIT
                                   ? device_matrix_set_unit_diagonal(route, handle, FACTOR_A, problem->n)
                                   : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    const int result = handle->library->trtri(
        handle->solver, factor_fill(problem), diag_of(route), problem->n, solver_data_type(route->type),
        factor_operand(route, FACTOR_A), route->operands[FACTOR_A].ld, device_pointer(route->workspace),
        route->device_workspace_bytes, route->host_workspace, route->host_workspace_bytes,
        factor_info(route, 0));
    return solver_status(handle->library, result, "cuSOLVER's trtri");
}

/* Without its diagonal a triangle is one of order n - 1 that begins a row or a column later. */
static struct blas_matrix strict_part(const struct factor_problem *problem)
{
    const int64_t elements = problem->uplo == UPLO_UPPER ? problem->a.ld : 1;
    struct blas_matrix part = problem->a;
    part.pointer = (char *)part.pointer + (size_t)elements * blas_element_bytes(problem->type);
    part.rows--;
    part.columns--;
    return part;
}

/* A unit diagonal is neither read nor written. */
void triangle_describe(struct factor_problem *problem, struct route *route)
{
    static const struct route_method method = {plan, queue, factor_succeeded};
    const bool is_unit = problem->diag == DIAG_UNIT;
    struct route_operand *const a = &route->operands[FACTOR_A];
    route->method = &method;
    a->diagonal = is_unit ? DIAGONAL_ANY : DIAGONAL_NONZERO;
    if (is_unit) {
        a->up = a->home = strict_part(problem);
        a->first_column = problem->uplo == UPLO_UPPER;
        a->first_row = problem->uplo == UPLO_LOWER;
    }
}
