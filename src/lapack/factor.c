#include "lapack/factor.h"

static void (*const describers[LAPACK_FAMILY_COUNT])(struct factor_problem *, struct route *) = {
    [LAPACK_POTRF] = cholesky_describe, [LAPACK_POTRS] = cholesky_describe, [LAPACK_POSV] = cholesky_describe,
    [LAPACK_POTRI] = cholesky_describe, [LAPACK_GETRF] = lu_describe,       [LAPACK_GETRS] = lu_describe,
    [LAPACK_GESV] = lu_describe,        [LAPACK_GETRI] = lu_describe,       [LAPACK_GEQRF] = qr_describe,
    [LAPACK_ORGQR] = qr_describe,       [LAPACK_ORMQR] = qr_describe,       [LAPACK_GELS] = qr_describe,
    [LAPACK_TRTRI] = triangle_describe,
};

void factor_describe(struct factor_problem *problem, struct route *route)
{
    *route = (struct route){.problem = problem, .type = problem->type};
    describers[problem->family](problem, route);
}
