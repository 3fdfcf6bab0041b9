/* checks.h - do results satisfy their definition?
 *
 * All in plain C, so that no library is its own judge. Each error matrix E is looked at
 * through one fixed vector z of +1 and -1: |E z| is the Frobenius norm of E in the
 * root mean square, and every wrong column shows. Results are in units of DBL_EPSILON,
 * relative to the vector named below; a NaN in anything gives NaN. */
#ifndef MUBLAS_BENCH_CHECKS_H
#define MUBLAS_BENCH_CHECKS_H

#include "matrix.h"

/* (A V - V diag(values)) z over A z; V has as many columns as there are values. */
double check_eigenpairs(const struct matrix *a, const double *values, const struct matrix *v);

/* (V^H V - I) z over z. */
double check_orthogonality(const struct matrix *v);

/* (A V - B V diag(values)) z over A V z. */
double check_generalized(const struct matrix *a, const struct matrix *b, const double *values,
                         const struct matrix *v);

/* (V^H B V - I) z over z. */
double check_orthogonality_by(const struct matrix *b, const struct matrix *v);

/* (A V - V T) z over A V z, with values and vectors as dgeev leaves them: a conjugate pair's vector has its
 * parts in two columns, and T is of order 2 there. */
double check_general_eigenpairs(const struct matrix *a, const double *real, const double *imaginary,
                                const struct matrix *v);

/* How far the length of dgeev's vectors, V in memory, is from 1, at most. */
double check_unit_columns(const double *imaginary, const struct matrix *v);

/* (A - Q T Q^T) z over A z, with Q as dsytrd('L') leaves it in `reflectors` and tau;
 * *orthogonality: (Q^T Q - I) z over z. */
double check_tridiagonal(const struct matrix *a, const double *reflectors, const double *d, const double *e,
                         const double *tau, double *orthogonality);

/* (A - Q R) z over A z, with Q and R as dgeqrf leaves them; *orthogonality: (Q^T Q - I) z over z. */
double check_qr(const struct matrix *a, const double *factored, const double *tau, double *orthogonality);

/* (A - P L U) z over A z, with the factors as dgetrf leaves them; exits on a pivot that is no row below. */
double check_lu(const struct matrix *a, const double *factored, const int *pivots);

/* (A V - W T) z over A V z, for V the first k columns of W and T with diagonal d and
 * k elements e below, k - 1 above. */
double check_recurrence(const struct matrix *a, const struct matrix *w, const double *d, const double *e);

/* (A - U diag(s) V^T) z over A z; `v` is V, or V^T if transposed. */
double check_singular(const struct matrix *a, const struct matrix *u, const double *s, const struct matrix *v,
                      bool transposed);

/* (A X - B) z over B z. */
double check_solution(const struct matrix *a, const struct matrix *x, const struct matrix *b);

/* The same over |A y| / |y| times |X z|, y another such vector: small also where A is nearly singular. */
double check_backward(const struct matrix *a, const struct matrix *x, const struct matrix *b);

/* A^T (A X - B) z over A^T B z. */
double check_least_squares(const struct matrix *a, const struct matrix *x, const struct matrix *b);

/* |y - A x| / |A x|. */
double check_product(const struct matrix *a, const double *x, const double *y);

#endif
