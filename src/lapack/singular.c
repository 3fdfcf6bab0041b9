#include "lapack/device_matrix.h"
#include "lapack/problems.h"
#include "lapack/route.h"

#include <float.h>
#include <math.h>

/* WORK is the matrix to decompose, if it is not A itself; TURNED the conjugate transpose that goes home. */
enum { MATRIX_A, WORK, LEFT, RIGHT, TURNED, UNIT };
enum { VECTOR_S };

static struct singular_problem *problem_of(const struct route *route)
{
    return (struct singular_problem *)(uintptr_t)route->problem;
}

/* The matrix to decompose is p x q. */
struct shape {
    int64_t p, q, left_columns;
    bool turned;
};

static struct shape shape_of(const struct singular_problem *problem)
{
    const bool turned = problem->m < problem->n;
    struct shape shape = {
        .p = turned ? problem->n : problem->m, .q = turned ? problem->m : problem->n, .turned = turned};
    const int64_t wanted = turned ? problem->vt.rows : problem->u.columns;
    shape.left_columns = wanted > shape.q ? wanted : shape.q;
    return shape;
}

/* cuSOLVER's parameters. Without vectors it returned wrong values, and later failed (12.0.4, H100), so the
 * route always asks for vectors. */
struct parameters {
    const struct solver_library *library;
    struct shape shape;
    int type, real_type, mode, economic;
    int64_t ld, ldu, ldv;
    void *a, *s, *u, *v;
};

static struct parameters parameters_of(const struct route *route, const struct solver_handle *handle)
{
    const struct shape shape = shape_of(problem_of(route));
    const struct route_operand *const a = &route->operands[shape.turned ? WORK : MATRIX_A],
                              *const left = &route->operands[LEFT], *const right = &route->operands[RIGHT];
    return (struct parameters){.library = handle->library, .shape = shape,
                               .type = solver_data_type(route->type),
                               .real_type = solver_real_type(route->type), .mode = CUSOLVER_EIG_MODE_VECTOR,
                               .economic = shape.left_columns == shape.q, .ld = a->ld, .ldu = left->ld,
                               .ldv = right->ld, .a = device_pointer(a->address),
                               .s = device_pointer(route->vectors[VECTOR_S].address),
                               .u = device_pointer(left->address), .v = device_pointer(right->address)};
}

static enum status plan(struct route *route, const struct solver_handle *handle)
{
    const struct parameters p = parameters_of(route, handle);
    size_t device_bytes = 0, host_bytes = 0;
    if (!p.library->gesvdp || !p.library->gesvdp_buffer)
        return STATUS_UNSUPPORTED;
    const enum status status = solver_library_try_eigensolvers(p.library);
    if (status != STATUS_OK)
        return status;
    const int result = p.library->gesvdp_buffer(
        handle->solver, handle->params, p.mode, p.economic, p.shape.p, p.shape.q, p.type, p.a, p.ld,
        p.real_type, p.s, p.type, p.u, p.ldu, p.type, p.v, p.ldv, p.type, &device_bytes, &host_bytes);
    return route_reserve(route, result, device_bytes, host_bytes);
}

static enum status decompose(struct route *route, const struct solver_handle *handle)
{
    const struct parameters p = parameters_of(route, handle);
    return solver_status(p.library,
                         p.library->gesvdp(handle->solver, handle->params, p.mode, p.economic, p.shape.p,
                                           p.shape.q, p.type, p.a, p.ld, p.real_type, p.s, p.type, p.u, p.ldu,
                                           p.type, p.v, p.ldv, p.type, device_pointer(route->workspace),
                                           route->device_workspace_bytes, route->host_workspace,
                                           route->host_workspace_bytes, device_pointer(route->info_address),
                                           &problem_of(route)->error),
                         "cuSOLVER's gesvdp");
}

/* A = U S V', or A' = L S R' and so A = R S L'. */
static enum status queue(struct route *route, const struct solver_handle *handle)
{
    const struct shape shape = shape_of(problem_of(route));
    enum status status = STATUS_OK;
    if (route->operands[UNIT].columns)
        status = device_matrix_set_identity(route, handle, UNIT, route->operands[UNIT].columns);
    if (status == STATUS_OK && shape.turned)
        status = device_matrix_turn(route, handle, MATRIX_A, UNIT, WORK, shape.p, shape.q);
    if (status == STATUS_OK)
        status = decompose(route, handle);
    if (status == STATUS_OK && route->operands[TURNED].home.pointer)
        status = shape.turned
                     ? device_matrix_turn(route, handle, LEFT, UNIT, TURNED, shape.left_columns, shape.p)
                     : device_matrix_turn(route, handle, RIGHT, UNIT, TURNED, shape.q, shape.q);
    return status;
}

static double value_at(const struct singular_problem *problem, int64_t index)
{
    return blas_is_single(problem->type) ? (double)((const float *)problem->values)[index]
                                         : ((const double *)problem->values)[index];
}

/* The error shifts tiny values. */
static bool judge(struct route *route)
{
    const struct singular_problem *const problem = problem_of(route);
    const int64_t least = problem->m < problem->n ? problem->m : problem->n;
    const double epsilon = blas_is_single(route->type) ? (double)FLT_EPSILON : DBL_EPSILON;
    if (route->info != 0 || !route_values_are_finite(problem->values, least, route->type))
        return false;
    for (int64_t i = 1; i < least; i++)
        if (value_at(problem, i) > value_at(problem, i - 1))
            return false;
    return value_at(problem, least - 1) >= 0 && fabs(problem->error) <= epsilon * value_at(problem, 0);
}

static struct route_operand room(int64_t rows, int64_t columns)
{
    return (struct route_operand){.rows = rows, .columns = columns};
}

void singular_describe(struct singular_problem *problem, struct route *route)
{
    static const struct route_method method = {plan, queue, judge};
    const struct shape shape = shape_of(problem);
    const size_t real = blas_is_single(problem->type) ? sizeof(float) : sizeof(double);
    *route = (struct route){.method = &method, .problem = problem, .type = problem->type};
    problem->error = NAN;
    route->operands[MATRIX_A] = room(problem->m, problem->n);
    route->operands[MATRIX_A].up = problem->a;
    route->vectors[VECTOR_S] = (struct route_vector){.bytes = (size_t)shape.q * real,
                                                     .values = problem->values};
    if (shape.turned)
        route->operands[WORK] = room(shape.p, shape.q);
    if (shape.turned || problem->vt.pointer)
        route->operands[UNIT] = room(shape.turned ? shape.left_columns : shape.q,
                                     shape.turned ? shape.left_columns : shape.q);
    route->operands[LEFT] = room(shape.p, shape.left_columns);
    route->operands[RIGHT] = room(shape.q, shape.q);
    if (problem->vt.pointer)
        route->operands[TURNED] = shape.turned ? room(shape.left_columns, shape.p) : room(shape.q, shape.q);
    route->operands[shape.turned ? RIGHT : LEFT].home = problem->u;
    route->operands[TURNED].home = problem->vt;
}
