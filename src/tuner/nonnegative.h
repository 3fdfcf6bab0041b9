/* nonnegative.h - least squares with coefficients that are not negative, from the normal equations: Lawson's
 * and Hanson's active sets. Pure; a few microseconds. */
#ifndef MUBLAS_NONNEGATIVE_H
#define MUBLAS_NONNEGATIVE_H

enum { NONNEGATIVE_MOST = 16 };

/* Minimises x' S x / 2 - r' x over x >= 0: squares[i * count + k] is S, symmetric and positive semidefinite,
 * of count <= NONNEGATIVE_MOST. Of columns that depend on each other one may be left out, with 0. */
void nonnegative_solve(const double *squares, const double *right, int count, double *x);

#endif
