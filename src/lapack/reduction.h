/* reduction.h - the steps of symmetric and Hermitian eigensolvers, each wholly on the device: reduction to tridiagonal
 * form (sytrd), its orthogonal matrix (orgtr) and products with that (ormtr), and reduction of a generalised problem to
 * a standard one (sygst). By LAPACK's real names. */
#ifndef MUBLAS_LAPACK_REDUCTION_H
#define MUBLAS_LAPACK_REDUCTION_H

#include "lapack/families.h"
#include "lapack/route.h"

struct reduction_problem {
    enum lapack_family family;
    enum blas_type type;
    enum blas_uplo uplo;
    enum blas_side side;
    bool transposed;         /* ormtr: by the conjugate transpose */
    int itype;               /* sygst: LAPACK's, 1 to 3 */
    int64_t n;               /* the order of A */
    struct blas_matrix a, b; /* host memory, triangles as LAPACK has them; b: sygst's Cholesky factor, or ormtr's C */
    /* n real numbers, n - 1 and n - 1 elements. Of sytrd, and sygst's result on the diagonal as n elements: private
     * memory, written. TAU of the others: the program's, read. */
    void *diagonal, *off_diagonal, *tau;
};

/* Describe the work. The problem lives as long as the route. */
void reduction_describe(struct reduction_problem *problem, struct route *route);

/* What reduction_describe does for two kinds. */
void tridiagonal_describe(struct reduction_problem *problem, struct route *route); /* sytrd, orgtr, ormtr */
void standard_describe(struct reduction_problem *problem, struct route *route);    /* sygst */

#endif
