/* singular.h - singular value decompositions, wholly on the device: A = U S V'.
 *
 * By cuSOLVER's gesvdp (polar decomposition), whose reported error counts: above eps times the largest value it is no
 * success. Of A with fewer rows than columns its conjugate transpose is decomposed. */
#ifndef MUBLAS_LAPACK_SINGULAR_H
#define MUBLAS_LAPACK_SINGULAR_H

#include "lapack/families.h"
#include "lapack/route.h"

struct singular_problem {
    enum lapack_family family;
    enum blas_type type;
    int64_t m, n;
    struct blas_matrix a;     /* host memory; m x n */
    struct blas_matrix u, vt; /* host memory that U, of m rows, and V', of n columns, go to, with as many columns and
                                 rows as are wanted: min(m, n), or all; no pointer: not wanted; A's memory or others */
    void *values;             /* private memory for min(m, n) real numbers; descending */
    double error;             /* by cuSOLVER */
};

/* Describe the work. The problem lives as long as the route. */
void singular_describe(struct singular_problem *problem, struct route *route);

#endif
