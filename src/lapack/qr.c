/* qr_describe: A = Q R, Q itself and its products, least squares by it. */
#include "gpu/vendor/solver_library.h"
#include "lapack/factor.h"
#include "lapack/route.h"

#include <limits.h>

enum { TAU, DIAGONAL }; /* vectors */

static int64_t least_of(const struct factor_problem *problem)
{
    return problem->m < problem->n ? problem->m : problem->n;
}

static enum status plan_factorisation(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const int type = solver_data_type(route->type);
    size_t device_bytes = SIZE_MAX, host_bytes = SIZE_MAX;
    if (!handle->library->geqrf || !handle->library->geqrf_buffer)
        return STATUS_UNSUPPORTED;
    const int result = handle->library->geqrf_buffer(
        handle->solver, handle->params, problem->m, problem->n, type, factor_operand(route, FACTOR_A),
        route->operands[FACTOR_A].ld, type, factor_vector(route, TAU), type, &device_bytes, &host_bytes);
    return route_reserve(route, result, device_bytes, host_bytes);
}

static enum status queue_factorisation(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const int type = solver_data_type(route->type);
    const int result = handle->library->geqrf(
        handle->solver, handle->params, problem->m, problem->n, type, factor_operand(route, FACTOR_A),
        route->operands[FACTOR_A].ld, type, factor_vector(route, TAU), type, device_pointer(route->workspace),
        route->device_workspace_bytes, route->host_workspace, route->host_workspace_bytes,
        factor_info(route, 0));
    return solver_status(handle->library, result, "cuSOLVER's geqrf");
}

/* The elements of the workspace, which all steps share. */
static int workspace_elements(const struct route *route)
{
    const size_t elements = route->device_workspace_bytes / blas_element_bytes(route->type);
    return elements < INT_MAX ? (int)elements : INT_MAX;
}

static enum status plan_making(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const struct solver_library *const library = handle->library;
    int elements = -1;
    if (!library->orgqr[route->type] || !library->orgqr_buffer[route->type] ||
        !factor_is_narrow(route, FACTOR_A))
        return STATUS_UNSUPPORTED;
    const int result = library->orgqr_buffer[route->type](
        handle->solver, (int)problem->m, (int)problem->n, (int)problem->k, factor_operand(route, FACTOR_A),
        (int)route->operands[FACTOR_A].ld, factor_vector(route, TAU), &elements);
    return route_reserve_elements(route, result, elements);
}

static enum status queue_making(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const int result = handle->library->orgqr[route->type](
        handle->solver, (int)problem->m, (int)problem->n, (int)problem->k, factor_operand(route, FACTOR_A),
        (int)route->operands[FACTOR_A].ld, factor_vector(route, TAU), device_pointer(route->workspace),
        workspace_elements(route), factor_info(route, 0));
    return solver_status(handle->library, result, "cuSOLVER's orgqr");
}

/* Applies Q of `reflectors`, or its transpose, to B. */
struct product {
    int side, operation;
    int rows, columns, reflectors;
};

static int transpose_of(enum blas_type type)
{
    return blas_scalar_parts(type) == 2 ? DEVICE_CONJUGATE_TRANS : DEVICE_TRANS;
}

static struct product product_of(const struct route *route)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    if (problem->family == LAPACK_GELS)
        return (struct product){DEVICE_LEFT, transpose_of(route->type), (int)problem->m, (int)problem->k,
                                (int)problem->n};
    return (struct product){problem->side == SIDE_LEFT ? DEVICE_LEFT : DEVICE_RIGHT,
                            problem->trans == TRANS_NONE ? DEVICE_NO_TRANS : transpose_of(route->type),
                            (int)problem->m, (int)problem->n, (int)problem->k};
}

static enum status plan_product(struct route *route, const struct solver_handle *handle)
{
    const struct solver_library *const library = handle->library;
    const struct product product = product_of(route);
    int elements = -1;
    if (!library->ormqr[route->type] || !library->ormqr_buffer[route->type] ||
        !factor_is_narrow(route, FACTOR_A) || !factor_is_narrow(route, FACTOR_B))
        return STATUS_UNSUPPORTED;
    const int result = library->ormqr_buffer[route->type](
        handle->solver, product.side, product.operation, product.rows, product.columns, product.reflectors,
        factor_operand(route, FACTOR_A), (int)route->operands[FACTOR_A].ld, factor_vector(route, TAU),
        factor_operand(route, FACTOR_B), (int)route->operands[FACTOR_B].ld, &elements);
    return route_reserve_elements(route, result, elements);
}

static enum status multiply(const struct route *route, const struct solver_handle *handle, int step)
{
    const struct product product = product_of(route);
    const int result = handle->library->ormqr[route->type](
        handle->solver, product.side, product.operation, product.rows, product.columns, product.reflectors,
        factor_operand(route, FACTOR_A), (int)route->operands[FACTOR_A].ld, factor_vector(route, TAU),
        factor_operand(route, FACTOR_B), (int)route->operands[FACTOR_B].ld, device_pointer(route->workspace),
        workspace_elements(route), factor_info(route, step));
    return solver_status(handle->library, result, "cuSOLVER's ormqr");
}

static enum status queue_product(struct route *route, const struct solver_handle *handle)
{
    return multiply(route, handle, 0);
}

static enum status plan_least_squares(struct route *route, const struct solver_handle *handle)
{
    const enum status status = plan_factorisation(route, handle);
    return status == STATUS_OK ? plan_product(route, handle) : status;
}

/* The rows of B below n keep the product: the part outside A's range. */
static enum status divide(const struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const int result = solver_trsm(handle, route->type, DEVICE_LEFT, DEVICE_UPPER, DEVICE_NO_TRANS,
                                   DEVICE_NON_UNIT, problem->n, problem->k, &device_one[route->type],
                                   factor_operand(route, FACTOR_A), route->operands[FACTOR_A].ld,
                                   factor_operand(route, FACTOR_B), route->operands[FACTOR_B].ld);
    return solver_blas_status(handle->library, result, "cuBLAS' trsm");
}

static enum status queue_least_squares(struct route *route, const struct solver_handle *handle)
{
    enum status status = queue_factorisation(route, handle);
    if (status == STATUS_OK)
        status = multiply(route, handle, 1);
    if (status == STATUS_OK)
        status = device_matrix_copy_diagonal(route, handle, FACTOR_A, factor_problem_of(route)->n, DIAGONAL);
    return status == STATUS_OK ? divide(route, handle) : status;
}

static bool judge_factorisation(struct route *route)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    return route->info == 0 &&
           route_values_are_finite(problem->tau, least_of(problem) * blas_scalar_parts(route->type),
                                   route->type);
}

/* True when R has full rank by the test of LAPACK's trtrs. */
static bool judge_least_squares(struct route *route)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const struct blas_matrix diagonal = {
        .pointer = problem->diagonal, .rows = problem->n, .columns = problem->n};
    return route->info == 0 && route->later_info[0] == 0 &&
           route_values_are_finite(problem->diagonal, problem->n * blas_scalar_parts(route->type),
                                   route->type) &&
           route_values_diagonal_is_nonzero(&diagonal, route->type, false); /* ld 0: the elements follow each
                                                                               other */
}

static void describe_vectors(struct factor_problem *problem, struct route *route)
{
    const size_t element = blas_element_bytes(problem->type);
    const int64_t length = problem->tau_up ? problem->k : least_of(problem);
    route->vectors[TAU] = (struct route_vector){.bytes = (size_t)length * element, .up = problem->tau_up};
    if (problem->tau_up)
        route->vectors[TAU].up_numbers = length * blas_scalar_parts(problem->type);
    if (problem->family == LAPACK_GEQRF)
        route->vectors[TAU].values = problem->tau;
    if (problem->family == LAPACK_GELS)
        route->vectors[DIAGONAL] = (struct route_vector){.bytes = (size_t)problem->n * element,
                                                         .values = problem->diagonal};
}

void qr_describe(struct factor_problem *problem, struct route *route)
{
    static const struct route_method methods[LAPACK_FAMILY_COUNT] = {
        [LAPACK_GEQRF] = {plan_factorisation, queue_factorisation, judge_factorisation},
        [LAPACK_ORGQR] = {plan_making, queue_making, factor_succeeded},
        [LAPACK_ORMQR] = {plan_product, queue_product, factor_succeeded},
        [LAPACK_GELS] = {plan_least_squares, queue_least_squares, judge_least_squares},
    };
    route->method = &methods[problem->family];
    if (problem->family == LAPACK_ORGQR)
        route->operands[FACTOR_A].up.columns = problem->k;
    describe_vectors(problem, route);
}
