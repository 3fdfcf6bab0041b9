#include "common/whole_number.h"
#include "lapack/singular/own_singular.h"
#include "lapack/singular/singular_route.h"

#include <float.h>
#include <math.h>

/* The matrix to decompose, of which operand, is p x q. */
struct shape {
    int64_t p, q, left_columns;
    bool turned;
    int operand;
};

static struct shape shape_of(const struct singular_problem *problem)
{
    const bool turned = problem->m < problem->n;
    struct shape shape = {.p = turned ? problem->n : problem->m, .q = turned ? problem->m : problem->n,
                          .turned = turned, .operand = turned ? WORK : MATRIX_A};
    if (problem->b.pointer) /* R, where QR comes first */
        return (struct shape){.p = problem->n, .q = problem->n, .left_columns = problem->n,
                              .operand = problem->m > problem->n ? WORK : MATRIX_A};
    const int64_t wanted = turned ? problem->vt.rows : problem->u.columns;
    shape.left_columns = wanted > shape.q ? wanted : shape.q;
    return shape;
}

/* The operand's memory where it is wanted. */
static struct bidiagonal_vectors vectors_in(const struct route *route, int operand, bool wanted)
{
    const struct route_operand *const matrix = &route->operands[operand];
    return (struct bidiagonal_vectors){wanted ? matrix->address : 0, matrix->ld};
}

static bool wants_left(const struct singular_problem *problem)
{
    return problem->b.pointer || (problem->m < problem->n ? problem->vt.pointer : problem->u.pointer);
}

static bool wants_right(const struct singular_problem *problem)
{
    return problem->b.pointer || (problem->m < problem->n ? problem->u.pointer : problem->vt.pointer);
}

/* `planned`: operands have no addresses yet. */
static struct own_singular own_of(const struct route *route, bool planned)
{
    const struct singular_problem *const problem = singular_problem_of(route);
    const struct shape shape = shape_of(problem);
    const struct route_operand *const a = &route->operands[problem->b.pointer ? shape.operand : MATRIX_A];
    struct bidiagonal_vectors left = vectors_in(route, LEFT, wants_left(problem)),
                              right = vectors_in(route, RIGHT, wants_right(problem));
    if (planned)
        left.address = wants_left(problem), right.address = wants_right(problem);
    return (struct own_singular){.type = route->type, .m = shape.turned ? shape.q : shape.p,
                                 .n = shape.turned ? shape.p : shape.q, .a = a->address, .lda = a->ld,
                                 .s = route->vectors[VECTOR_S].address, .u = shape.turned ? right : left,
                                 .v = shape.turned ? left : right,
                                 .u_columns = shape.turned ? shape.q : shape.left_columns,
                                 .v_columns = shape.turned ? shape.left_columns : shape.q,
                                 .info = route->info_address + OWN_INFO * sizeof(int)};
}

/* Our own needs memory for what is wanted alone, and turns a wide matrix itself. */
static void name_rooms(struct route *route, bool is_own)
{
    const struct singular_problem *const problem = singular_problem_of(route);
    const struct shape shape = shape_of(problem);
    const int64_t turned = shape.turned ? shape.left_columns : shape.q;
    route->operands[LEFT].columns = is_own && !wants_left(problem) ? 0 : shape.left_columns;
    route->operands[RIGHT].columns = is_own && !wants_right(problem) ? 0 : shape.q;
    if (problem->b.pointer)
        return;
    route->operands[WORK].columns = shape.turned && !is_own ? shape.q : 0;
    route->operands[UNIT].columns = !is_own && (problem->vt.pointer || shape.turned) ? turned : 0;
}

/* cuSOLVER's parameters. Without vectors it returned wrong values, and later failed (12.0.4, H100), so the
 * route always asks it for vectors. */
struct parameters {
    const struct solver_library *library;
    struct shape shape;
    int type, real_type, mode, economic;
    int64_t ld, ldu, ldv;
    void *a, *s, *u, *v;
};

static struct parameters parameters_of(const struct route *route, const struct solver_handle *handle)
{
    const struct shape shape = shape_of(singular_problem_of(route));
    const struct route_operand *const a = &route->operands[shape.operand],
                              *const left = &route->operands[LEFT], *const right = &route->operands[RIGHT];
    return (struct parameters){.library = handle->library, .shape = shape,
                               .type = solver_data_type(route->type),
                               .real_type = solver_real_type(route->type), .mode = CUSOLVER_EIG_MODE_VECTOR,
                               .economic = shape.left_columns == shape.q, .ld = a->ld, .ldu = left->ld,
                               .ldv = right->ld, .a = device_pointer(a->address),
                               .s = device_pointer(route->vectors[VECTOR_S].address),
                               .u = device_pointer(left->address), .v = device_pointer(right->address)};
}

/* gesvdp does not take QR first of a long matrix. */
static enum status plan_solver(struct route *route, const struct solver_handle *handle)
{
    enum { RATIO_MOST = 8 };
    const struct parameters p = parameters_of(route, handle);
    size_t device_bytes = 0, host_bytes = 0;
    if (!p.library->gesvdp || !p.library->gesvdp_buffer || p.shape.p / RATIO_MOST > p.shape.q)
        return STATUS_UNSUPPORTED;
    const enum status status = solver_library_try_eigensolvers(p.library);
    if (status != STATUS_OK)
        return status;
    const int result = p.library->gesvdp_buffer(
        handle->solver, handle->params, p.mode, p.economic, p.shape.p, p.shape.q, p.type, p.a, p.ld,
        p.real_type, p.s, p.type, p.u, p.ldu, p.type, p.v, p.ldv, p.type, &device_bytes, &host_bytes);
    return route_reserve(route, result, device_bytes, host_bytes);
}

/* gesvdp does what the device is not able to do by our own kernels, or has too little memory for. */
enum status singular_plan(struct route *route, const struct solver_handle *handle)
{
    const struct own_singular own = own_of(route, true);
    struct singular_problem *const problem = singular_problem_of(route);
    size_t device_bytes = 0, host_bytes = 0;
    problem->is_own = !route->solvers_alone && !route->spares_memory &&
                      own_singular_workspace(handle, &own, &device_bytes, &host_bytes) == STATUS_OK;
    name_rooms(route, problem->is_own);
    return problem->is_own ? route_reserve(route, CUSOLVER_STATUS_SUCCESS, device_bytes, host_bytes)
                           : plan_solver(route, handle);
}

enum status singular_decompose(struct route *route, const struct solver_handle *handle)
{
    const struct parameters p = parameters_of(route, handle);
    const struct own_singular own = own_of(route, false);
    if (singular_problem_of(route)->is_own)
        return own_singular_run(handle, &own, route->workspace, route->device_workspace_bytes,
                                route->host_workspace, route->host_workspace_bytes);
    return solver_status(p.library,
                         p.library->gesvdp(handle->solver, handle->params, p.mode, p.economic, p.shape.p,
                                           p.shape.q, p.type, p.a, p.ld, p.real_type, p.s, p.type, p.u, p.ldu,
                                           p.type, p.v, p.ldv, p.type, device_pointer(route->workspace),
                                           route->device_workspace_bytes, route->host_workspace,
                                           route->host_workspace_bytes, device_pointer(route->info_address),
                                           &singular_problem_of(route)->error),
                         "cuSOLVER's gesvdp");
}

/* V' is the conjugate transpose of `from`, which has so many rows and columns. */
static enum status queue_turned(const struct route *route, const struct solver_handle *handle, int from,
                                int64_t rows, int64_t columns)
{
    const struct route_operand *const v = &route->operands[from], *const turned = &route->operands[TURNED];
    const struct device_part part = {v->address, v->ld, rows, columns, PART_FULL};
    return singular_problem_of(route)->is_own
               ? own_singular_adjoint_queue(handle, route->type, &part, turned->address, turned->ld)
               : device_matrix_turn(route, handle, from, UNIT, TURNED, columns, rows);
}

/* A = U S V', or A' = L S R' and so A = R S L'. */
static enum status queue(struct route *route, const struct solver_handle *handle)
{
    const struct shape shape = shape_of(singular_problem_of(route));
    enum status status = STATUS_OK;
    if (route->operands[UNIT].columns)
        status = device_matrix_set_identity(route, handle, UNIT, route->operands[UNIT].columns);
    if (status == STATUS_OK && shape.turned && !singular_problem_of(route)->is_own)
        status = device_matrix_turn(route, handle, MATRIX_A, UNIT, WORK, shape.p, shape.q);
    if (status == STATUS_OK)
        status = singular_decompose(route, handle);
    if (status == STATUS_OK && route->operands[TURNED].home.pointer)
        status = shape.turned ? queue_turned(route, handle, LEFT, shape.p, shape.left_columns)
                              : queue_turned(route, handle, RIGHT, shape.q, shape.q);
    return status;
}

static bool has_own_failed(const struct route *route)
{
    return route->later_info[OWN_INFO - 1] != 0 || route->later_info[OWN_INFO] != 0;
}

/* gesvdp's error shifts tiny values. */
bool singular_judge(struct route *route)
{
    const struct singular_problem *const problem = singular_problem_of(route);
    const int64_t least = problem->m < problem->n ? problem->m : problem->n;
    const double epsilon = blas_is_single(route->type) ? (double)FLT_EPSILON : DBL_EPSILON;
    if (problem->is_own ? has_own_failed(route) : route->info != 0)
        return false;
    if (!route_values_are_finite(problem->values, least, route->type))
        return false;
    for (int64_t i = 1; i < least; i++)
        if (singular_value_at(problem, i) > singular_value_at(problem, i - 1))
            return false;
    return singular_value_at(problem, least - 1) >= 0 &&
           (problem->is_own || fabs(problem->error) <= epsilon * singular_value_at(problem, 0));
}

void singular_begin(struct singular_problem *problem, struct route *route)
{
    static const struct route_method method = {singular_plan, queue, singular_judge};
    const int64_t values = smaller(problem->m, problem->n);
    *route = (struct route){.method = &method, .problem = problem, .type = problem->type};
    problem->error = NAN;
    route->operands[MATRIX_A] = singular_room(problem->m, problem->n);
    route->operands[MATRIX_A].up = problem->a;
    route->vectors[VECTOR_S] = (struct route_vector){
        .bytes = (size_t)values * blas_real_bytes(problem->type), .values = problem->values};
}

void singular_describe(struct singular_problem *problem, struct route *route)
{
    const struct shape shape = shape_of(problem);
    singular_begin(problem, route);
    const int64_t turned_columns = shape.turned ? shape.left_columns : shape.q;
    route->operands[WORK] = singular_room(shape.p, 0);
    route->operands[UNIT] = singular_room(turned_columns, 0);
    route->operands[LEFT] = singular_room(shape.p, shape.left_columns);
    route->operands[RIGHT] = singular_room(shape.q, shape.q);
    if (problem->vt.pointer)
        route->operands[TURNED] =
            singular_room(round_up(turned_columns, ADJOINT_UNIT), shape.turned ? shape.p : shape.q);
    route->operands[shape.turned ? RIGHT : LEFT].home = problem->u;
    route->operands[TURNED].home = problem->vt;
}
