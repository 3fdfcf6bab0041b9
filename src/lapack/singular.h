/* singular.h - singular value decompositions, wholly on the device: A = U S V'.
 *
 * By cuSOLVER's gesvdp (polar decomposition): a reported error above eps times the largest value is no
 * success. For A with fewer rows than columns the route decomposes the conjugate transpose. */
#ifndef MUBLAS_LAPACK_SINGULAR_H
#define MUBLAS_LAPACK_SINGULAR_H

#include "lapack/families.h"
#include "lapack/route.h"

struct singular_problem {
    enum lapack_family family;
    enum blas_type type;
    int64_t m, n;
    struct blas_matrix a;     /* host memory; m x n */
    struct blas_matrix u, vt; /* host memory for U, of m rows, and V', of n columns, with the wanted number of
                                 columns and rows: min(m, n), or all; may be A's memory; no pointer: not
                                 wanted */
    void *values;             /* private memory for min(m, n) real numbers; descending */
    double error;             /* by cuSOLVER */
};

/* Describes the work. The problem must live as long as the route. */
void singular_describe(struct singular_problem *problem, struct route *route);

#endif
