#include "checks.h"
#include "program.h"
#include "../timing.h"

#include <float.h>
#include <math.h>

static size_t parts(const struct matrix *matrix)
{
    return matrix->complex ? 2 : 1;
}

/* `count` elements of +1 or -1, real. */
static double *probe(size_t count, bool complex)
{
    double *z = allocate(count * 2);
    for (size_t i = 0; i < count; i++) {
        double sign = entry(99, i, 0) < 0 ? -1 : 1;
        z[complex ? 2 * i : i] = sign;
        if (complex)
            z[2 * i + 1] = 0;
    }
    return z;
}

static double *product(const struct matrix *matrix, bool adjoint, const double *x)
{
    double *y = allocate((adjoint ? matrix->columns : matrix->rows) * parts(matrix));
    matrix_apply(matrix, adjoint, x, y);
    return y;
}

static double norm(const double *x, size_t count)
{
    long double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (long double)x[i] * x[i];
    return sqrt((double)sum);
}

/* |x - y| over |scale|, in units; frees x and y. */
static double difference(double *x, double *y, size_t count, double scale)
{
    for (size_t i = 0; i < count; i++)
        x[i] -= y[i];
    double error = norm(x, count) / (DBL_EPSILON * scale);
    free(x);
    free(y);
    return error;
}

static void scale_by(double *x, const double *factors, size_t count, bool complex)
{
    for (size_t i = 0; i < count; i++) {
        x[complex ? 2 * i : i] *= factors[i];
        if (complex)
            x[2 * i + 1] *= factors[i];
    }
}

double check_eigenpairs(const struct matrix *a, const double *values, const struct matrix *v)
{
    double *z = probe(v->columns, v->complex), *x = product(v, false, z), *ax = product(a, false, x);
    scale_by(z, values, v->columns, v->complex);
    double *vz = product(v, false, z);
    size_t count = a->rows * parts(a);
    double scale = norm(ax, count);
    free(z);
    free(x);
    return difference(ax, vz, count, scale);
}

double check_orthogonality(const struct matrix *v)
{
    double *z = probe(v->columns, v->complex), *x = product(v, false, z), *y = product(v, true, x);
    free(x);
    return difference(y, z, v->columns * parts(v), sqrt((double)v->columns));
}

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

/* Q x, or Q^T x, in place. */
static void apply_reflectors(const double *reflectors, const double *tau, size_t n, bool transposed,
                             long double *x)
{
    for (size_t step = 0; step + 1 < n; step++) {
        size_t j = transposed ? step : n - 2 - step;
        reflect(reflectors + j * n, tau[j], j + 1, n, x);
    }
}

static long double *long_copy(const double *x, size_t count)
{
    long double *copy = malloc((count ? count : 1) * sizeof *copy);
    if (!copy)
        expect_success("memory", -1);
    for (size_t i = 0; i < count; i++)
        copy[i] = x[i];
    return copy;
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
    double *z = probe(n, false), *az = product(a, false, z), *qtqz = allocate(n), *qqz = allocate(n);
    long double *x = long_copy(z, n);
    apply_reflectors(reflectors, tau, n, true, x);
    long double *y = long_copy(z, n);
    memcpy(y, x, n * sizeof *y);
    apply_tridiagonal(d, e, n, x);
    apply_reflectors(reflectors, tau, n, false, x);
    round_to_double(x, n, qtqz);
    apply_reflectors(reflectors, tau, n, false, y);
    round_to_double(y, n, qqz);
    free(x);
    free(y);
    *orthogonality = difference(qqz, z, n, sqrt((double)n));
    double scale = norm(az, n);
    return difference(az, qtqz, n, scale);
}

double check_recurrence(const struct matrix *a, const struct matrix *w, const double *d, const double *e)
{
    size_t n = a->rows, k = w->columns - 1;
    struct matrix v = *w;
    v.columns = k;
    double *z = probe(k, false), *x = product(&v, false, z), *ax = product(a, false, x),
           *tz = allocate(k + 1);
    for (size_t i = 0; i <= k; i++)
        tz[i] =
            (i < k ? d[i] * z[i] : 0) + (i > 0 ? e[i - 1] * z[i - 1] : 0) + (i + 1 < k ? e[i] * z[i + 1] : 0);
    double *wtz = product(w, false, tz), scale = norm(ax, n);
    free(z);
    free(x);
    free(tz);
    return difference(ax, wtz, n, scale);
}

double check_singular(const struct matrix *a, const struct matrix *u, const double *s, const struct matrix *v,
                      bool transposed)
{
    double *z = probe(a->columns, false), *az = product(a, false, z), *vz = product(v, !transposed, z);
    scale_by(vz, s, u->columns, false);
    double *usvz = product(u, false, vz), scale = norm(az, a->rows);
    free(z);
    free(vz);
    return difference(az, usvz, a->rows, scale);
}

double check_solution(const struct matrix *a, const struct matrix *x, const struct matrix *b)
{
    double *z = probe(x->columns, false), *xz = product(x, false, z), *axz = product(a, false, xz);
    double *bz = product(b, false, z), scale = norm(bz, b->rows);
    free(z);
    free(xz);
    return difference(axz, bz, b->rows, scale);
}

double check_least_squares(const struct matrix *a, const struct matrix *x, const struct matrix *b)
{
    double *z = probe(x->columns, false), *xz = product(x, false, z), *axz = product(a, false, xz);
    double *bz = product(b, false, z), *atb = product(a, true, bz), scale = norm(atb, a->columns);
    for (size_t i = 0; i < a->rows; i++)
        bz[i] -= axz[i];
    double *error = product(a, true, bz), *nothing = calloc(a->columns, sizeof *nothing);
    if (!nothing)
        expect_success("memory", -1);
    free(z);
    free(xz);
    free(axz);
    free(bz);
    free(atb);
    return difference(error, nothing, a->columns, scale);
}

double check_product(const struct matrix *a, const double *x, const double *y)
{
    double *ax = product(a, false, x), scale = norm(ax, a->rows), *copy = allocate(a->rows);
    for (size_t i = 0; i < a->rows; i++)
        copy[i] = y[i];
    return difference(copy, ax, a->rows, scale);
}
