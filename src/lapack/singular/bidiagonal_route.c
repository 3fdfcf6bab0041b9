/* bidiagonal_describe: gebrd, orgbr and ormbr as routes. */
#include "lapack/device_matrix.h"
#include "lapack/problems.h"
#include "lapack/singular/bidiagonal_back.h"
#include "lapack/singular/bidiagonalisation.h"

enum { MATRIX_A, MATRIX_C };
enum { VECTOR_D, VECTOR_E, VECTOR_TAUQ, VECTOR_TAUP };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static struct bidiagonalisation reduction_of(const struct route *route)
{
    const struct bidiagonal_problem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[MATRIX_A];
    return (struct bidiagonalisation){.type = route->type, .m = problem->a.rows, .n = problem->a.columns,
                                      .a = a->address, .lda = a->ld, .d = route->vectors[VECTOR_D].address,
                                      .e = route->vectors[VECTOR_E].address,
                                      .tauq = route->vectors[VECTOR_TAUQ].address,
                                      .taup = route->vectors[VECTOR_TAUP].address};
}

static enum status plan_gebrd(struct route *route, const struct solver_handle *handle)
{
    const struct bidiagonalisation reduction = reduction_of(route);
    size_t bytes;
    const enum status status = bidiagonalisation_workspace(handle, &reduction, &bytes);
    return status == STATUS_OK ? route_reserve(route, CUSOLVER_STATUS_SUCCESS, bytes, 0) : status;
}

static enum status queue_gebrd(struct route *route, const struct solver_handle *handle)
{
    const struct bidiagonalisation reduction = reduction_of(route);
    const enum status status = device_matrix_clear_info(route, handle);
    return status == STATUS_OK ? bidiagonalisation_queue(handle, &reduction, route->workspace,
                                                         route->device_workspace_bytes)
                               : status;
}

/* Q times the first columns of the identity, or its first rows times P'. */
static struct bidiagonal_back product_of(const struct route *route)
{
    const struct bidiagonal_problem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[MATRIX_A], *const c = &route->operands[MATRIX_C];
    const bool makes = problem->family == LAPACK_ORGBR,
               right = makes ? problem->of_p : problem->side == SIDE_RIGHT;
    return (struct bidiagonal_back){.type = route->type,
                                    .vectors = problem->of_p ? BIDIAGONAL_P : BIDIAGONAL_Q,
                                    .order = problem->order,
                                    .k = problem->k,
                                    .a = a->address,
                                    .tau = route->vectors[VECTOR_TAUQ].address,
                                    .lda = a->ld,
                                    .side = {.right = right,
                                             .adjoint = makes ? problem->of_p : problem->transposed,
                                             .c = {c->address, c->ld},
                                             .others = right ? c->rows : c->columns}};
}

static enum status plan_product(struct route *route, const struct solver_handle *handle)
{
    const struct bidiagonal_back product = product_of(route);
    (void)handle;
    return route_reserve(route, CUSOLVER_STATUS_SUCCESS, bidiagonal_back_workspace(&product), 0);
}

static enum status set_identity(const struct route *route, const struct solver_handle *handle)
{
    const struct route_operand *const c = &route->operands[MATRIX_C];
    const size_t bytes = (size_t)c->ld * (size_t)c->columns * blas_element_bytes(route->type);
    const enum status status =
        device_check(handle->library->device, driver()->memory_set_async(c->address, 0, bytes, handle->stream),
                     "clearing a matrix");
    return status == STATUS_OK
               ? device_matrix_set_unit_diagonal(route, handle, MATRIX_C, least(c->rows, c->columns))
               : status;
}

static enum status queue_product(struct route *route, const struct solver_handle *handle)
{
    const struct bidiagonal_problem *const problem = route->problem;
    const struct bidiagonal_back product = product_of(route);
    enum status status = device_matrix_clear_info(route, handle);
    if (status == STATUS_OK && problem->family == LAPACK_ORGBR)
        status = set_identity(route, handle);
    return status == STATUS_OK ? bidiagonal_back_queue(handle, &product, route->workspace) : status;
}

static bool judge(struct route *route)
{
    const struct bidiagonal_problem *const problem = route->problem;
    const int64_t parts = blas_scalar_parts(route->type), k = least(problem->a.rows, problem->a.columns);
    if (route->info != 0)
        return false;
    return problem->family != LAPACK_GEBRD ||
           (route_values_are_finite(problem->d, k, route->type) &&
            route_values_are_finite(problem->e, k - 1, route->type) &&
            route_values_are_finite(problem->tauq, k * parts, route->type) &&
            route_values_are_finite(problem->taup, k * parts, route->type));
}

static void describe_reduction(const struct bidiagonal_problem *problem, struct route *route)
{
    const size_t element = blas_element_bytes(route->type),
                 real = blas_is_single(route->type) ? sizeof(float) : sizeof(double),
                 k = (size_t)least(problem->a.rows, problem->a.columns);
    struct route_vector *const vectors = route->vectors;
    route->operands[MATRIX_A].home = problem->a;
    vectors[VECTOR_D] = (struct route_vector){.bytes = k * real, .values = problem->d};
    vectors[VECTOR_E] = (struct route_vector){.bytes = (k - 1) * real, .values = problem->e};
    vectors[VECTOR_TAUQ] = (struct route_vector){.bytes = k * element, .values = problem->tauq};
    vectors[VECTOR_TAUP] = (struct route_vector){.bytes = k * element, .values = problem->taup};
}

/* LAPACK's gebrd scales within its reflectors only; the host still gets matrices far from 1 in modulus. */
void bidiagonal_describe(struct bidiagonal_problem *problem, struct route *route)
{
    static const struct route_method gebrd = {plan_gebrd, queue_gebrd, judge},
                                     product = {plan_product, queue_product, judge};
    const bool reduces = problem->family == LAPACK_GEBRD;
    *route = (struct route){.problem = problem, .type = problem->type, .method = reduces ? &gebrd : &product};
    route->operands[MATRIX_A] = (struct route_operand){
        .rows = problem->a.rows, .columns = problem->a.columns, .up = problem->a, .finite_suffices = !reduces,
        .is_kept = problem->family == LAPACK_ORMBR};
    if (reduces) {
        describe_reduction(problem, route);
        return;
    }
    const int64_t count = bidiagonal_reflectors_of(problem->of_p ? BIDIAGONAL_P : BIDIAGONAL_Q, problem->order,
                                                   problem->k)
                              .count;
    route->vectors[VECTOR_TAUQ] = (struct route_vector){
        .bytes = (size_t)count * blas_element_bytes(route->type), .up = problem->tauq,
        .up_numbers = count * blas_scalar_parts(route->type)};
    struct route_operand *const c = &route->operands[MATRIX_C];
    *c = (struct route_operand){.rows = problem->c.rows, .columns = problem->c.columns, .home = problem->c,
                                .finite_suffices = true};
    if (problem->family == LAPACK_ORMBR)
        c->up = problem->c;
}
