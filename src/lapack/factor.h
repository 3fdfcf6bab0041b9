/* factor.h - factorisations, solutions and inverses wholly on the device: Cholesky, LU, QR, triangular
 * inverses.
 *
 * They have LAPACK's real names and results: potrf, potrs, posv, potri; getrf, getrs, gesv, getri; geqrf,
 * orgqr, ormqr, gels (for m >= n, of A itself); trtri. */
#ifndef MUBLAS_FACTOR_H
#define MUBLAS_FACTOR_H

#include "lapack/device_matrix.h"
#include "lapack/families.h"
#include "lapack/route.h"

#include <limits.h>

/* Whatever the routine has. */
struct factor_problem {
    enum lapack_family family;
    enum blas_type type;
    enum blas_uplo uplo;
    enum blas_trans trans;
    enum blas_side side;
    enum blas_diag diag;
    bool packed;             /* a is a packed triangle, as packed_matrix describes it */
    int64_t m, n, k;         /* rows, columns; right-hand sides or reflectors */
    struct blas_matrix a, b; /* host memory; b: B, or C */
    const void *tau_up;      /* for QR: host memory that is read; NULL: the routine computes it */
    /* Private memory. Pivots count from 1. `order` and `diagonal`: n elements for the route alone. */
    int64_t *pivots, *order; /* for LU: min(m, n) pivots; the caller fills them if pivots_up, else the
                                route */
    bool pivots_up;
    void *tau, *diagonal;    /* for QR: min(m, n) elements that are written */
};

/* Describes the work. The problem must live as long as the route. */
void factor_describe(struct factor_problem *problem, struct route *route);

void lu_describe(struct factor_problem *problem, struct route *route);
void qr_describe(struct factor_problem *problem, struct route *route);

/* For their methods. */
enum { FACTOR_A, FACTOR_B };

static inline const struct factor_problem *factor_problem_of(const struct route *route)
{
    return route->problem;
}

static inline int factor_fill(const struct factor_problem *problem)
{
    return problem->uplo == UPLO_UPPER ? DEVICE_UPPER : DEVICE_LOWER;
}

/* The operation on A that the problem asks for. */
static inline int factor_operation(const struct factor_problem *problem)
{
    return problem->trans == TRANS_NONE        ? DEVICE_NO_TRANS
           : problem->trans == TRANS_TRANSPOSE ? DEVICE_TRANS
                                               : device_adjoint(problem->type);
}

/* The device address of an operand or a vector. */
static inline void *factor_operand(const struct route *route, int number)
{
    return device_pointer(route->operands[number].address);
}

static inline void *factor_vector(const struct route *route, int number)
{
    return device_pointer(route->vectors[number].address);
}

/* The INFO of the step with this number, from 0. */
static inline int *factor_info(const struct route *route, int step)
{
    return (int *)device_pointer(route->info_address) + step;
}

static inline bool factor_succeeded(struct route *route)
{
    return route->info == 0;
}

/* May the 32-bit interface have it? */
static inline bool factor_is_narrow(const struct route *route, int number)
{
    const struct route_operand *const operand = &route->operands[number];
    return operand->ld * operand->columns < INT_MAX;
}

#endif
