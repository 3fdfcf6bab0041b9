/* case.h - what the programs of this folder share: sums of a matrix's rows by dgemv_, and verdicts.
 *
 * Each program stands for a kind of fault that showed with a program or with another BLAS replacement. Its
 * first comment says what is right; it ends with 0 when that came, with 1 when not, with 2 when the machine
 * does not let it try (standard error says why). ../cases.sh runs them. */
#ifndef MUBLAS_TESTS_CASE_H
#define MUBLAS_TESTS_CASE_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t);

/* The first of the row sums of m by n elements. */
static inline double first_row_sum(const double *a, int m, int n, int ld)
{
    const double alpha = 1, beta = 0;
    const int one = 1;
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)m * sizeof *y);
    for (int i = 0; i < n; i++)
        x[i] = 1;
    dgemv_("N", &m, &n, &alpha, a, &ld, x, &one, &beta, y, &one, 1);
    const double sum = y[0];
    free(x);
    free(y);
    return sum;
}

static inline double by_hand(const double *a, int n, int ld)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += a[(size_t)j * (size_t)ld];
    return sum;
}

/* 1 if they differ. */
static inline int verdict(const char *what, double got, double right)
{
    printf("%s: %g, right is %g: %s\n", what, got, right, got == right ? "same" : "DIFFERS");
    return got != right;
}

#endif
