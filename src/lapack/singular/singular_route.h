/* singular_route.h - what the routes of singular values (singular.c) and of least squares by them (least_squares.c)
 * share: operands, and the decomposition as a step. */
#ifndef MUBLAS_LAPACK_SINGULAR_ROUTE_H
#define MUBLAS_LAPACK_SINGULAR_ROUTE_H

#include "lapack/device_matrix.h"
#include "lapack/problems.h"
#include "lapack/route.h"

/* WORK is the matrix to decompose, if it is not A itself; TURNED the conjugate transpose that goes home. */
enum { MATRIX_A, WORK, LEFT, RIGHT, TURNED, UNIT };
enum { VECTOR_S };
/* INFO of gesvdp is the first, then those of QR and of the product with Q' for least squares, then two of our own. */
enum { STEP_QR = 1, STEP_PRODUCT, OWN_INFO };

static inline struct singular_problem *singular_problem_of(const struct route *route)
{
    return (struct singular_problem *)(uintptr_t)route->problem;
}

static inline struct route_operand singular_room(int64_t rows, int64_t columns)
{
    return (struct route_operand){.rows = rows, .columns = columns};
}

static inline double singular_value_at(const struct singular_problem *problem, int64_t index)
{
    return blas_is_single(problem->type) ? (double)((const float *)problem->values)[index]
                                         : ((const double *)problem->values)[index];
}

/* Steps of a route_method, of which `decompose` queues the decomposition alone. */
enum status singular_plan(struct route *route, const struct solver_handle *handle);
enum status singular_decompose(struct route *route, const struct solver_handle *handle);
bool singular_judge(struct route *route);

/* The route gets A, values and type. */
void singular_begin(struct singular_problem *problem, struct route *route);

#endif
