#include "checks.h"
#include "probe.h"
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* x = (I - tau v v^T) x for the reflector in `column`, whose element `first` is 1. */
static void reflect(const double *column, double tau, size_t first, size_t n, long double *x)
{
    long double sum = x[first];
    for (size_t i = first + 1; i < n; i++)
        sum += column[i] * x[i];
    sum *= tau;
    x[first] -= sum;
    for (size_t i = first + 1; i < n; i++)
        x[i] -= sum * column[i];
}

/* Q x, or Q^T x, in place: Q of `count` reflectors, whose element 1 is `below` the diagonal. */
static void apply_reflectors(const double *reflectors, const double *tau, size_t rows, size_t count,
                             size_t below, bool transposed, long double *x)
{
    for (size_t step = 0; step < count; step++) {
        size_t j = transposed ? step : count - 1 - step;
        reflect(reflectors + j * rows, tau[j], j + below, rows, x);
    }
}

/* T x in place, for T of order n. */
static void apply_tridiagonal(const double *d, const double *e, size_t n, long double *x)
{
    long double before = 0;
    for (size_t i = 0; i < n; i++) {
        long double own = x[i], sum = d[i] * own;
        if (i > 0)
            sum += e[i - 1] * before;
        if (i + 1 < n)
            sum += e[i] * x[i + 1];
        x[i] = sum;
        before = own;
    }
}

static void round_to_double(const long double *x, size_t count, double *rounded)
{
    for (size_t i = 0; i < count; i++)
        rounded[i] = (double)x[i];
}

double check_tridiagonal(const struct matrix *a, const double *reflectors, const double *d, const double *e,
                         const double *tau, double *orthogonality)
{
    size_t n = a->rows;
    double *z = probe_signs(n, false), *az = probe_product(a, false, z), *qtqz = allocate(n),
           *qqz = allocate(n);
    long double *x = probe_long_copy(z, n);
    apply_reflectors(reflectors, tau, n, n ? n - 1 : 0, 1, true, x);
    long double *y = probe_long_copy(z, n);
    memcpy(y, x, n * sizeof *y);
    apply_tridiagonal(d, e, n, x);
    apply_reflectors(reflectors, tau, n, n ? n - 1 : 0, 1, false, x);
    round_to_double(x, n, qtqz);
    apply_reflectors(reflectors, tau, n, n ? n - 1 : 0, 1, false, y);
    round_to_double(y, n, qqz);
    free(x);
    free(y);
    *orthogonality = probe_difference(qqz, z, n, sqrt((double)n));
    double scale = probe_norm(az, n);
    return probe_difference(az, qtqz, n, scale);
}

double check_qr(const struct matrix *a, const double *factored, const double *tau, double *orthogonality)
{
    size_t rows = a->rows, columns = a->columns, count = rows < columns ? rows : columns;
    double *z = probe_signs(columns, false), *az = probe_product(a, false, z),
           *signs = probe_signs(rows, false);
    double *qrz = allocate(rows), *qqz = allocate(rows);
    long double *x = calloc(rows + 1, sizeof *x), *y = probe_long_copy(signs, rows);
    if (!x)
        expect_success("memory", -1);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i <= j && i < rows; i++)
            x[i] += factored[i + j * rows] * (long double)z[j];
    apply_reflectors(factored, tau, rows, count, 0, false, x);
    round_to_double(x, rows, qrz);
    apply_reflectors(factored, tau, rows, count, 0, true, y);
    apply_reflectors(factored, tau, rows, count, 0, false, y);
    round_to_double(y, rows, qqz);
    free(x);
    free(y);
    free(z);
    *orthogonality = probe_difference(qqz, signs, rows, sqrt((double)rows));
    double scale = probe_norm(az, rows);
    return probe_difference(az, qrz, rows, scale);
}

/* L U x for both in one square, the diagonal U's. */
static long double *apply_triangles(const double *factored, const double *x, size_t n)
{
    long double *ux = calloc(n + 1, sizeof *ux), *lux = calloc(n + 1, sizeof *lux);
    if (!ux || !lux)
        expect_success("memory", -1);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i <= j; i++)
            ux[i] += factored[i + j * n] * (long double)x[j];
    for (size_t j = 0; j < n; j++) {
        lux[j] += ux[j];
        for (size_t i = j + 1; i < n; i++)
            lux[i] += factored[i + j * n] * ux[j];
    }
    free(ux);
    return lux;
}

double check_lu(const struct matrix *a, const double *factored, const int *pivots)
{
    size_t n = a->rows;
    double *z = probe_signs(n, false), *az = probe_product(a, false, z), *pluz = allocate(n);
    long double *lux = apply_triangles(factored, z, n);
    for (size_t i = n; i-- > 0;) {
        size_t other = (size_t)pivots[i] - 1;
        if (other < i || other >= n) /* no row to exchange with */
            expect_success("a pivot", pivots[i] ? pivots[i] : -1);
        long double kept = lux[i];
        lux[i] = lux[other];
        lux[other] = kept;
    }
    round_to_double(lux, n, pluz);
    free(lux);
    free(z);
    double scale = probe_norm(az, n);
    return probe_difference(az, pluz, n, scale);
}
