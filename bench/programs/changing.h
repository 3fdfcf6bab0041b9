/* changing.h - matrices that are written anew for each call, and one call on each.
 *
 * The matrix is u u^T + shift, so that writing it goes at memory speed and what a product
 * with it must be is known without it. */
#ifndef MUBLAS_BENCH_CHANGING_H
#define MUBLAS_BENCH_CHANGING_H

#include "program.h"

enum { PANEL = 64 }; /* columns that dgemm multiplies by */

struct changing {
    int n;
    double *u, *x;   /* n elements; n x PANEL: x of level 2 is its first column */
    double *results; /* one n x PANEL per call; level 2 writes the first column */
    int calls;
};

/* Makes u and x and room for the results of `calls` calls. */
struct changing changing_create(int n, int calls);
void changing_destroy(struct changing *changing);

/* Writes the matrix of one call, n x n doubles. */
void changing_write(const struct changing *changing, int call, double *matrix);

/* dgemv, dsymv and dgemm in turn. */
void changing_call(const struct changing *changing, int call, const double *matrix);

/* The largest error of any element of any result, in DBL_EPSILON of the sum of the
 * absolute values that it was added up from. */
double changing_check(const struct changing *changing);

/* All results, for the digest. */
void changing_digest(const struct changing *changing, struct run *run);

#endif
