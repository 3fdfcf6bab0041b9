/* dense.h - dense matrices of any type for the checks, computed with by the plain host BLAS. */
#ifndef MUBLAS_TESTS_DENSE_H
#define MUBLAS_TESTS_DENSE_H

#include "../element.h"
#include "../random.h"

/* rows x columns of `type`, columns close together, all 0. The caller frees it. */
double *dense_make(char type, int rows, int columns);

/* Copy from a matrix with leading dimension ld. */
double *dense_copy(char type, int rows, int columns, const void *from, int64_t ld);

/* Random elements in [-1, 1), both parts. */
void dense_randomise(char type, double *matrix, int64_t elements, struct random *random);

/* c = alpha op(a) op(b) + beta c; m x n, k terms; trans N or C. */
void dense_multiply(char type, char transa, char transb, int m, int n, int k, double alpha, const double *a,
                    int lda, const double *b, int ldb, double beta, double *c, int ldc);

/* Solve op(L) x = b in place, L the lower triangle of a, n x n; b n x m. */
void dense_solve_lower(char type, char trans, int n, int m, const double *a, double *b);

/* Column j times factors[j], real. */
void dense_scale_columns(char type, int rows, int columns, double *matrix, const double *factors);

/* The largest sum of moduli of a column; NaN if an element is. */
double dense_norm(char type, int rows, int columns, const double *matrix);

/* ||x^H x - I|| / (rows ulp) */
double dense_orthogonality(char type, int rows, int columns, const double *x);

double unit_roundoff(char type); /* LAPACK's ulp: eps * base */
char real_type(char type);

/* Element `index` of real memory of the type's precision. */
double real_at(char type, const void *memory, int64_t index);

#endif
