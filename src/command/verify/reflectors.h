/* reflectors.h - Householder reflectors as LAPACK stores them, and the unitary matrix that is their product, by which
 * `mublas verify` judges QR factors and tridiagonal forms. */
#ifndef MUBLAS_VERIFY_REFLECTORS_H
#define MUBLAS_VERIFY_REFLECTORS_H

#include "command/verify/dense.h"

/* Where they stand: below the diagonal of QR factors; or of a tridiagonal form below the subdiagonal or above the
 * superdiagonal. */
enum reflector_form { REFLECTORS_QR, REFLECTORS_LOWER, REFLECTORS_UPPER };

/* H(j) = I - tau v v*; their product is H(1) ... H(count), of REFLECTORS_UPPER H(count) ... H(1). */
struct reflectors {
    enum reflector_form form;
    int64_t order, count;
    struct number *v, *tau; /* order x count, ones and zeros included; count. The caller's memory */
};

/* Read the vectors, and the scalars unless `tau` is NULL. */
void reflectors_take(struct reflectors *reflectors, enum blas_type type, const char *a, int64_t ld, const char *tau);

/* Of QR factors whose scalars are not known: those by which A, order x columns, becomes their R. `column`: memory. */
void reflectors_find_scalars(struct reflectors *reflectors, enum blas_type type, const char *factors, int64_t ld,
                             const struct number *a, struct number *column);

/* to = Q to, or Q* to, with `columns` columns. */
void reflectors_apply(const struct reflectors *reflectors, bool adjoint, int64_t columns, struct number *to);

/* The first columns of Q. */
void reflectors_matrix(const struct reflectors *reflectors, int64_t columns, struct number *to);

/* Vectors by chance to where they stand in the matrix, and scalars by which each H(j) is unitary and, of complex types, not
 * Hermitian. */
void reflectors_fill(const struct reflectors *reflectors, enum blas_type type, char *a, int64_t ld, char *tau,
                     uint64_t *seed);

#endif
