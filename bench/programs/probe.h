/* probe.h - vectors that an error matrix is looked at through (checks.h), in plain C. */
#ifndef MUBLAS_BENCH_PROBE_H
#define MUBLAS_BENCH_PROBE_H

#include "matrix.h"

/* 2 for a complex matrix, else 1. */
static inline size_t matrix_parts(const struct matrix *matrix)
{
    return matrix->complex ? 2 : 1;
}

/* `count` elements of +1 or -1, real, as pairs if `complex`. All here that return memory: freed by the
 * caller. */
double *probe_signs(size_t count, bool complex);

/* A x, or A^H x. */
double *probe_product(const struct matrix *matrix, bool adjoint, const double *x);

long double *probe_long_copy(const double *x, size_t count);

/* The Euclidean norm. */
double probe_norm(const double *x, size_t count);

/* |x - y| over |scale|, in units of DBL_EPSILON; frees x and y. */
double probe_difference(double *x, double *y, size_t count, double scale);

#endif
