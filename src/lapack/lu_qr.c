/* lu_qr.c - LU and QR of factor.h. lu_describe: P A = L U, solutions and inverses by it.
 * qr_describe: A = Q R, Q itself and its products, least squares by it. */
#include "gpu/vendor/solver_library.h"
#include "lapack/factor.h"
#include "lapack/route.h"

#include <limits.h>

enum { PIVOTS, INVERSE = FACTOR_B };

static enum status plan_lu(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const int type = solver_data_type(route->type);
    size_t device_bytes = SIZE_MAX, host_bytes = SIZE_MAX;
    if (!handle->library->getrf || !handle->library->getrf_buffer)
        return STATUS_UNSUPPORTED;
    const int result = handle->library->getrf_buffer(
        handle->solver, handle->params, problem->m, problem->n, type, factor_operand(route, FACTOR_A),
        route->operands[FACTOR_A].ld, type, &device_bytes, &host_bytes);
    return route_reserve(route, result, device_bytes, host_bytes);
}

static enum status queue_lu(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const int type = solver_data_type(route->type);
    const int result = handle->library->getrf(
        handle->solver, handle->params, problem->m, problem->n, type, factor_operand(route, FACTOR_A),
        route->operands[FACTOR_A].ld, factor_vector(route, PIVOTS), type, device_pointer(route->workspace),
        route->device_workspace_bytes, route->host_workspace, route->host_workspace_bytes,
        factor_info(route, 0));
    return solver_status(handle->library, result, "cuSOLVER's getrf");
}

static enum status plan_solution(struct route *route, const struct solver_handle *handle)
{
    (void)route;
    return handle->library->getrs ? STATUS_OK : STATUS_UNSUPPORTED;
}

static enum status solve(const struct route *route, const struct solver_handle *handle, int step)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const struct route_operand *const operands = route->operands;
    const int type = solver_data_type(route->type);
    const int operation = factor_operation(problem);
    const int result = handle->library->getrs(
        handle->solver, handle->params, operation, problem->n, problem->k, type,
        factor_operand(route, FACTOR_A), operands[FACTOR_A].ld, factor_vector(route, PIVOTS), type,
        factor_operand(route, FACTOR_B), operands[FACTOR_B].ld, factor_info(route, step));
    return solver_status(handle->library, result, "cuSOLVER's getrs");
}

static enum status queue_solution(struct route *route, const struct solver_handle *handle)
{
    return solve(route, handle, 0);
}

static enum status plan_both(struct route *route, const struct solver_handle *handle)
{
    const enum status status = plan_solution(route, handle);
    return status == STATUS_OK ? plan_lu(route, handle) : status;
}

static enum status queue_both(struct route *route, const struct solver_handle *handle)
{
    const enum status status = queue_lu(route, handle);
    return status == STATUS_OK ? solve(route, handle, 1) : status;
}

static enum status plan_inverse(struct route *route, const struct solver_handle *handle)
{
    (void)route, (void)handle;
    return STATUS_OK;
}

/* From the right: the identity becomes inv(U), then inv(U) inv(L). */
static enum status divide_inverse(const struct route *route, const struct solver_handle *handle, int fill,
                                  int diag)
{
    const int64_t n = factor_problem_of(route)->n;
    const int result = solver_trsm(handle, route->type, DEVICE_RIGHT, fill, DEVICE_NO_TRANS, diag, n, n,
                                   &device_one[route->type], factor_operand(route, FACTOR_A),
                                   route->operands[FACTOR_A].ld, factor_operand(route, INVERSE),
                                   route->operands[INVERSE].ld);
    return solver_blas_status(handle->library, result, "cuBLAS' trsm");
}

/* Finds for each column of the inverse its number before the interchanges, which it makes in reverse. */
static void order_columns(const struct factor_problem *problem)
{
    for (int64_t i = 0; i < problem->n; i++)
        problem->order[i] = i;
    for (int64_t i = problem->n - 1; i >= 0; i--) {
        const int64_t other = problem->pivots[i] - 1, column = problem->order[i];
        problem->order[i] = problem->order[other];
        problem->order[other] = column;
    }
}

/* Copies neighbouring columns at once. */
static enum status copy_in_order(const struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const struct route_operand *const from = &route->operands[INVERSE];
    const struct route_operand *const to = &route->operands[FACTOR_A];
    const size_t column_bytes = (size_t)to->ld * blas_element_bytes(route->type);
    CUresult result = CUDA_SUCCESS;
    int64_t columns;
    for (int64_t i = 0; i < problem->n && result == CUDA_SUCCESS; i += columns) {
        for (columns = 1;
             i + columns < problem->n && problem->order[i + columns] == problem->order[i] + columns;)
            columns++;
        const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcPitch = column_bytes,
                                    .dstMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = from->address +
                                                 (CUdeviceptr)problem->order[i] * column_bytes,
                                    .dstDevice = to->address + (CUdeviceptr)i * column_bytes,
                                    .dstPitch = column_bytes,
                                    .WidthInBytes = (size_t)problem->n * blas_element_bytes(route->type),
                                    .Height = (size_t)columns};
        result = driver()->copy_2d_async(&copy, handle->stream);
    }
    return device_check(handle->library->device, result, "copying columns");
}

static enum status queue_inverse(struct route *route, const struct solver_handle *handle)
{
    enum status status = device_matrix_set_identity(route, handle, INVERSE, factor_problem_of(route)->n);
    if (status == STATUS_OK)
        status = divide_inverse(route, handle, DEVICE_UPPER, DEVICE_NON_UNIT);
    if (status == STATUS_OK)
        status = divide_inverse(route, handle, DEVICE_LOWER, DEVICE_UNIT);
    order_columns(factor_problem_of(route));
    return status == STATUS_OK ? copy_in_order(route, handle) : status;
}

/* A column cannot be divided by a zero pivot, and LAPACK goes on in its own way. */
static bool judge_lu(struct route *route)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const int64_t count = problem->m < problem->n ? problem->m : problem->n;
    for (int64_t i = 0; i < count; i++)
        if (problem->pivots[i] <= i || problem->pivots[i] > problem->m)
            return false;
    return route->info == 0;
}

static bool judge_both(struct route *route)
{
    return judge_lu(route) && route->later_info[0] == 0;
}

static bool judge_inverse(struct route *route)
{
    (void)route;
    return true;
}

void lu_describe(struct factor_problem *problem, struct route *route)
{
    static const struct route_method methods[LAPACK_FAMILY_COUNT] = {
        [LAPACK_GETRF] = {plan_lu, queue_lu, judge_lu},
        [LAPACK_GETRS] = {plan_solution, queue_solution, factor_succeeded},
        [LAPACK_GESV] = {plan_both, queue_both, judge_both},
        [LAPACK_GETRI] = {plan_inverse, queue_inverse, judge_inverse},
    };
    const int64_t pivots = problem->m < problem->n ? problem->m : problem->n;
    const bool is_inverse = problem->family == LAPACK_GETRI;
    route->method = &methods[problem->family];
    route->operands[FACTOR_A].diagonal = problem->pivots_up ? DIAGONAL_NONZERO : DIAGONAL_ANY;
    if (is_inverse)
        route->operands[INVERSE] = (struct route_operand){.rows = problem->n, .columns = problem->n};
    else
        route->vectors[PIVOTS] = (struct route_vector){.bytes = (size_t)pivots * sizeof(int64_t),
                                                       .up = problem->pivots_up ? problem->pivots : NULL,
                                                       .values = problem->pivots_up ? NULL : problem->pivots};
}

enum { TAU, DIAGONAL }; /* vectors */

static int64_t least_of(const struct factor_problem *problem)
{
    return problem->m < problem->n ? problem->m : problem->n;
}

static enum status plan_qr(struct route *route, const struct solver_handle *handle)
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

static enum status queue_qr(struct route *route, const struct solver_handle *handle)
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

static struct product product_of(const struct route *route)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    if (problem->family == LAPACK_GELS)
        return (struct product){DEVICE_LEFT, device_adjoint(route->type), (int)problem->m, (int)problem->k,
                                (int)problem->n};
    return (struct product){problem->side == SIDE_LEFT ? DEVICE_LEFT : DEVICE_RIGHT,
                            problem->trans == TRANS_NONE ? DEVICE_NO_TRANS : device_adjoint(route->type),
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
    const enum status status = plan_qr(route, handle);
    return status == STATUS_OK ? plan_product(route, handle) : status;
}

/* The rows of B below n keep the product: the part outside A's range. */
static enum status divide_by_r(const struct route *route, const struct solver_handle *handle)
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
    enum status status = queue_qr(route, handle);
    if (status == STATUS_OK)
        status = multiply(route, handle, 1);
    if (status == STATUS_OK)
        status = device_matrix_copy_diagonal(route, handle, FACTOR_A, factor_problem_of(route)->n, DIAGONAL);
    return status == STATUS_OK ? divide_by_r(route, handle) : status;
}

static bool judge_qr(struct route *route)
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
        [LAPACK_GEQRF] = {plan_qr, queue_qr, judge_qr},
        [LAPACK_ORGQR] = {plan_making, queue_making, factor_succeeded},
        [LAPACK_ORMQR] = {plan_product, queue_product, factor_succeeded},
        [LAPACK_GELS] = {plan_least_squares, queue_least_squares, judge_least_squares},
    };
    route->method = &methods[problem->family];
    if (problem->family == LAPACK_ORGQR)
        route->operands[FACTOR_A].up.columns = problem->k;
    describe_vectors(problem, route);
}
