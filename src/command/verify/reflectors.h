/* reflectors.h - Householder reflectors as LAPACK stores them, and their product, a unitary matrix, by which
 * `mublas verify` judges QR factors and tridiagonal forms. */
#ifndef MUBLAS_VERIFY_REFLECTORS_H
#define MUBLAS_VERIFY_REFLECTORS_H

#include "command/verify/dense.h"

/* Their place: below the diagonal of QR factors, or below the subdiagonal or above the superdiagonal of a
 * tridiagonal form. */
enum reflector_form { REFLECTORS_QR, REFLECTORS_LOWER, REFLECTORS_UPPER };

/* H(j) = I - tau v v*; their product is H(1) ... H(count), or with REFLECTORS_UPPER H(count) ... H(1). */
struct reflectors {
    enum reflector_form form;
    int64_t order, count;
    struct number *v, *tau; /* order x count with ones and zeros, and count; the caller's memory */
};

/* Reads the vectors, and the scalars unless `tau` is NULL. */
void reflectors_take(struct reflectors *reflectors, enum blas_type type, const char *a, int64_t ld,
                     const char *tau);

/* For QR factors without scalars: finds those by which A, order x columns, becomes R. `column` is scratch
 * memory. */
void reflectors_find_scalars(struct reflectors *reflectors, enum blas_type type, const char *factors,
                             int64_t ld, const struct number *a, struct number *column);

/* to = Q to, or Q* to, with `columns` columns. */
void reflectors_apply(const struct reflectors *reflectors, bool adjoint, int64_t columns, struct number *to);

/* Computes the first columns of Q. */
void reflectors_matrix(const struct reflectors *reflectors, int64_t columns, struct number *to);

/* Writes random vectors to their place in the matrix, and scalars that make each H(j) unitary and, for
 * complex types, not Hermitian. */
void reflectors_fill(const struct reflectors *reflectors, enum blas_type type, char *a, int64_t ld, char *tau,
                     uint64_t *seed);

#endif
