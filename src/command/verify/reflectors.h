/* reflectors.h - Householder reflectors as LAPACK stores them, and their product, a unitary matrix, by which
 * `mublas verify` judges QR factors and tridiagonal forms. */
#ifndef MUBLAS_REFLECTORS_H
#define MUBLAS_REFLECTORS_H

#include "command/verify/dense.h"
#include "command/verify/lapack.h"

/* The place of reflectors: below the diagonal of QR factors, or below the subdiagonal or above the
 * superdiagonal of a tridiagonal form. */
enum reflector_form { REFLECTORS_QR, REFLECTORS_LOWER, REFLECTORS_UPPER };

/* H(j) = I - tau v v*; their product is H(1) ... H(count), or with REFLECTORS_UPPER H(count) ... H(1). */
struct reflectors {
    enum reflector_form form;
    int64_t order, count;
    struct number *v, *tau; /* order x count with ones and zeros, and count; the caller's memory */
};

/* Writes random vectors to their place in the matrix, and scalars that make each H(j) unitary and, for
 * complex types, not Hermitian. */
void reflectors_fill(const struct reflectors *reflectors, enum blas_type type, char *a, int64_t ld, char *tau,
                     uint64_t *seed);

/* The rest is of the routines that verify_orthogonal checks. */
enum { ORTHOGONAL_NRHS = 5 };

/* geqrf and sytrd; orgqr and orgtr; ormqr and ormtr; gels. */
enum orthogonal_work { ORTHOGONAL_FACTORISES, ORTHOGONAL_MAKES, ORTHOGONAL_APPLIES, ORTHOGONAL_SOLVES };
enum orthogonal_work orthogonal_work_of(const struct lapack_routine *routine);

/* False: it belongs to QR. */
bool orthogonal_is_tridiagonal(const struct lapack_routine *routine);

/* The form and sizes of a call's reflectors, with the memory for vectors and scalars. */
struct reflectors orthogonal_reflectors(const struct lapack_routine *routine,
                                        const struct lapack_arguments *arguments, struct number *v,
                                        struct number *tau);

/* The method `error` of struct verify_lapack_kind. */
double orthogonal_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                        const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH]);

#endif
