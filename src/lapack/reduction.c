/* Reductions of matrices and products with their reflectors as routes: the eigensolvers' steps, and gebrd,
 * orgbr and ormbr. */
#include "common/whole_number.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/problems.h"
#include "lapack/route.h"
#include "lapack/singular/own_singular.h"

#include <limits.h>

enum { SYGST_A, SYGST_FACTOR };
enum { SYGST_DIAGONAL };

static enum status plan_sygst(struct route *route, const struct solver_handle *handle)
{
    (void)route, (void)handle;
    return STATUS_OK;
}

static enum status queue_sygst(struct route *route, const struct solver_handle *handle)
{
    const struct reduction_problem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[SYGST_A];
    const struct route_operand *const factor = &route->operands[SYGST_FACTOR];
    const struct device_part part = {.address = a->address, .ld = a->ld, .rows = problem->n,
                                     .columns = problem->n,
                                     .part = problem->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER};
    const struct standard_form form = {.type = route->type, .itype = problem->itype, .uplo = problem->uplo,
                                       .n = problem->n, .factor = factor->address, .ld = factor->ld};
    enum status status = device_matrix_clear_imaginary(route, handle, SYGST_A);
    if (status == STATUS_OK)
        status = matrix_part_complete(handle->library->device, handle->stream, &part, route->type);
    if (status == STATUS_OK)
        status = standard_form_apply(handle, &form, a->address, a->ld);
    if (status == STATUS_OK)
        status = device_matrix_clear_imaginary(route, handle, SYGST_A);
    if (status == STATUS_OK)
        status = device_matrix_copy_diagonal(route, handle, SYGST_A, problem->n, SYGST_DIAGONAL);
    return status;
}

/* Level 3 has no INFO. The diagonal shows an overflow. */
static bool judge_sygst(struct route *route)
{
    const struct reduction_problem *const problem = route->problem;
    return route_values_are_finite(problem->diagonal, problem->n * blas_scalar_parts(route->type),
                                   route->type);
}

/* sygst: A's triangle is completed to a square, and multiplied or solved from both sides: twice LAPACK's
 * operations, all of them level 3. */
static void standard_describe(struct reduction_problem *problem, struct route *route)
{
    static const struct route_method method = {plan_sygst, queue_sygst, judge_sygst};
    const bool hermitian = blas_scalar_parts(route->type) == 2;
    const struct route_operand room = {.rows = problem->n, .columns = problem->n};
    route->method = &method;
    for (int i = SYGST_A; i <= SYGST_FACTOR; i++)
        route->operands[i] = room;
    route->operands[SYGST_A].up = problem->a;
    route->operands[SYGST_A].hermitian = hermitian;
    route->operands[SYGST_FACTOR].up = problem->b;
    route->operands[SYGST_FACTOR].diagonal = problem->itype == 1 ? DIAGONAL_REAL_NONZERO : DIAGONAL_ANY;
    route->operands[SYGST_A].home = problem->a;
    route->vectors[SYGST_DIAGONAL] = (struct route_vector){
        .bytes = (size_t)problem->n * blas_element_bytes(route->type), .values = problem->diagonal};
}

enum { MATRIX_A, MATRIX_C };
enum { VECTOR_D, VECTOR_E, VECTOR_TAU };

/* cuSOLVER's parameters. */
struct parameters {
    const struct solver_library *library;
    cusolverDnHandle_t solver;
    enum blas_type type;
    int uplo, n, lda;
    void *a, *d, *e, *tau;
};

static struct parameters parameters_of(const struct route *route, const struct solver_handle *handle)
{
    const struct reduction_problem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[MATRIX_A];
    return (struct parameters){.library = handle->library, .solver = handle->solver, .type = route->type,
                               .uplo = problem->uplo == UPLO_UPPER ? DEVICE_UPPER : DEVICE_LOWER,
                               .n = (int)problem->n, .lda = (int)a->ld, .a = device_pointer(a->address),
                               .d = device_pointer(route->vectors[VECTOR_D].address),
                               .e = device_pointer(route->vectors[VECTOR_E].address),
                               .tau = device_pointer(route->vectors[VECTOR_TAU].address)};
}

static bool is_narrow(const struct route *route)
{
    return route->operands[MATRIX_A].ld * route->operands[MATRIX_A].columns < INT_MAX;
}

static int work_elements(const struct route *route)
{
    return (int)(route->device_workspace_bytes / blas_element_bytes(route->type));
}

static struct tridiagonalisation own_work(const struct route *route)
{
    const struct reduction_problem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[MATRIX_A];
    return (struct tridiagonalisation){.type = route->type, .uplo = problem->uplo, .n = problem->n,
                                       .a = a->address, .lda = a->ld, .d = route->vectors[VECTOR_D].address,
                                       .e = route->vectors[VECTOR_E].address,
                                       .tau = route->vectors[VECTOR_TAU].address,
                                       .cluster_to = route->cluster_to};
}

static enum status plan_sytrd(struct route *route, const struct solver_handle *handle)
{
    struct reduction_problem *const problem = (struct reduction_problem *)(uintptr_t)route->problem;
    const struct parameters p = parameters_of(route, handle);
    const struct tridiagonalisation work = own_work(route);
    size_t bytes;
    enum status status = route->solvers_alone ? STATUS_UNSUPPORTED
                                              : tridiagonalisation_workspace(handle, &work, &bytes);
    problem->is_own = status == STATUS_OK;
    if (status != STATUS_UNSUPPORTED)
        return status == STATUS_OK ? route_reserve(route, CUSOLVER_STATUS_SUCCESS, bytes, 0) : status;
    int elements = -1;
    if (!is_narrow(route) || !p.library->sytrd[p.type] || !p.library->sytrd_buffer[p.type])
        return STATUS_UNSUPPORTED;
    status = solver_library_try_eigensolvers(p.library);
    if (status != STATUS_OK)
        return status;
    const int result = p.library->sytrd_buffer[p.type](p.solver, p.uplo, p.n, p.a, p.lda, p.d, p.e, p.tau,
                                                       &elements);
    return route_reserve_elements(route, result, elements);
}

static enum status queue_own_sytrd(struct route *route, const struct solver_handle *handle)
{
    const struct tridiagonalisation work = own_work(route);
    const enum status status = device_matrix_clear_info(route, handle);
    return status == STATUS_OK
               ? tridiagonalisation_queue(handle, &work, route->workspace, route->device_workspace_bytes)
               : status;
}

static enum status queue_sytrd(struct route *route, const struct solver_handle *handle)
{
    if (((const struct reduction_problem *)route->problem)->is_own)
        return queue_own_sytrd(route, handle);
    const struct parameters p = parameters_of(route, handle);
    return solver_status(p.library,
                         p.library->sytrd[p.type](p.solver, p.uplo, p.n, p.a, p.lda, p.d, p.e, p.tau,
                                                  device_pointer(route->workspace), work_elements(route),
                                                  device_pointer(route->info_address)),
                         "cuSOLVER's sytrd");
}

static enum status plan_orgtr(struct route *route, const struct solver_handle *handle)
{
    const struct parameters p = parameters_of(route, handle);
    int elements = -1;
    if (!is_narrow(route) || !p.library->orgtr[p.type] || !p.library->orgtr_buffer[p.type])
        return STATUS_UNSUPPORTED;
    const int result = p.library->orgtr_buffer[p.type](p.solver, p.uplo, p.n, p.a, p.lda, p.tau, &elements);
    return route_reserve_elements(route, result, elements);
}

static enum status queue_orgtr(struct route *route, const struct solver_handle *handle)
{
    const struct parameters p = parameters_of(route, handle);
    return solver_status(p.library,
                         p.library->orgtr[p.type](p.solver, p.uplo, p.n, p.a, p.lda, p.tau,
                                                  device_pointer(route->workspace), work_elements(route),
                                                  device_pointer(route->info_address)),
                         "cuSOLVER's orgtr");
}

static struct back_transformation product_of(const struct route *route)
{
    const struct reduction_problem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[MATRIX_A], *const c = &route->operands[MATRIX_C];
    const bool right = problem->side == SIDE_RIGHT;
    return (struct back_transformation){.type = route->type, .uplo = problem->uplo, .n = problem->n,
                                        .a = a->address, .lda = a->ld,
                                        .tau = route->vectors[VECTOR_TAU].address,
                                        .side = {.right = right, .adjoint = problem->transposed,
                                                 .c = {c->address, c->ld},
                                                 .others = right ? c->rows : c->columns}};
}

static enum status plan_ormtr(struct route *route, const struct solver_handle *handle)
{
    const struct back_transformation product = product_of(route);
    (void)handle;
    return route_reserve(route, CUSOLVER_STATUS_SUCCESS, back_transformation_workspace(&product), 0);
}

static enum status queue_ormtr(struct route *route, const struct solver_handle *handle)
{
    const struct back_transformation product = product_of(route);
    const enum status status = device_matrix_clear_info(route, handle);
    return status == STATUS_OK ? back_transformation_queue(handle, &product, route->workspace) : status;
}

static bool judge(struct route *route)
{
    const struct reduction_problem *const problem = route->problem;
    const int64_t parts = blas_scalar_parts(route->type);
    if (route->info != 0)
        return false;
    return problem->family != LAPACK_SYTRD ||
           (route_values_are_finite(problem->diagonal, problem->n, route->type) &&
            route_values_are_finite(problem->off_diagonal, problem->n - 1, route->type) &&
            route_values_are_finite(problem->tau, (problem->n - 1) * parts, route->type));
}

static void describe_vectors(const struct reduction_problem *problem, struct route *route)
{
    const size_t element = blas_element_bytes(route->type),
                 real = blas_real_bytes(route->type);
    const int64_t reflectors = problem->n - 1;
    struct route_vector *const tau = &route->vectors[VECTOR_TAU];
    *tau = (struct route_vector){.bytes = (size_t)reflectors * element};
    if (problem->family == LAPACK_SYTRD) {
        tau->values = problem->tau;
        route->vectors[VECTOR_D] = (struct route_vector){.bytes = (size_t)problem->n * real,
                                                         .values = problem->diagonal};
        route->vectors[VECTOR_E] = (struct route_vector){.bytes = (size_t)reflectors * real,
                                                         .values = problem->off_diagonal};
    } else {
        tau->up = problem->tau;
        tau->up_numbers = reflectors * blas_scalar_parts(route->type);
    }
}

/* sytrd, orgtr and ormtr. LAPACK's sytrd scales reflectors only; the host still gets matrices far from 1 in
 * modulus. */
static void tridiagonal_describe(struct reduction_problem *problem, struct route *route)
{
    static const struct route_method sytrd = {plan_sytrd, queue_sytrd, judge},
                                     orgtr = {plan_orgtr, queue_orgtr, judge},
                                     ormtr = {plan_ormtr, queue_ormtr, judge};
    struct route_operand *const a = &route->operands[MATRIX_A], *const c = &route->operands[MATRIX_C];
    route->method = problem->family == LAPACK_SYTRD   ? &sytrd
                    : problem->family == LAPACK_ORGTR ? &orgtr
                                                      : &ormtr;
    *a = (struct route_operand){.rows = problem->n, .columns = problem->n, .up = problem->a,
                                .hermitian = problem->family == LAPACK_SYTRD &&
                                             blas_scalar_parts(route->type) == 2,
                                .finite_suffices = problem->family != LAPACK_SYTRD,
                                .is_kept = problem->family == LAPACK_ORMTR};
    describe_vectors(problem, route);
    if (problem->family == LAPACK_ORMTR) {
        *c = (struct route_operand){.rows = problem->b.rows, .columns = problem->b.columns, .up = problem->b,
                                    .home = problem->b, .finite_suffices = true};
        return;
    }
    a->home = problem->a;
    if (problem->family == LAPACK_ORGTR)
        a->home.part = PART_FULL;
}

void reduction_describe(struct reduction_problem *problem, struct route *route)
{
    *route = (struct route){.problem = problem, .type = problem->type};
    if (problem->family == LAPACK_SYGST)
        standard_describe(problem, route);
    else
        tridiagonal_describe(problem, route);
}

enum { BIDIAGONAL_A, BIDIAGONAL_C };
enum { BIDIAGONAL_D, BIDIAGONAL_E, BIDIAGONAL_TAUQ, BIDIAGONAL_TAUP };

static struct bidiagonalisation bidiagonalisation_of(const struct route *route)
{
    const struct bidiagonal_problem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[BIDIAGONAL_A];
    return (struct bidiagonalisation){.type = route->type, .m = problem->a.rows, .n = problem->a.columns,
                                      .a = a->address, .lda = a->ld,
                                      .d = route->vectors[BIDIAGONAL_D].address,
                                      .e = route->vectors[BIDIAGONAL_E].address,
                                      .tauq = route->vectors[BIDIAGONAL_TAUQ].address,
                                      .taup = route->vectors[BIDIAGONAL_TAUP].address};
}

static enum status plan_gebrd(struct route *route, const struct solver_handle *handle)
{
    const struct bidiagonalisation reduction = bidiagonalisation_of(route);
    size_t bytes;
    const enum status status = bidiagonalisation_workspace(handle, &reduction, &bytes);
    return status == STATUS_OK ? route_reserve(route, CUSOLVER_STATUS_SUCCESS, bytes, 0) : status;
}

static enum status queue_gebrd(struct route *route, const struct solver_handle *handle)
{
    const struct bidiagonalisation reduction = bidiagonalisation_of(route);
    const enum status status = device_matrix_clear_info(route, handle);
    return status == STATUS_OK ? bidiagonalisation_queue(handle, &reduction, route->workspace,
                                                         route->device_workspace_bytes)
                               : status;
}

/* Q times the first columns of the identity, or its first rows times P'. */
static struct bidiagonal_back bidiagonal_product_of(const struct route *route)
{
    const struct bidiagonal_problem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[BIDIAGONAL_A],
                               *const c = &route->operands[BIDIAGONAL_C];
    const bool makes = problem->family == LAPACK_ORGBR,
               right = makes ? problem->of_p : problem->side == SIDE_RIGHT;
    return (struct bidiagonal_back){.type = route->type,
                                    .vectors = problem->of_p ? BIDIAGONAL_P : BIDIAGONAL_Q,
                                    .order = problem->order,
                                    .k = problem->k,
                                    .a = a->address,
                                    .tau = route->vectors[BIDIAGONAL_TAUQ].address,
                                    .lda = a->ld,
                                    .side = {.right = right,
                                             .adjoint = makes ? problem->of_p : problem->transposed,
                                             .c = {c->address, c->ld},
                                             .others = right ? c->rows : c->columns}};
}

static enum status plan_bidiagonal_product(struct route *route, const struct solver_handle *handle)
{
    const struct bidiagonal_back product = bidiagonal_product_of(route);
    (void)handle;
    return route_reserve(route, CUSOLVER_STATUS_SUCCESS, bidiagonal_back_workspace(&product), 0);
}

static enum status queue_bidiagonal_product(struct route *route, const struct solver_handle *handle)
{
    const struct bidiagonal_problem *const problem = route->problem;
    const struct bidiagonal_back product = bidiagonal_product_of(route);
    enum status status = device_matrix_clear_info(route, handle);
    if (status == STATUS_OK && problem->family == LAPACK_ORGBR)
        status = device_matrix_set_identity(route, handle, BIDIAGONAL_C,
                                            route->operands[BIDIAGONAL_C].columns);
    return status == STATUS_OK ? bidiagonal_back_queue(handle, &product, route->workspace) : status;
}

static bool judge_bidiagonal(struct route *route)
{
    const struct bidiagonal_problem *const problem = route->problem;
    const int64_t parts = blas_scalar_parts(route->type), k = smaller(problem->a.rows, problem->a.columns);
    if (route->info != 0)
        return false;
    return problem->family != LAPACK_GEBRD ||
           (route_values_are_finite(problem->d, k, route->type) &&
            route_values_are_finite(problem->e, k - 1, route->type) &&
            route_values_are_finite(problem->tauq, k * parts, route->type) &&
            route_values_are_finite(problem->taup, k * parts, route->type));
}

static void describe_gebrd(const struct bidiagonal_problem *problem, struct route *route)
{
    const size_t element = blas_element_bytes(route->type), real = blas_real_bytes(route->type),
                 k = (size_t)smaller(problem->a.rows, problem->a.columns);
    struct route_vector *const vectors = route->vectors;
    route->operands[BIDIAGONAL_A].home = problem->a;
    vectors[BIDIAGONAL_D] = (struct route_vector){.bytes = k * real, .values = problem->d};
    vectors[BIDIAGONAL_E] = (struct route_vector){.bytes = (k - 1) * real, .values = problem->e};
    vectors[BIDIAGONAL_TAUQ] = (struct route_vector){.bytes = k * element, .values = problem->tauq};
    vectors[BIDIAGONAL_TAUP] = (struct route_vector){.bytes = k * element, .values = problem->taup};
}

/* LAPACK's gebrd scales within its reflectors only; the host still gets matrices far from 1 in modulus. */
void bidiagonal_describe(struct bidiagonal_problem *problem, struct route *route)
{
    static const struct route_method gebrd = {plan_gebrd, queue_gebrd, judge_bidiagonal},
                                     product = {plan_bidiagonal_product, queue_bidiagonal_product,
                                                judge_bidiagonal};
    const bool reduces = problem->family == LAPACK_GEBRD;
    *route = (struct route){.problem = problem, .type = problem->type, .method = reduces ? &gebrd : &product};
    route->operands[BIDIAGONAL_A] = (struct route_operand){
        .rows = problem->a.rows, .columns = problem->a.columns, .up = problem->a, .finite_suffices = !reduces,
        .is_kept = problem->family == LAPACK_ORMBR};
    if (reduces) {
        describe_gebrd(problem, route);
        return;
    }
    const int64_t count = bidiagonal_reflectors_of(problem->of_p ? BIDIAGONAL_P : BIDIAGONAL_Q, problem->order,
                                                   problem->k)
                              .count;
    route->vectors[BIDIAGONAL_TAUQ] = (struct route_vector){
        .bytes = (size_t)count * blas_element_bytes(route->type), .up = problem->tauq,
        .up_numbers = count * blas_scalar_parts(route->type)};
    struct route_operand *const c = &route->operands[BIDIAGONAL_C];
    *c = (struct route_operand){.rows = problem->c.rows, .columns = problem->c.columns, .home = problem->c,
                                .finite_suffices = true};
    if (problem->family == LAPACK_ORMBR)
        c->up = problem->c;
}
