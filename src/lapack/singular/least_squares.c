#include "lapack/device_matrix.h"
#include "lapack/singular/singular_route.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

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
    const struct singular_problem *const problem = singular_problem_of(route);
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
    const enum status status = singular_plan(route, handle);
    return status == STATUS_OK && is_long(singular_problem_of(route)) ? plan_qr(route, handle) : status;
}

/* R becomes the square, and B its product with Q'. */
static enum status queue_qr(struct route *route, const struct solver_handle *handle)
{
    const struct singular_problem *const problem = singular_problem_of(route);
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

static enum status wait_for_values(const struct solver_handle *handle)
{
    const char *const what = "finding singular values";
    return handle->watch ? stream_watch_wait(handle->watch, what)
                         : device_check(handle->library->device, driver()->stream_synchronise(handle->stream), what);
}

/* The values come home at once: which of them count is the host's to say. A copy to memory that is not pinned waits
 * for all before it, without the watch's deadline. So it comes behind the wait. */
static enum status fetch_values(const struct route *route, const struct solver_handle *handle)
{
    const struct route_vector *const s = &route->vectors[VECTOR_S];
    const enum status status = wait_for_values(handle);
    return status == STATUS_OK
               ? device_check(handle->library->device,
                              driver()->copy_to_host_async(s->values, s->address, s->bytes, handle->stream),
                              "fetching singular values")
               : status;
}

/* gesvdp's error must not change what counts. STATUS_UNSUCCESSFUL: it might. */
static enum status choose_values(struct singular_problem *problem)
{
    const double epsilon = blas_is_single(problem->type) ? (double)FLT_EPSILON : DBL_EPSILON;
    const double largest = singular_value_at(problem, 0), least = problem->least * largest;
    const size_t element = blas_element_bytes(problem->type);
    memset(problem->reciprocals, 0, (size_t)problem->n * element);
    problem->rank = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const double value = singular_value_at(problem, i), reciprocal = 1 / value;
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
    const struct singular_problem *const problem = singular_problem_of(route);
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
    const int64_t n = singular_problem_of(route)->n;
    const int code = solver_gemm(handle, route->type, trans, DEVICE_NO_TRANS, n, columns, n,
                                 &device_one[route->type], operand_at(route, a), operands[a].ld,
                                 operand_at(route, b), operands[b].ld, &device_zero[route->type],
                                 operand_at(route, result), operands[result].ld);
    return solver_blas_status(handle->library, code, "cuBLAS's gemm");
}

/* L' B, then R inv(S) in L's place, then X. */
static enum status queue_solution(struct route *route, const struct solver_handle *handle)
{
    struct singular_problem *const problem = singular_problem_of(route);
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
    struct singular_problem *const problem = singular_problem_of(route);
    enum status status = is_long(problem) ? queue_qr(route, handle) : STATUS_OK;
    if (status == STATUS_OK)
        status = singular_decompose(route, handle);
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
    return singular_judge(route) && (!is_long(singular_problem_of(route)) || (route->later_info[STEP_QR - 1] == 0 &&
                                                            route->later_info[STEP_PRODUCT - 1] == 0));
}

void least_squares_describe(struct singular_problem *problem, struct route *route)
{
    static const struct route_method method = {plan_least_squares, queue_least_squares, judge_least_squares};
    const size_t bytes = (size_t)problem->n * blas_element_bytes(problem->type);
    const int64_t n = problem->n;
    singular_begin(problem, route);
    route->method = &method;
    route->operands[MATRIX_A].home = problem->vt;
    route->operands[SIDES] = singular_room(problem->m, problem->b.columns);
    route->operands[SIDES].up = route->operands[SIDES].home = problem->b;
    route->operands[SQUARE] = route->operands[LEFT] = route->operands[RIGHT] = singular_room(n, n);
    route->operands[PRODUCT] = singular_room(n, problem->b.columns);
    route->vectors[VECTOR_RECIPROCALS] = route->vectors[VECTOR_TAU] = (struct route_vector){.bytes = bytes};
}
