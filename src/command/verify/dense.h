/* dense.h - small dense matrices of complex numbers, without gaps between columns, by which `mublas verify`
 * judges LAPACK's results. */
#ifndef MUBLAS_VERIFY_DENSE_H
#define MUBLAS_VERIFY_DENSE_H

#include "command/verify/numbers.h"

#include <stdbool.h>

/* c = op(a) b: op(a) has `rows` rows, and n terms make each sum. */
void dense_multiply(bool adjoint, int64_t n, int64_t rows, int64_t columns, const struct number *a,
                    const struct number *b, struct number *c);

/* from -= what, each column times its w (NULL: 1). */
void dense_subtract(struct number *from, const struct number *what, const double *w, int64_t rows,
                    int64_t columns);

/* The largest sum of a column's moduli; NaN if an element is NaN. */
double dense_norm(int64_t rows, int64_t columns, const struct number *matrix);

/* The larger of two; NaN is larger than any number. */
double dense_worse(double a, double b);

double dense_ulp(enum blas_type type); /* LAPACK's: eps * base */

bool dense_is_in_triangle(char uplo, int64_t i, int64_t j); /* L, U, or F: everywhere */

/* Copies the elements of a triangle, or all, and zeros elsewhere. `unit`: ones on the diagonal. */
void dense_take(enum blas_type type, char uplo, bool unit, int64_t rows, int64_t columns, const char *matrix,
                int64_t ld, struct number *to);

/* Makes the n x n Hermitian matrix with this triangle. */
void dense_take_hermitian(enum blas_type type, char uplo, int64_t n, const char *matrix, int64_t ld,
                          struct number *to);

bool dense_diagonal_is_real(enum blas_type type, int64_t n, const char *matrix, int64_t ld);

/* Makes the other triangle the adjoint of this one. */
void dense_complete(char uplo, int64_t n, struct number *matrix);

/* to = L L* or U* U; turns `factor` into its adjoint if it is L. */
void dense_multiply_factor(char uplo, int64_t n, struct number *factor, struct number *to);

void dense_set_identity(int64_t rows, int64_t columns, struct number *to);

/* Transposes a square matrix, or transposes and conjugates it. */
void dense_transpose(bool conjugate, int64_t n, struct number *matrix);

/* The norm of X* X - I; X has `rows` rows. */
double dense_orthogonality(int64_t rows, int64_t columns, const struct number *x, struct number *product);

#endif
