/* lu_describe: P A = L U, solutions and inverses by it. */
#include "gpu/vendor/solver_library.h"
#include "lapack/factor.h"

enum { PIVOTS, INVERSE = FACTOR_B };

static enum status plan_factorisation(struct route *route, const struct solver_handle *handle)
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

static enum status queue_factorisation(struct route *route, const struct solver_handle *handle)
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
    static const int operations[] = {[TRANS_NONE] = DEVICE_NO_TRANS, [TRANS_TRANSPOSE] = DEVICE_TRANS,
                                     [TRANS_CONJUGATE] = DEVICE_CONJUGATE_TRANS};
    const struct factor_problem *const problem = factor_problem_of(route);
    const struct route_operand *const operands = route->operands;
    const int type = solver_data_type(route->type);
    const int operation = blas_scalar_parts(route->type) == 1 && problem->trans == TRANS_CONJUGATE
                              ? DEVICE_TRANS
                              : operations[problem->trans];
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
    return status == STATUS_OK ? plan_factorisation(route, handle) : status;
}

static enum status queue_both(struct route *route, const struct solver_handle *handle)
{
    const enum status status = queue_factorisation(route, handle);
    return status == STATUS_OK ? solve(route, handle, 1) : status;
}

static enum status plan_inverse(struct route *route, const struct solver_handle *handle)
{
    (void)route, (void)handle;
    return STATUS_OK;
}

/* From the right: the identity becomes inv(U), then inv(U) inv(L). */
static enum status divide(const struct route *route, const struct solver_handle *handle, int fill, int diag)
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
        status = divide(route, handle, DEVICE_UPPER, DEVICE_NON_UNIT);
    if (status == STATUS_OK)
        status = divide(route, handle, DEVICE_LOWER, DEVICE_UNIT);
    order_columns(factor_problem_of(route));
    return status == STATUS_OK ? copy_in_order(route, handle) : status;
}

/* A column cannot be divided by a zero pivot, and LAPACK goes on in its own way. */
static bool judge_factorisation(struct route *route)
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
    return judge_factorisation(route) && route->later_info[0] == 0;
}

static bool judge_inverse(struct route *route)
{
    (void)route;
    return true;
}

void lu_describe(struct factor_problem *problem, struct route *route)
{
    static const struct route_method methods[LAPACK_FAMILY_COUNT] = {
        [LAPACK_GETRF] = {plan_factorisation, queue_factorisation, judge_factorisation},
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
