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

/* A = L L' or U'U, solutions and inverses by it. LAPACK takes imaginary parts on a Hermitian matrix's
 * diagonal for zero, whatever is there, and leaves zeros there in factors and inverses. potrs reads those of
 * the factor that it gets; its host decides about a zero. */
static void cholesky_describe(struct factor_problem *problem, struct route *route)
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

static int diag_of(const struct route *route)
{
    return factor_problem_of(route)->diag == DIAG_UNIT ? DEVICE_UNIT : DEVICE_NON_UNIT;
}

static enum status plan_triangle(struct route *route, const struct solver_handle *handle)
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

static enum status queue_triangle(struct route *route, const struct solver_handle *handle)
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

static enum status plan_division(struct route *route, const struct solver_handle *handle)
{
    (void)route, (void)handle;
    return STATUS_OK;
}

/* cuBLAS writes no INFO. */
static enum status queue_division(struct route *route, const struct solver_handle *handle)
{
    const struct factor_problem *const problem = factor_problem_of(route);
    const enum status status = device_matrix_clear_info(route, handle);
    if (status != STATUS_OK)
        return status;
    const int result = solver_trsm(handle, route->type, DEVICE_LEFT, factor_fill(problem),
                                   factor_operation(problem), diag_of(route), problem->n, problem->k,
                                   &device_one[route->type],
                                   factor_operand(route, FACTOR_A), route->operands[FACTOR_A].ld,
                                   factor_operand(route, FACTOR_B), route->operands[FACTOR_B].ld);
    return solver_blas_status(handle->library, result, "cuBLAS' trsm");
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

/* The inverse of a triangular matrix, or solutions by it. A unit diagonal is neither read nor written. */
static void triangle_describe(struct factor_problem *problem, struct route *route)
{
    static const struct route_method inverse = {plan_triangle, queue_triangle, factor_succeeded},
                                     solution = {plan_division, queue_division, factor_succeeded};
    const bool is_unit = problem->diag == DIAG_UNIT;
    struct route_operand *const a = &route->operands[FACTOR_A];
    route->method = problem->family == LAPACK_TRTRS ? &solution : &inverse;
    a->diagonal = is_unit ? DIAGONAL_ANY : DIAGONAL_NONZERO;
    if (is_unit) {
        a->up = strict_part(problem);
        if (a->home.pointer)
            a->home = a->up;
        a->first_column = problem->uplo == UPLO_UPPER;
        a->first_row = problem->uplo == UPLO_LOWER;
    }
}

static void (*const describers[LAPACK_KIND_COUNT])(struct factor_problem *, struct route *) = {
    [LAPACK_KIND_CHOLESKY] = cholesky_describe, [LAPACK_KIND_TRIANGLE] = triangle_describe,
    [LAPACK_KIND_LU] = lu_describe, [LAPACK_KIND_QR] = qr_describe,
};

/* LAPACK scales columns, and gels right-hand sides, that are very large or small before it makes
 * reflectors. */
static void describe_operands(const struct factor_problem *problem, struct route *route)
{
    const enum lapack_family family = problem->family;
    const bool is_read = family == LAPACK_POTRS || family == LAPACK_GETRS || family == LAPACK_ORMQR ||
                         family == LAPACK_TRTRS,
               is_scaled = family == LAPACK_GEQRF || family == LAPACK_GELS;
    const struct blas_matrix *const a = &problem->a, *const b = &problem->b;
    route->operands[FACTOR_A] = (struct route_operand){.rows = a->rows, .columns = a->columns, .up = *a,
                                                       .finite_suffices = !is_scaled, .is_kept = true};
    if (!is_read)
        route->operands[FACTOR_A].home = *a;
    if (b->pointer)
        route->operands[FACTOR_B] = (struct route_operand){.rows = b->rows, .columns = b->columns, .up = *b,
                                                           .home = *b, .finite_suffices = !is_scaled};
    if (problem->packed) {
        route->operands[FACTOR_A].rows = route->operands[FACTOR_A].columns = problem->n;
        route->operands[FACTOR_A].packed = problem->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER;
    }
}

void factor_describe(struct factor_problem *problem, struct route *route)
{
    *route = (struct route){.problem = problem, .type = problem->type};
    describe_operands(problem, route);
    describers[lapack_kind_of(problem->family)](problem, route);
}
