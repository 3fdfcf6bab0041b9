/* problems.h - problems that a route solves wholly on the device, and how each is described to it:
 * symmetric, general and tridiagonal eigenproblems, singular values, reductions and level 3 calls.
 * Factorisations are in factor.h. */
#ifndef MUBLAS_PROBLEMS_H
#define MUBLAS_PROBLEMS_H

#include "common/blas_call.h"
#include "lapack/families.h"
#include "lapack/route.h"

#include <stdbool.h>
#include <stdint.h>

/* Singular values A = U S V' come by cuSOLVER's gesvdp (polar decomposition): a reported error above eps
 * times the largest value is no success. For A with fewer rows than columns the route decomposes the
 * conjugate transpose. A tridiagonal T is solved by divide and conquer, as LAPACK's stedc with COMPZ 'I' or
 * 'V', which solves its parts one by one. A level 3 call of BLAS is a route for calls whose matrices lie in
 * memory of mublas' own, as those of parallel routes do (src/scalapack): they go up once, and the result
 * comes home once. */

/* The values that are wanted: LAPACK's RANGE. */
enum eigen_range { EIGEN_ALL, EIGEN_INTERVAL, EIGEN_INDICES };

/* Symmetric and Hermitian: A x = w x; or by `itype`, LAPACK's, 1 to 3: A x = w B x, A B x = w x, B A x = w x.
 * 0: no B. */
struct eigenproblem {
    enum blas_type type;
    int itype;
    bool vectors;
    enum blas_uplo uplo;
    enum eigen_range range;
    double above, up_to; /* for EIGEN_INTERVAL: above < w <= up_to */
    int64_t first, last; /* for EIGEN_INDICES, from 1, ascending */
    int64_t n;
    bool packed; /* a and b are packed triangles, as packed_matrix describes them, and vectors have z */
    /* Host memory. Vectors go to z, or to a if z has no pointer. B becomes its Cholesky factor. */
    struct blas_matrix a, b, z;
    void *values;   /* private memory for n real numbers; all of them, ascending */
    int64_t *order; /* private memory for the numbers of n vectors */
    /* the route sets these when it has succeeded: */
    bool is_own;         /* by mublas' own eigensolver instead of cuSOLVER's */
    int64_t found;       /* the number of values found: LAPACK's M */
    int64_t found_first; /* the index of the first of them, from 0 */
};

/* Describes the work. The problem must live as long as the route. */
void eigen_describe(struct eigenproblem *problem, struct route *route);

/* A = U S V', and least squares by them: the shortest X with the least A X - B, for m >= n. */
struct singular_problem {
    enum lapack_family family;
    enum blas_type type;
    int64_t m, n;
    struct blas_matrix a;     /* host memory; m x n */
    struct blas_matrix u, vt; /* host memory for U, of m rows, and V', of n columns, with the wanted number of
                                 columns and rows: min(m, n), or all; may be A's memory; no pointer: not
                                 wanted */
    void *values;             /* private memory for min(m, n) real numbers; descending */
    double error;             /* by cuSOLVER's gesvdp */
    bool is_own;              /* set by the route: by mublas' own kernels, not by gesvdp */
    /* Least squares have these; V' goes to the first rows of A where vt is that: */
    struct blas_matrix b;     /* host memory of m rows; X goes to the first n. No pointer: no least squares */
    double least;             /* values of at most so many times the largest count as zero */
    void *reciprocals;        /* private memory for n elements */
    int64_t rank;             /* set by the route when it has succeeded */
};

/* Describes the work. The problem must live as long as the route. */
void singular_describe(struct singular_problem *problem, struct route *route);

/* The same of least squares. */
void least_squares_describe(struct singular_problem *problem, struct route *route);

/* Eigenvalues and right eigenvectors of a general matrix, on the device. */
struct general_eigenproblem {
    enum blas_type type;
    bool with_vectors;
    int64_t n;
    bool is_balanced;           /* false: the route is not supported */
    struct blas_matrix a;       /* host memory, balanced */
    struct blas_matrix vectors; /* private memory; of real types two columns are real and imaginary part of a
                                   pair */
    void *values;               /* private memory for n complex numbers of a's precision */
};

/* Describes the work. The problem must live as long as the route. After success pairs of real types stand
 * together, are conjugate to the last bit, and have the positive imaginary part first. */
void general_eigen_describe(struct general_eigenproblem *problem, struct route *route);

/* Normalises vectors as LAPACK does: to Euclidean norm 1, with the largest element of a complex one real. */
void general_eigen_normalise(const struct general_eigenproblem *problem);

/* LAPACK splits a tridiagonal matrix where the elements beside its diagonal are negligible, and scales each
 * part by its own norm. Divide and conquer on the device is exact to the norm of the whole, so the values of
 * a small part would lose digits. True when no part of several rows is small beside the whole: what is alone
 * in its row stays as it is. `diagonal` has n, `beside` n - 1 finite real numbers of the type's precision. */
bool tridiagonal_parts_are_alike(const void *diagonal, const void *beside, int64_t n, enum blas_type type);

/* Elements that are negligible beside the diagonal become zero, as LAPACK leaves them out. Divide and conquer
 * subtracts them from the diagonal where it tears the matrix: a small number that is alone in its row would
 * lose digits. */
void tridiagonal_parts_tear(const void *diagonal, void *beside, int64_t n, enum blas_type type);

/* Eigenvalues and vectors of a real symmetric tridiagonal matrix T. */
struct tridiagonal_eigenproblem {
    enum blas_type type;  /* Z's */
    bool updates;         /* COMPZ 'V': Z becomes its product with T's vectors; else it is those */
    int64_t n;
    struct blas_matrix z; /* host memory */
    void *t;              /* private memory: the n real numbers of T's diagonal, which become the values,
                             then the n - 1 beside it */
};

/* Describes the work. The problem must live as long as the route. */
void tridiagonal_eigen_describe(struct tridiagonal_eigenproblem *problem, struct route *route);

/* A level 3 call of BLAS. */
struct product_problem {
    struct blas_call call; /* of level 3, legal, with something to do; pointers are of host memory */
};

/* Describes the work. The problem must live as long as the route. */
void product_describe(struct product_problem *problem, struct route *route);

/* The steps of symmetric and Hermitian eigensolvers, under LAPACK's real names: reduction to tridiagonal form
 * (sytrd), its orthogonal matrix (orgtr) and products with that (ormtr), and reduction of a generalised
 * problem to a standard one (sygst).
 *
 * The reduction to tridiagonal form is ours if the device is able to do it, and so are products with its
 * matrix. cuSOLVER's have 32-bit integers only. */
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

/* The reduction of a general matrix to bidiagonal form A = Q B P' (gebrd), the matrices Q and P' (orgbr) and
 * products with Q and P (ormbr), under LAPACK's real names, all by mublas' own kernels and cuBLAS. */
struct bidiagonal_problem {
    enum lapack_family family;
    enum blas_type type;
    bool of_p;       /* not gebrd: P is meant, not Q */
    enum blas_side side; /* of ormbr */
    bool transposed; /* ormbr: multiplies by the conjugate transpose */
    int64_t order;   /* not gebrd: of Q or P */
    int64_t k;       /* LAPACK's K: the other size of the matrix that was reduced */
    struct blas_matrix a, c; /* host memory. a: gebrd's A, or what it left there of Q's or P's reflectors; c:
                                ormbr's C, or what orgbr makes, in the same memory as a */
    /* gebrd: min(m, n) real numbers, as many less 1, min(m, n) elements each, private memory that is written. The
     * others: tauq is TAU in the program's memory, which is read. */
    void *d, *e, *tauq, *taup;
};

/* Describes the work. The problem must live as long as the route. */
void bidiagonal_describe(struct bidiagonal_problem *problem, struct route *route);

#endif
