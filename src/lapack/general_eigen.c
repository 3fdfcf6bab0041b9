#include "lapack/device_matrix.h"
#include "lapack/problems.h"
#include "lapack/route.h"

#include <math.h>

enum { MATRIX_A, VECTORS };
enum { VECTOR_W };

/* A part of an eigenvalue of complex or real A. */
static double general_eigen_value(const struct general_eigenproblem *problem, int64_t index, int part)
{
    const int64_t at = 2 * index + part;
    return blas_is_single(problem->type) ? (double)((const float *)problem->values)[at]
                                         : ((const double *)problem->values)[at];
}

/* cuSOLVER's parameters: values are always complex. */
struct parameters {
    const struct general_eigenproblem *problem;
    const struct solver_library *library;
    int type, value_type, mode;
    int64_t lda, ldvr;
    void *a, *w, *vr;
};

static struct parameters parameters_of(const struct route *route, const struct solver_handle *handle)
{
    const struct general_eigenproblem *const problem = route->problem;
    const struct route_operand *const a = &route->operands[MATRIX_A], *const vr = &route->operands[VECTORS];
    return (struct parameters){.problem = problem, .library = handle->library,
                               .type = solver_data_type(route->type),
                               .value_type = solver_data_type(blas_is_single(route->type) ? TYPE_C : TYPE_Z),
                               .mode = problem->with_vectors ? CUSOLVER_EIG_MODE_VECTOR
                                                             : CUSOLVER_EIG_MODE_NOVECTOR,
                               .lda = a->ld, .ldvr = problem->with_vectors ? vr->ld : problem->n,
                               .a = device_pointer(a->address),
                               .w = device_pointer(route->vectors[VECTOR_W].address),
                               .vr = problem->with_vectors ? device_pointer(vr->address) : NULL};
}

static enum status plan(struct route *route, const struct solver_handle *handle)
{
    const struct parameters p = parameters_of(route, handle);
    size_t device_bytes = 0, host_bytes = 0;
    if (!p.problem->is_balanced || !p.library->geev || !p.library->geev_buffer)
        return STATUS_UNSUPPORTED;
    const enum status status = solver_library_try_eigensolvers(p.library);
    if (status != STATUS_OK)
        return status;
    const int result = p.library->geev_buffer(handle->solver, handle->params, CUSOLVER_EIG_MODE_NOVECTOR,
                                              p.mode, p.problem->n, p.type, p.a, p.lda, p.value_type, p.w,
                                              p.type, NULL, p.problem->n, p.type, p.vr, p.ldvr, p.type,
                                              &device_bytes, &host_bytes);
    return route_reserve(route, result, device_bytes, host_bytes);
}

static enum status queue(struct route *route, const struct solver_handle *handle)
{
    const struct parameters p = parameters_of(route, handle);
    return solver_status(p.library,
                         p.library->geev(handle->solver, handle->params, CUSOLVER_EIG_MODE_NOVECTOR, p.mode,
                                         p.problem->n, p.type, p.a, p.lda, p.value_type, p.w, p.type, NULL,
                                         p.problem->n, p.type, p.vr, p.ldvr, p.type,
                                         device_pointer(route->workspace), route->device_workspace_bytes,
                                         route->host_workspace, route->host_workspace_bytes,
                                         device_pointer(route->info_address)),
                         "cuSOLVER's geev");
}

static bool pairs_are_exact(const struct general_eigenproblem *problem)
{
    for (int64_t i = 0; i < problem->n; i++) {
        const double imaginary = general_eigen_value(problem, i, 1);
        if (imaginary == 0)
            continue;
        if (imaginary < 0 || i + 1 == problem->n || general_eigen_value(problem, i + 1, 1) != -imaginary ||
            general_eigen_value(problem, i + 1, 0) != general_eigen_value(problem, i, 0))
            return false;
        i++;
    }
    return true;
}

static bool judge(struct route *route)
{
    const struct general_eigenproblem *const problem = route->problem;
    return route->info == 0 && route_values_are_finite(problem->values, 2 * problem->n, problem->type) &&
           (blas_scalar_parts(problem->type) == 2 || pairs_are_exact(problem));
}

static bool accept(const struct route *route)
{
    const struct general_eigenproblem *const problem = route->problem;
    return !problem->with_vectors || route_values_of_matrix_are_finite(&problem->vectors, problem->type);
}

void general_eigen_describe(struct general_eigenproblem *problem, struct route *route)
{
    static const struct route_method method = {plan, queue, judge};
    const size_t pair = blas_element_bytes(blas_is_single(problem->type) ? TYPE_C : TYPE_Z);
    *route = (struct route){.method = &method, .problem = problem, .type = problem->type, .accept = accept};
    route->operands[MATRIX_A] = (struct route_operand){
        .rows = problem->n, .columns = problem->n, .up = problem->a};
    if (problem->with_vectors)
        route->operands[VECTORS] = (struct route_operand){
            .rows = problem->n, .columns = problem->n, .home = problem->vectors};
    route->vectors[VECTOR_W] = (struct route_vector){.bytes = (size_t)problem->n * pair,
                                                     .values = problem->values};
}

#define REAL float
#define NAME(name) single_##name
#include "lapack/general_eigen_normalise.inc"
#undef REAL
#undef NAME
#define REAL double
#define NAME(name) double_##name
#include "lapack/general_eigen_normalise.inc"
#undef REAL
#undef NAME

void general_eigen_normalise(const struct general_eigenproblem *problem)
{
    if (blas_is_single(problem->type))
        single_normalise(problem);
    else
        double_normalise(problem);
}
