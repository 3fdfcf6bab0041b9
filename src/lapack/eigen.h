/* eigen.h - symmetric and Hermitian eigenproblems, standard and generalised, wholly on the device. */
#ifndef MUBLAS_LAPACK_EIGEN_H
#define MUBLAS_LAPACK_EIGEN_H

#include "lapack/route.h"

/* The values that are wanted: LAPACK's RANGE. */
enum eigen_range { EIGEN_ALL, EIGEN_INTERVAL, EIGEN_INDICES };

/* A x = w x; or by `itype`, LAPACK's, 1 to 3: A x = w B x, A B x = w x, B A x = w x. 0: no B. */
struct eigenproblem {
    enum blas_type type;
    int itype;
    bool vectors;
    enum blas_uplo uplo;
    enum eigen_range range;
    double above, up_to; /* for EIGEN_INTERVAL: above < w <= up_to */
    int64_t first, last; /* for EIGEN_INDICES, from 1, ascending */
    int64_t n;
    /* Host memory. Vectors go to z, or to a if z has no pointer. B becomes its Cholesky factor. */
    struct blas_matrix a, b, z;
    void *values;   /* private memory for n real numbers; all of them, ascending */
    int64_t *order; /* private memory for the numbers of n vectors */
    /* the route sets these when it has succeeded: */
    int64_t found;       /* the number of values found: LAPACK's M */
    int64_t found_first; /* the index of the first of them, from 0 */
};

/* Describes the work. The problem must live as long as the route. */
void eigen_describe(struct eigenproblem *problem, struct route *route);

#endif
