#include "lapack/device_matrix.h"
#include "lapack/matrix_part.h"
#include "lapack/problems.h"
#include "lapack/route.h"
#include "lapack/singular/own_singular.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* WORK is the matrix to decompose, if it is not A itself; TURNED the conjugate transpose that goes home. */
enum { MATRIX_A, WORK, LEFT, RIGHT, TURNED, UNIT };
enum { VECTOR_S };
/* INFO of gesvdp is the first, then those of QR and of the product with Q' for least squares, then two of our own. */
enum { STEP_QR = 1, STEP_PRODUCT, OWN_INFO };

static struct singular_problem *problem_of(const struct route *route)
{
    return (struct singular_problem *)(uintptr_t)route->problem;
}

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
    const struct singular_problem *const problem = problem_of(route);
    const struct shape shape = shape_of(problem);
    const struct route_operand *const a = &route->operands[shape.operand];
    struct own_singular own = {.type = route->type, .m = shape.p, .n = shape.q, .a = a->address, .lda = a->ld,
                               .s = route->vectors[VECTOR_S].address, .u_columns = shape.left_columns,
                               .u = vectors_in(route, LEFT, wants_left(problem)),
                               .v = vectors_in(route, RIGHT, wants_right(problem)),
                               .info = route->info_address + OWN_INFO * sizeof(int)};
    if (planned) {
        own.u.address = wants_left(problem);
        own.v.address = wants_right(problem);
    }
    return own;
}

/* Our own needs memory for what is wanted alone. */
static void name_vectors(struct route *route, bool is_own)
{
    const struct singular_problem *const problem = problem_of(route);
    const struct shape shape = shape_of(problem);
    route->operands[LEFT].columns = is_own && !wants_left(problem) ? 0 : shape.left_columns;
    route->operands[RIGHT].columns = is_own && !wants_right(problem) ? 0 : shape.q;
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
    const struct shape shape = shape_of(problem_of(route));
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

/* By our own kernels, or by gesvdp where the device is not able to do ours or has too little memory for them. */
static enum status plan(struct route *route, const struct solver_handle *handle)
{
    const struct own_singular own = own_of(route, true);
    struct singular_problem *const problem = problem_of(route);
    size_t device_bytes = 0, host_bytes = 0;
    problem->is_own = !route->solvers_alone && !route->spares_memory &&
                      own_singular_workspace(handle, &own, &device_bytes, &host_bytes) == STATUS_OK;
    name_vectors(route, problem->is_own);
    return problem->is_own ? route_reserve(route, CUSOLVER_STATUS_SUCCESS, device_bytes, host_bytes)
                           : plan_solver(route, handle);
}

static enum status decompose(struct route *route, const struct solver_handle *handle)
{
    const struct parameters p = parameters_of(route, handle);
    const struct own_singular own = own_of(route, false);
    if (problem_of(route)->is_own)
        return own_singular_run(handle, &own, route->workspace, route->device_workspace_bytes,
                                route->host_workspace, route->host_workspace_bytes);
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

static bool has_own_failed(const struct route *route)
{
    return route->later_info[OWN_INFO - 1] != 0 || route->later_info[OWN_INFO] != 0;
}

/* gesvdp's error shifts tiny values. */
static bool judge(struct route *route)
{
    const struct singular_problem *const problem = problem_of(route);
    const int64_t least = problem->m < problem->n ? problem->m : problem->n;
    const double epsilon = blas_is_single(route->type) ? (double)FLT_EPSILON : DBL_EPSILON;
    if (problem->is_own ? has_own_failed(route) : route->info != 0)
        return false;
    if (!route_values_are_finite(problem->values, least, route->type))
        return false;
    for (int64_t i = 1; i < least; i++)
        if (value_at(problem, i) > value_at(problem, i - 1))
            return false;
    return value_at(problem, least - 1) >= 0 &&
           (problem->is_own || fabs(problem->error) <= epsilon * value_at(problem, 0));
}

static struct route_operand room(int64_t rows, int64_t columns)
{
    return (struct route_operand){.rows = rows, .columns = columns};
}

/* Least squares. A = Q R, where it has more rows than columns, and R = L S R'. So X = R inv(S) L' Q' B. */
enum { SQUARE = WORK, PRODUCT = TURNED, SIDES = UNIT };
enum { VECTOR_RECIPROCALS = 1, VECTOR_TAU };

static int *info_of(const struct route *route, int step)
{
    return (int *)device_pointer(route->info_address) + step;
}

static void *operand_at(const struct route *route, int operand)
{
    return device_pointer(route->operands[operand].address);
}

static bool is_long(const struct singular_problem *problem)
{
    return problem->m > problem->n;
}

static enum status plan_qr(struct route *route, const struct solver_handle *handle)
{
    const struct singular_problem *const problem = problem_of(route);
    const struct solver_library *const library = handle->library;
    const struct route_operand *const a = &route->operands[MATRIX_A], *const b = &route->operands[SIDES];
    const int type = solver_data_type(route->type);
    void *const tau = device_pointer(route->vectors[VECTOR_TAU].address);
    size_t device_bytes = SIZE_MAX, host_bytes = SIZE_MAX;
    int elements = -1;
    if (!library->geqrf || !library->geqrf_buffer || !library->ormqr[route->type] ||
        !library->ormqr_buffer[route->type] || a->ld * a->columns > INT_MAX || b->ld * b->columns > INT_MAX)
        return STATUS_UNSUPPORTED;
    int result = library->geqrf_buffer(handle->solver, handle->params, problem->m, problem->n, type,
                                       operand_at(route, MATRIX_A), a->ld, type, tau, type, &device_bytes,
                                       &host_bytes);
    const enum status status = route_reserve(route, result, device_bytes, host_bytes);
    if (status != STATUS_OK)
        return status;
    result = library->ormqr_buffer[route->type](
        handle->solver, DEVICE_LEFT, device_adjoint(route->type), (int)problem->m, (int)problem->b.columns,
        (int)problem->n, operand_at(route, MATRIX_A), (int)a->ld, tau, operand_at(route, SIDES), (int)b->ld,
        &elements);
    return route_reserve_elements(route, result, elements);
}

static enum status plan_least_squares(struct route *route, const struct solver_handle *handle)
{
    const enum status status = plan(route, handle);
    return status == STATUS_OK && is_long(problem_of(route)) ? plan_qr(route, handle) : status;
}

/* R becomes the square, and B its product with Q'. */
static enum status queue_qr(struct route *route, const struct solver_handle *handle)
{
    const struct singular_problem *const problem = problem_of(route);
    const struct solver_library *const library = handle->library;
    const struct route_operand *const a = &route->operands[MATRIX_A], *const square = &route->operands[SQUARE],
                              *const b = &route->operands[SIDES];
    const struct device_part r = {a->address, a->ld, problem->n, problem->n, PART_UPPER};
    const size_t bytes = (size_t)(square->ld * square->columns) * blas_element_bytes(route->type);
    const int type = solver_data_type(route->type);
    const size_t elements = route->device_workspace_bytes / blas_element_bytes(route->type);
    void *const tau = device_pointer(route->vectors[VECTOR_TAU].address);
    enum status status = solver_status(
        library,
        library->geqrf(handle->solver, handle->params, problem->m, problem->n, type, operand_at(route, MATRIX_A),
                       a->ld, type, tau, type, device_pointer(route->workspace), route->device_workspace_bytes,
                       route->host_workspace, route->host_workspace_bytes, info_of(route, STEP_QR)),
        "cuSOLVER's geqrf");
    if (status == STATUS_OK)
        status = solver_status(
            library,
            library->ormqr[route->type](handle->solver, DEVICE_LEFT, device_adjoint(route->type), (int)problem->m,
                                        (int)problem->b.columns, (int)problem->n, operand_at(route, MATRIX_A),
                                        (int)a->ld, tau, operand_at(route, SIDES), (int)b->ld,
                                        device_pointer(route->workspace),
                                        elements < INT_MAX ? (int)elements : INT_MAX,
                                        info_of(route, STEP_PRODUCT)),
            "cuSOLVER's ormqr");
    if (status == STATUS_OK)
        status = device_check(library->device,
                              driver()->memory_set_async(square->address, 0, bytes, handle->stream),
                              "clearing a square");
    return status == STATUS_OK ? matrix_part_copy(library->device, handle->stream, &r, square->address,
                                                  square->ld, route->type)
                               : status;
}

/* The values come home at once: which of them count is the host's to say. */
static enum status fetch_values(const struct route *route, const struct solver_handle *handle)
{
    const struct route_vector *const s = &route->vectors[VECTOR_S];
    const enum status status =
        device_check(handle->library->device,
                     driver()->copy_to_host_async(s->values, s->address, s->bytes, handle->stream),
                     "fetching singular values");
    if (status != STATUS_OK || handle->watch)
        return status == STATUS_OK ? stream_watch_wait(handle->watch, "finding singular values") : status;
    return device_check(handle->library->device, driver()->stream_synchronise(handle->stream),
                        "finding singular values");
}

/* gesvdp's error must not change what counts. STATUS_UNSUCCESSFUL: it might. */
static enum status choose_values(struct singular_problem *problem)
{
    const double epsilon = blas_is_single(problem->type) ? (double)FLT_EPSILON : DBL_EPSILON;
    const double largest = value_at(problem, 0), least = problem->least * largest;
    const size_t element = blas_element_bytes(problem->type);
    memset(problem->reciprocals, 0, (size_t)problem->n * element);
    problem->rank = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const double value = value_at(problem, i), reciprocal = 1 / value;
        char *const at = (char *)problem->reciprocals + (size_t)i * element;
        if (!(fabs(value - least) > 8 * epsilon * largest))
            return STATUS_UNSUCCESSFUL;
        if (value < least)
            continue;
        problem->rank++;
        if (blas_is_single(problem->type))
            *(float *)(void *)at = (float)reciprocal;
        else
            *(double *)(void *)at = reciprocal;
    }
    return STATUS_OK;
}

/* The square becomes diagonal. */
static enum status queue_reciprocals(struct route *route, const struct solver_handle *handle)
{
    const struct singular_problem *const problem = problem_of(route);
    const struct route_operand *const square = &route->operands[SQUARE];
    const size_t element = blas_element_bytes(route->type),
                 bytes = (size_t)(square->ld * square->columns) * element;
    const CUdeviceptr vector = route->vectors[VECTOR_RECIPROCALS].address;
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = vector, .srcPitch = element,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = square->address,
                                .dstPitch = ((size_t)square->ld + 1) * element, .WidthInBytes = element,
                                .Height = (size_t)problem->n};
    CUresult result = driver()->copy_to_device_async(vector, problem->reciprocals, (size_t)problem->n * element,
                                                     handle->stream);
    if (result == CUDA_SUCCESS)
        result = driver()->memory_set_async(square->address, 0, bytes, handle->stream);
    if (result == CUDA_SUCCESS)
        result = driver()->copy_2d_async(&copy, handle->stream);
    return device_check(handle->library->device, result, "making a diagonal matrix");
}

/* result = op(a) b, all with leading dimensions of operands. */
static enum status multiply(const struct route *route, const struct solver_handle *handle, int trans, int a,
                            int b, int64_t columns, int result)
{
    const struct route_operand *const operands = route->operands;
    const int64_t n = problem_of(route)->n;
    const int code = solver_gemm(handle, route->type, trans, DEVICE_NO_TRANS, n, columns, n,
                                 &device_one[route->type], operand_at(route, a), operands[a].ld,
                                 operand_at(route, b), operands[b].ld, &device_zero[route->type],
                                 operand_at(route, result), operands[result].ld);
    return solver_blas_status(handle->library, code, "cuBLAS's gemm");
}

/* L' B, then R inv(S) in L's place, then X. */
static enum status queue_solution(struct route *route, const struct solver_handle *handle)
{
    struct singular_problem *const problem = problem_of(route);
    const int64_t sides = problem->b.columns;
    enum status status = multiply(route, handle, DEVICE_CONJUGATE_TRANS, LEFT, SIDES, sides, PRODUCT);
    if (status == STATUS_OK)
        status = fetch_values(route, handle);
    if (status == STATUS_OK)
        status = choose_values(problem);
    if (status == STATUS_OK)
        status = queue_reciprocals(route, handle);
    if (status == STATUS_OK)
        status = multiply(route, handle, DEVICE_NO_TRANS, RIGHT, SQUARE, problem->n, LEFT);
    return status == STATUS_OK ? multiply(route, handle, DEVICE_NO_TRANS, LEFT, PRODUCT, sides, SIDES) : status;
}

static enum status queue_least_squares(struct route *route, const struct solver_handle *handle)
{
    struct singular_problem *const problem = problem_of(route);
    enum status status = is_long(problem) ? queue_qr(route, handle) : STATUS_OK;
    if (status == STATUS_OK)
        status = decompose(route, handle);
    if (status == STATUS_OK)
        status = queue_solution(route, handle);
    if (status == STATUS_OK && problem->vt.pointer) {
        status = device_matrix_set_identity(route, handle, SQUARE, problem->n);
        if (status == STATUS_OK)
            status = device_matrix_turn(route, handle, RIGHT, SQUARE, MATRIX_A, problem->n, problem->n);
    }
    return status;
}

static bool judge_least_squares(struct route *route)
{
    return judge(route) && (!is_long(problem_of(route)) || (route->later_info[STEP_QR - 1] == 0 &&
                                                            route->later_info[STEP_PRODUCT - 1] == 0));
}

static void describe_least_squares(struct singular_problem *problem, struct route *route)
{
    static const struct route_method method = {plan_least_squares, queue_least_squares, judge_least_squares};
    const size_t bytes = (size_t)problem->n * blas_element_bytes(problem->type);
    const int64_t n = problem->n;
    route->method = &method;
    route->operands[MATRIX_A].home = problem->vt;
    route->operands[SIDES] = room(problem->m, problem->b.columns);
    route->operands[SIDES].up = route->operands[SIDES].home = problem->b;
    route->operands[SQUARE] = route->operands[LEFT] = route->operands[RIGHT] = room(n, n);
    route->operands[PRODUCT] = room(n, problem->b.columns);
    route->vectors[VECTOR_RECIPROCALS] = route->vectors[VECTOR_TAU] = (struct route_vector){.bytes = bytes};
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
    if (problem->b.pointer) {
        describe_least_squares(problem, route);
        return;
    }
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
