#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/problems.h"
#include "lapack/route.h"

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
    const size_t real_bytes = blas_is_single(problem->type) ? sizeof(float) : sizeof(double);
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
