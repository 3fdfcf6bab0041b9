/* shared_calls.h - calls that several devices share, under the settings of shared_calls.sh: each on room for
 * ELEMENTS numbers, and right or not by whole numbers. */
#ifndef MUBLAS_TESTS_SHARED_CALLS_H
#define MUBLAS_TESTS_SHARED_CALLS_H

#include <math.h>
#include <stdlib.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);

/* The vectors' matrix has three nodes of 256 columns, for as many devices. */
enum { PRODUCT = 230, VECTOR = 800, FACTOR = 193, ELEMENTS = VECTOR * VECTOR };
static const double one = 1;
static const int unit = 1;
static double matrix[ELEMENTS], sums[VECTOR];

static void fill(int n)
{
    for (int i = 0; i < n * n; i++)
        matrix[i] = i * 37 % 11 - 5;
    for (int i = 0; i < n; i++) {
        sums[i] = 0;
        for (int j = 0; j < n; j++)
            sums[i] += matrix[i + j * n];
    }
}

/* A A added to whole numbers, looked at by its sums along rows. */
static int product_is_right(double *c)
{
    const int n = PRODUCT;
    for (int i = 0; i < n * n; i++)
        c[i] = i % 7;
    dgemm_("N", "N", &n, &n, &n, &one, matrix, &n, matrix, &n, &one, c, &n, 1, 1);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += c[i + j * n] - (i + j * n) % 7 - matrix[i + j * n] * sums[j];
        if (sum != 0)
            return 0;
    }
    return 1;
}

static int vector_is_right(double *y)
{
    const int n = VECTOR;
    for (int i = 0; i < n; i++)
        y[i] = i;
    dgemv_("N", &n, &n, &one, matrix, &n, y + n, &unit, &one, y, &unit, 1);
    for (int i = 0; i < n; i++)
        if (y[i] != i + sums[i])
            return 0;
    return 1;
}

/* min(i, j) is the product of a triangle of ones. */
static int factor_is_right(double *a)
{
    const int n = FACTOR;
    int info = -1;
    for (int i = 0; i < n * n; i++)
        a[i] = 1 + (i % n < i / n ? i % n : i / n);
    dpotrf_("L", &n, a, &n, &info, 1);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            if (!(fabs(a[i + j * n] - 1) < 1e-9))
                return 0;
    return info == 0;
}

typedef int shared_call(double *room);

/* Finds it by its name: product, vector or factor. */
static shared_call *shared_call_of(const char *kind)
{
    fill(*kind == 'p' ? PRODUCT : VECTOR);
    return *kind == 'p' ? product_is_right : *kind == 'v' ? vector_is_right : factor_is_right;
}

static double *shared_call_room(void)
{
    double *const room = malloc(sizeof(double[ELEMENTS]));
    for (int i = 0; i < 2 * VECTOR; i++)
        room[i] = 1;
    return room;
}

#endif
