/* verify_dense.h - small dense matrices of complex numbers, columns close together, by which `mublas verify` judges
 * LAPACK's results. */
#ifndef MUBLAS_VERIFY_DENSE_H
#define MUBLAS_VERIFY_DENSE_H

#include "command/verify_numbers.h"

#include <stdbool.h>
#include <stddef.h>

/* c = op(a) b: op(a) has `rows` rows, and n terms make each sum. */
void dense_multiply(bool adjoint, int64_t n, int64_t rows, int64_t columns, const struct number *a, const struct number *b,
                    struct number *c);

/* from -= what, each column times its w (NULL: 1). */
void dense_subtract(struct number *from, const struct number *what, const double *w, int64_t rows, int64_t columns);

/* The largest sum of a column's moduli; NaN where there is one. */
double dense_norm(int64_t rows, int64_t columns, const struct number *matrix);

/* The larger; NaN is larger than anything. */
double dense_worse(double a, double b);

double dense_ulp(enum blas_type type); /* LAPACK's: eps * base */

bool dense_is_in_triangle(char uplo, int64_t i, int64_t j); /* L, U, or F: everywhere */

/* Two columns of so many bytes are alike but from byte `first` to `last`. */
bool dense_same_outside(const char *after, const char *before, size_t column, size_t first, size_t last);

/* Two matrices, gaps included, are alike but in the first `rows` elements of the first `columns` of `all` columns. */
bool dense_rectangle_kept(int64_t rows, int64_t columns, int64_t all, size_t element, const char *after, const char *before,
                          int64_t ld);

/* The elements of a triangle, or all, with zero elsewhere. `unit`: with ones on the diagonal. */
void dense_take(enum blas_type type, char uplo, bool unit, int64_t rows, int64_t columns, const char *matrix, int64_t ld,
                struct number *to);

/* Two matrices with n rows and columns, gaps included, are alike but in that triangle. */
bool dense_triangle_kept(char uplo, int64_t n, size_t element, const char *after, const char *before, int64_t ld);

#endif
