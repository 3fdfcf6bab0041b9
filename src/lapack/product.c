#include "gpu/vendor/vendor_library.h"
#include "lapack/problems.h"

enum { PRODUCT_A, PRODUCT_B, PRODUCT_C };

static struct blas_matrix *matrix_of(struct blas_call *call, int number)
{
    struct blas_matrix *const matrices[] = {&call->a, &call->b, &call->c};
    return matrices[number];
}

static enum status plan(struct route *route, const struct solver_handle *handle)
{
    const struct product_problem *const problem = route->problem;
    struct blas_call call = problem->call;
    for (int i = PRODUCT_A; i <= PRODUCT_C; i++)
        matrix_of(&call, i)->ld = route->operands[i].ld;
    return level3_supported(handle->library->device, &call) ? STATUS_OK : STATUS_UNSUPPORTED;
}

static enum status queue(struct route *route, const struct solver_handle *handle)
{
    const struct product_problem *const problem = route->problem;
    struct blas_call call = problem->call;
    for (int i = PRODUCT_A; i <= PRODUCT_C; i++) {
        struct blas_matrix *const matrix = matrix_of(&call, i);
        matrix->ld = route->operands[i].ld;
        if (matrix->pointer)
            matrix->pointer = (void *)(uintptr_t)route->operands[i].address;
    }
    return level3_queue(handle->library->device, handle->stream, &call);
}

static bool judge(struct route *route)
{
    (void)route; /* level 3 has no INFO */
    return true;
}

void product_describe(struct product_problem *problem, struct route *route)
{
    static const struct route_method method = {plan, queue, judge};
    struct blas_call *const call = &problem->call;
    *route = (struct route){.method = &method, .problem = problem, .type = call->type,
                            .takes_any_values = true};
    for (int i = PRODUCT_A; i <= PRODUCT_C; i++) {
        const struct blas_matrix *const matrix = matrix_of(call, i);
        const bool is_read =
            i != PRODUCT_C || blas_is_in_place(call) || !blas_scalar_is_zero(call->type, call->beta);
        if (!matrix->pointer)
            continue;
        route->operands[i].rows = matrix->rows;
        route->operands[i].columns = matrix->columns;
        if (is_read)
            route->operands[i].up = *matrix;
    }
    route->operands[PRODUCT_C].home = call->c;
}
