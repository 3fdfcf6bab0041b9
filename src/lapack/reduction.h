/* reduction.h - the steps of symmetric and Hermitian eigensolvers, each wholly on the device, under
 * LAPACK's real names: reduction to tridiagonal form (sytrd), its orthogonal matrix (orgtr) and products
 * with that (ormtr), and reduction of a generalised problem to a standard one (sygst).
 *
 * The reduction to tridiagonal form is ours if the device is able to do it, and so are products with its
 * matrix. cuSOLVER's have 32-bit integers only. */
#ifndef MUBLAS_REDUCTION_H
#define MUBLAS_REDUCTION_H

#include "lapack/families.h"
#include "lapack/route.h"

struct reduction_problem {
    enum lapack_family family;
    enum blas_type type;
    enum blas_uplo uplo;
    enum blas_side side;
    bool transposed;         /* ormtr: multiplies by the conjugate transpose */
    int itype;               /* sygst: LAPACK's ITYPE, 1 to 3 */
    int64_t n;               /* the order of A */
    struct blas_matrix a, b; /* host memory, triangles as in LAPACK; b: sygst's Cholesky factor, or ormtr's
                                C */
    /* n real numbers, n - 1 and n - 1 elements. For sytrd, and for n elements of the diagonal of sygst's
     * result, private memory that is written. For the others TAU in the program's memory, which is read. */
    void *diagonal, *off_diagonal, *tau;
    bool is_own; /* by the route: sytrd by mublas' own kernels */
};

/* Describes the work. The problem must live as long as the route. */
void reduction_describe(struct reduction_problem *problem, struct route *route);

#endif
