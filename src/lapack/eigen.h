/* eigen.h - symmetric and Hermitian eigenproblems, standard and generalised, wholly on the device. */
#ifndef MUBLAS_LAPACK_EIGEN_H
#define MUBLAS_LAPACK_EIGEN_H

#include "lapack/route.h"

/* Which values are wanted: LAPACK's RANGE. */
enum eigen_range { EIGEN_ALL, EIGEN_INTERVAL, EIGEN_INDICES };

/* A x = w x; or by `itype`, LAPACK's, 1 to 3: A x = w B x, A B x = w x, B A x = w x. 0: no B. */
struct eigenproblem {
    enum blas_type type;
    int itype;
    bool vectors;
    enum blas_uplo uplo;
    enum eigen_range range;
    double above, up_to; /* of EIGEN_INTERVAL: above < w <= up_to */
    int64_t first, last; /* of EIGEN_INDICES, from 1, ascending */
    int64_t n;
    /* Host memory. Vectors go to z, or to a where z has no pointer. B becomes its Cholesky factor. */
    struct blas_matrix a, b, z;
    void *values;   /* private memory for n real numbers; all of them, ascending */
    int64_t *order; /* and for n numbers of vectors */
    /* by the route, when it has succeeded: */
    int64_t found;       /* values wanted, and there: LAPACK's M */
    int64_t found_first; /* the first of them, from 0 */
};

/* Describe the work. The problem lives as long as the route. */
void eigen_describe(struct eigenproblem *problem, struct route *route);

#endif
