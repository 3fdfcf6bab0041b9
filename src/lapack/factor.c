#include "lapack/factor.h"

static void (*const describers[LAPACK_FAMILY_COUNT])(struct factor_problem *, struct route *) = {
    [LAPACK_POTRF] = cholesky_describe, [LAPACK_POTRS] = cholesky_describe, [LAPACK_POSV] = cholesky_describe,
    [LAPACK_POTRI] = cholesky_describe, [LAPACK_GETRF] = lu_describe,       [LAPACK_GETRS] = lu_describe,
    [LAPACK_GESV] = lu_describe,        [LAPACK_GETRI] = lu_describe,       [LAPACK_GEQRF] = qr_describe,
    [LAPACK_ORGQR] = qr_describe,       [LAPACK_ORMQR] = qr_describe,       [LAPACK_GELS] = qr_describe,
    [LAPACK_TRTRI] = triangle_describe,
};

/* LAPACK scales columns, and gels right-hand sides, that are very large or small before it makes
 * reflectors. */
static void describe_operands(const struct factor_problem *problem, struct route *route)
{
    const enum lapack_family family = problem->family;
    const bool is_read = family == LAPACK_POTRS || family == LAPACK_GETRS || family == LAPACK_ORMQR,
               is_scaled = family == LAPACK_GEQRF || family == LAPACK_GELS;
    const struct blas_matrix *const a = &problem->a, *const b = &problem->b;
    route->operands[FACTOR_A] = (struct route_operand){.rows = a->rows, .columns = a->columns, .up = *a,
                                                       .finite_suffices = !is_scaled, .is_kept = is_read};
    if (!is_read)
        route->operands[FACTOR_A].home = *a;
    if (b->pointer)
        route->operands[FACTOR_B] = (struct route_operand){.rows = b->rows, .columns = b->columns, .up = *b,
                                                           .home = *b, .finite_suffices = !is_scaled};
}

void factor_describe(struct factor_problem *problem, struct route *route)
{
    *route = (struct route){.problem = problem, .type = problem->type};
    describe_operands(problem, route);
    describers[problem->family](problem, route);
}
