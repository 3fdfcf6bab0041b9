/* tridiagonal_eigen.h - eigenvalues and vectors of a real symmetric tridiagonal matrix T, wholly on the
 * device, by divide and conquer, as LAPACK's stedc with COMPZ 'I' or 'V'. */
#ifndef MUBLAS_LAPACK_TRIDIAGONAL_EIGEN_H
#define MUBLAS_LAPACK_TRIDIAGONAL_EIGEN_H

#include "lapack/route.h"

struct tridiagonal_eigenproblem {
    enum blas_type type;  /* Z's */
    bool updates;         /* COMPZ 'V': Z becomes its product with T's vectors; else it is those */
    int64_t n;
    struct blas_matrix z; /* host memory */
    void *t;              /* private memory: the n real numbers of T's diagonal, which become the values, then
                             the n - 1 beside it */
};

/* Describes the work. The problem must live as long as the route. */
void tridiagonal_eigen_describe(struct tridiagonal_eigenproblem *problem, struct route *route);

#endif
