/* cholesky_describe: A = L L' or U'U, solutions and inverses by it. */
#include "lapack/factor.h"

static enum status reserve_factorisation(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const int type = solver_data_type(route->type);
    size_t device_bytes = SIZE_MAX, host_bytes = SIZE_MAX;
    const int result = handle->library->potrf_buffer(
        handle->solver, handle->params, factor_fill(problem), problem->n, type,
        factor_operand(route, FACTOR_A), route->operands[FACTOR_A].ld, type, &device_bytes, &host_bytes);
    return route_reserve(route, result, device_bytes, host_bytes);
}

static enum status factorise(const struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const int type = solver_data_type(route->type);
    const int result = handle->library->potrf(
        handle->solver, handle->params, factor_fill(problem), problem->n, type,
        factor_operand(route, FACTOR_A), route->operands[FACTOR_A].ld, type, device_pointer(route->workspace),
        route->device_workspace_bytes, route->host_workspace, route->host_workspace_bytes,
        factor_info(route, 0));
    const enum status status = solver_status(handle->library, result, "cuSOLVER's potrf");
    return status == STATUS_OK ? device_matrix_clear_imaginary(route, handle, FACTOR_A) : status;
}

static enum status solve(const struct route *route, const struct solver_handle *handle, int step)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const struct route_operand *const operands = route->operands;
    const int type = solver_data_type(route->type);
    const int result = handle->library->potrs(handle->solver, handle->params, factor_fill(problem),
                                              problem->n, problem->k, type, factor_operand(route, FACTOR_A),
                                              operands[FACTOR_A].ld, type, factor_operand(route, FACTOR_B),
                                              operands[FACTOR_B].ld, factor_info(route, step));
    return solver_status(handle->library, result, "cuSOLVER's potrs");
}

static enum status plan_solution(struct route *route, const struct solver_handle *handle)
{
    (void)route;
    return handle->library->potrs ? STATUS_OK : STATUS_UNSUPPORTED;
}

static enum status queue_solution(struct route *route, const struct solver_handle *handle)
{
    return solve(route, handle, 0);
}

static enum status plan_both(struct route *route, const struct solver_handle *handle)
{
    const enum status status = plan_solution(route, handle);
    return status == STATUS_OK ? reserve_factorisation(route, handle) : status;
}

static enum status queue_factorisation(struct route *route, const struct solver_handle *handle)
{
    return factorise(route, handle);
}

static enum status queue_both(struct route *route, const struct solver_handle *handle)
{
    const enum status status = factorise(route, handle);
    return status == STATUS_OK ? solve(route, handle, 1) : status;
}

static enum status plan_inverse(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const struct solver_library *const library = handle->library;
    int elements = -1;
    if (!library->potri[route->type] || !library->potri_buffer[route->type] ||
        !factor_is_narrow(route, FACTOR_A))
        return STATUS_UNSUPPORTED;
    const int result = library->potri_buffer[route->type](handle->solver, factor_fill(problem),
                                                          (int)problem->n, factor_operand(route, FACTOR_A),
                                                          (int)route->operands[FACTOR_A].ld, &elements);
    return route_reserve_elements(route, result, elements);
}

static enum status queue_inverse(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const int elements = (int)(route->device_workspace_bytes / blas_element_bytes(route->type));
    const int result = handle->library->potri[route->type](
        handle->solver, factor_fill(problem), (int)problem->n, factor_operand(route, FACTOR_A),
        (int)route->operands[FACTOR_A].ld, device_pointer(route->workspace), elements, factor_info(route, 0));
    const enum status status = solver_status(handle->library, result, "cuSOLVER's potri");
    return status == STATUS_OK ? device_matrix_clear_imaginary(route, handle, FACTOR_A) : status;
}

static bool judge_both(struct route *route)
{
    return route->info == 0 && route->later_info[0] == 0;
}

static enum route_diagonal diagonal_of(enum lapack_family family)
{
    return family == LAPACK_POTRI   ? DIAGONAL_REAL_NONZERO
           : family == LAPACK_POTRS ? DIAGONAL_NONZERO
                                    : DIAGONAL_ANY;
}

/* LAPACK takes imaginary parts on a Hermitian matrix's diagonal for zero, whatever is there, and leaves
 * zeros there in factors and inverses. potrs reads those of the factor that it gets; its host decides
 * about a zero. */
void cholesky_describe(struct factor_problem *problem, struct route *route)
{
    static const struct route_method methods[LAPACK_FAMILY_COUNT] = {
        [LAPACK_POTRF] = {reserve_factorisation, queue_factorisation, factor_succeeded},
        [LAPACK_POTRS] = {plan_solution, queue_solution, factor_succeeded},
        [LAPACK_POSV] = {plan_both, queue_both, judge_both},
        [LAPACK_POTRI] = {plan_inverse, queue_inverse, factor_succeeded},
    };
    const bool is_factor = problem->family == LAPACK_POTRS || problem->family == LAPACK_POTRI;
    route->method = &methods[problem->family];
    route->operands[FACTOR_A].hermitian = !is_factor && blas_scalar_parts(problem->type) == 2;
    route->operands[FACTOR_A].diagonal = diagonal_of(problem->family);
}
