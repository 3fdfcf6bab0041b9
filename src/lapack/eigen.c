/* Eigenproblems of symmetric and Hermitian matrices, and of tridiagonal ones, as routes. */
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/problems.h"
#include "lapack/route.h"

#include <float.h>
#include <math.h>

enum { MATRIX_A, MATRIX_B };

static struct eigenproblem *problem_of(const struct route *route)
{
    return (struct eigenproblem *)(uintptr_t)route->problem;
}

static double value_at(const struct eigenproblem *problem, int64_t index)
{
    return blas_is_single(problem->type) ? (double)((const float *)problem->values)[index]
                                         : ((const double *)problem->values)[index];
}

static void put_value(struct eigenproblem *problem, int64_t index, double value)
{
    if (blas_is_single(problem->type))
        ((float *)problem->values)[index] = (float)value;
    else
        ((double *)problem->values)[index] = value;
}

/* cuSOLVER sometimes leaves equal values out of order by a rounding. Sorts by insertion, since there is
 * little to do. False: there is much. *moved: some values moved. */
static bool sort_values(struct eigenproblem *problem, bool *moved)
{
    int64_t steps_left = 64 * problem->n;
    *moved = false;
    for (int64_t i = 0; i < problem->n; i++) {
        const double value = value_at(problem, i);
        int64_t place = i;
        for (; place > 0 && value_at(problem, place - 1) > value; place--) {
            put_value(problem, place, value_at(problem, place - 1));
            problem->order[place] = problem->order[place - 1];
            if (--steps_left == 0)
                return false;
        }
        put_value(problem, place, value);
        problem->order[place] = i;
        *moved = *moved || place < i;
    }
    return true;
}

/* Which of the values, all of which are computed, are wanted. */
static void choose_values(struct eigenproblem *problem)
{
    int64_t begin = 0, end = problem->n;
    if (problem->range == EIGEN_INDICES) {
        begin = problem->first - 1;
        end = problem->last;
    } else if (problem->range == EIGEN_INTERVAL) {
        while (begin < end && !(value_at(problem, begin) > problem->above))
            begin++;
        while (end > begin && !(value_at(problem, end - 1) <= problem->up_to))
            end--;
    }
    problem->found_first = begin;
    problem->found = end - begin;
}

/* Before the device has anything to do, so that the engine asks whether they may be written; how many vectors
 * an interval has is known only after it. */
static void name_homes(struct eigenproblem *problem, struct route *route, int64_t columns)
{
    struct route_operand *const a = &route->operands[MATRIX_A];
    if (problem->vectors) {
        a->home = problem->z.pointer ? problem->z : problem->a;
        a->home.part = PART_FULL;
        a->home.columns = columns;
    }
    route->operands[MATRIX_B].home = problem->b;
}

static bool judge(struct route *route)
{
    struct eigenproblem *const problem = problem_of(route);
    struct route_operand *const a = &route->operands[MATRIX_A];
    bool moved;
    const bool has_factor = problem->is_own && problem->itype != 0;
    if (route->info != 0 || (has_factor && route->later_info[0] != 0) ||
        !route_values_are_finite(problem->values, problem->n, problem->type) || !sort_values(problem, &moved))
        return false;
    choose_values(problem);
    name_homes(problem, route, problem->found);
    if (problem->vectors) {
        a->home_first = problem->found_first;
        a->home_order = moved ? problem->order + problem->found_first : NULL;
    }
    return true;
}

static struct solver_eigen_call call_of(const struct route *route)
{
    const struct eigenproblem *const problem = problem_of(route);
    const struct route_operand *const a = &route->operands[MATRIX_A], *const b = &route->operands[MATRIX_B];
    return (struct solver_eigen_call){.type = problem->type, .itype = problem->itype,
                                      .vectors = problem->vectors, .uplo = problem->uplo, .n = problem->n,
                                      .a = a->address, .lda = a->ld, .b = b->address, .ldb = b->ld,
                                      .w = route->vectors[0].address, .info = route->info_address};
}

/* Only an interval's vectors are not known beforehand. Two stages need n^2 numbers more than one. */
static struct own_eigen own_of(const struct route *route)
{
    const struct eigenproblem *const problem = problem_of(route);
    const bool some = problem->range == EIGEN_INDICES;
    const int64_t first = some ? problem->first - 1 : 0, count = some ? problem->last - first : problem->n;
    return (struct own_eigen){.call = call_of(route), .first = problem->vectors ? first : 0,
                              .count = problem->vectors ? count : 0,
                              .way = route->spares_memory ? OWN_EIGEN_ONE_STAGE : OWN_EIGEN_BY_ORDER,
                              .borders = route->two_stages, .cluster_to = route->cluster_to};
}

/* Plans for our own eigensolver, or for cuSOLVER's where the device is not able to do ours. */
static enum status plan(struct route *route, const struct solver_handle *handle)
{
    const struct own_eigen own = own_of(route);
    enum status status = STATUS_UNSUPPORTED;
    if (!route->solvers_alone)
        status = own_eigen_workspace(handle, &own, &route->device_workspace_bytes,
                                     &route->host_workspace_bytes);
    problem_of(route)->is_own = status == STATUS_OK;
    if (status == STATUS_UNSUPPORTED)
        status = solver_eigen_workspace(handle, &own.call, &route->device_workspace_bytes,
                                        &route->host_workspace_bytes);
    return status;
}

static enum status queue(struct route *route, const struct solver_handle *handle)
{
    const struct own_eigen own = own_of(route);
    return problem_of(route)->is_own
               ? own_eigen_run(handle, &own, route->workspace, route->device_workspace_bytes,
                               route->host_workspace, route->host_workspace_bytes)
               : solver_eigen_run(handle, &own.call, route->workspace, route->device_workspace_bytes,
                                  route->host_workspace, route->host_workspace_bytes);
}

void eigen_describe(struct eigenproblem *problem, struct route *route)
{
    static const struct route_method method = {plan, queue, judge};
    const size_t real_bytes = blas_real_bytes(problem->type);
    const bool hermitian = blas_scalar_parts(problem->type) == 2;
    const enum blas_part packed = !problem->packed               ? PART_FULL
                                  : problem->uplo == UPLO_UPPER ? PART_UPPER
                                                                : PART_LOWER;
    *route = (struct route){.method = &method, .problem = problem, .type = problem->type};
    route->operands[MATRIX_A] = (struct route_operand){
        .rows = problem->n, .columns = problem->n, .up = problem->a, .packed = packed, .hermitian = hermitian};
    if (problem->itype)
        route->operands[MATRIX_B] = (struct route_operand){
            .rows = problem->n, .columns = problem->n, .up = problem->b, .packed = packed, .hermitian = hermitian};
    route->vectors[0] = (struct route_vector){.bytes = (size_t)problem->n * real_bytes,
                                              .values = problem->values};
    name_homes(problem, route,
               problem->range == EIGEN_ALL       ? problem->n
               : problem->range == EIGEN_INDICES ? problem->last - problem->first + 1
                                                 : 0);
}

static double modulus_of(const void *numbers, int64_t index, bool is_single)
{
    return is_single ? fabs((double)((const float *)numbers)[index]) : fabs(((const double *)numbers)[index]);
}

/* LAPACK's eps is half of C's. */
static bool is_negligible(double beside, double before, double behind, bool is_single)
{
    const double epsilon = (is_single ? (double)FLT_EPSILON : DBL_EPSILON) / 2;
    return beside <= epsilon * sqrt(before) * sqrt(behind);
}

bool tridiagonal_parts_are_alike(const void *diagonal, const void *beside, int64_t n, enum blas_type type)
{
    const double apart = 1024;
    const bool is_single = blas_is_single(type);
    double part = 0, whole = 0, least = INFINITY;
    int64_t rows = 0;
    for (int64_t i = 0; i < n; i++) {
        const double here = modulus_of(diagonal, i, is_single);
        const double next = i + 1 < n ? modulus_of(beside, i, is_single) : 0;
        part = fmax(part, here);
        rows++;
        if (i + 1 < n && !is_negligible(next, here, modulus_of(diagonal, i + 1, is_single), is_single)) {
            part = fmax(part, next);
            continue;
        }
        whole = fmax(whole, part);
        least = rows > 1 ? fmin(least, part) : least;
        part = 0, rows = 0;
    }
    return least >= whole / apart;
}

void tridiagonal_parts_tear(const void *diagonal, void *beside, int64_t n, enum blas_type type)
{
    const bool is_single = blas_is_single(type);
    for (int64_t i = 0; i + 1 < n; i++) {
        if (!is_negligible(modulus_of(beside, i, is_single), modulus_of(diagonal, i, is_single),
                           modulus_of(diagonal, i + 1, is_single), is_single))
            continue;
        if (is_single)
            ((float *)beside)[i] = 0;
        else
            ((double *)beside)[i] = 0;
    }
}

/* T and its vectors are real whatever the type. A complex Z is a matrix of twice as many real rows. */
enum { MATRIX_RESULT, MATRIX_Z };
enum { VECTOR_D, VECTOR_E };

static const struct tridiagonal_eigenproblem *tridiagonal_of(const struct route *route)
{
    return route->problem;
}

static enum blas_type real_type_of(const struct route *route)
{
    return blas_is_single(route->type) ? TYPE_S : TYPE_D;
}

/* T's vectors are the result at once, or come to the workspace first. */
struct layout {
    bool is_apart;
    int64_t ld;
    size_t vectors, scratch, end;
};

static struct divide_conquer_call division_of(const struct route *route, const struct layout *layout)
{
    const struct tridiagonal_eigenproblem *const problem = tridiagonal_of(route);
    const CUdeviceptr q = layout->is_apart ? route->workspace + layout->vectors
                                           : route->operands[MATRIX_RESULT].address;
    return (struct divide_conquer_call){.type = real_type_of(route), .n = problem->n,
                                        .d = route->vectors[VECTOR_D].address,
                                        .e = route->vectors[VECTOR_E].address, .q = q, .ldq = layout->ld,
                                        .vectors = problem->n, .info = route->info_address};
}

static struct layout lay_out(const struct route *route)
{
    const size_t n = (size_t)tridiagonal_of(route)->n;
    struct layout layout = {.is_apart = tridiagonal_of(route)->updates || route->type != real_type_of(route)};
    layout.ld = layout.is_apart ? ((int64_t)n + 31) / 32 * 32 : route->operands[MATRIX_RESULT].ld;
    const size_t square = (size_t)layout.ld * n * blas_element_bytes(real_type_of(route));
    layout.vectors = workspace_take(&layout.end, layout.is_apart ? square : 0);
    const struct divide_conquer_call division = division_of(route, &layout);
    layout.scratch = workspace_take(&layout.end, divide_conquer_workspace(&division));
    return layout;
}

/* Is T such that LAPACK's scaling makes no difference? False for a matrix of zeros. */
static bool is_plain(const struct route *route)
{
    const enum blas_type type = real_type_of(route);
    const int64_t n = tridiagonal_of(route)->n, count = 2 * n - 1;
    const unsigned char *const diagonal = tridiagonal_of(route)->t;
    const struct blas_matrix t = {
        .pointer = tridiagonal_of(route)->t, .rows = count, .columns = 1, .ld = count, .part = PART_FULL};
    return route_values_are_safe(&t, type) &&
           tridiagonal_parts_are_alike(diagonal, diagonal + (size_t)n * blas_element_bytes(type), n, type);
}

static enum status tridiagonal_plan(struct route *route, const struct solver_handle *handle)
{
    const enum blas_type type = real_type_of(route);
    const int64_t n = tridiagonal_of(route)->n;
    unsigned char *const diagonal = tridiagonal_of(route)->t;
    (void)handle;
    if (!is_plain(route))
        return STATUS_VALUES;
    tridiagonal_parts_tear(diagonal, diagonal + (size_t)n * blas_element_bytes(type), n, type);
    return route_reserve(route, CUSOLVER_STATUS_SUCCESS, lay_out(route).end, 0);
}

static enum status multiply(const struct route *route, const struct solver_handle *handle,
                            const struct layout *layout)
{
    const struct route_operand *const z = &route->operands[MATRIX_Z],
                               *const result = &route->operands[MATRIX_RESULT];
    const enum blas_type type = real_type_of(route);
    const int64_t n = tridiagonal_of(route)->n, parts = blas_scalar_parts(route->type);
    const int code = solver_gemm(handle, type, DEVICE_NO_TRANS, DEVICE_NO_TRANS, parts * n, n, n,
                                 &device_one[type], device_pointer(z->address), parts * z->ld,
                                 device_pointer(route->workspace + layout->vectors), layout->ld,
                                 &device_zero[type], device_pointer(result->address), parts * result->ld);
    return solver_blas_status(handle->library, code, "cuBLAS's gemm");
}

static enum status widen(const struct route *route, const struct solver_handle *handle,
                         const struct layout *layout)
{
    const struct route_operand *const result = &route->operands[MATRIX_RESULT];
    const int64_t n = tridiagonal_of(route)->n;
    const struct device_part vectors = {route->workspace + layout->vectors, layout->ld, n, n, PART_FULL};
    return matrix_part_widen(handle->library->device, handle->stream, &vectors, result->address, result->ld,
                             route->type);
}

static enum status tridiagonal_queue(struct route *route, const struct solver_handle *handle)
{
    const struct layout layout = lay_out(route);
    const struct divide_conquer_call division = division_of(route, &layout);
    const enum status status = divide_conquer_queue(handle, &division, route->workspace + layout.scratch);
    if (status != STATUS_OK || !layout.is_apart)
        return status;
    return tridiagonal_of(route)->updates ? multiply(route, handle, &layout) : widen(route, handle, &layout);
}

static bool tridiagonal_judge(struct route *route)
{
    const struct tridiagonal_eigenproblem *const problem = tridiagonal_of(route);
    return route->info == 0 && route_values_are_finite(problem->t, problem->n, route->type);
}

void tridiagonal_eigen_describe(struct tridiagonal_eigenproblem *problem, struct route *route)
{
    static const struct route_method method = {tridiagonal_plan, tridiagonal_queue, tridiagonal_judge};
    const struct route_operand z = {.rows = problem->n, .columns = problem->n, .finite_suffices = true};
    unsigned char *const t = problem->t;
    *route = (struct route){.method = &method, .problem = problem, .type = problem->type};
    const size_t real = blas_element_bytes(real_type_of(route)), n = (size_t)problem->n;
    route->operands[MATRIX_RESULT] = z;
    route->operands[MATRIX_RESULT].home = problem->z;
    if (problem->updates) {
        route->operands[MATRIX_Z] = z;
        route->operands[MATRIX_Z].up = problem->z;
    }
    route->vectors[VECTOR_D] =
        (struct route_vector){.bytes = n * real, .up = t, .up_numbers = problem->n, .values = t};
    route->vectors[VECTOR_E] =
        (struct route_vector){.bytes = (n - 1) * real, .up = t + n * real, .up_numbers = problem->n - 1};
}
