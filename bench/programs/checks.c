#include "checks.h"
#include "probe.h"
#include "program.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

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
    double *z = probe_signs(v->columns, v->complex), *x = probe_product(v, false, z),
           *ax = probe_product(a, false, x);
    scale_by(z, values, v->columns, v->complex);
    double *vz = probe_product(v, false, z);
    size_t count = a->rows * matrix_parts(a);
    double scale = probe_norm(ax, count);
    free(z);
    free(x);
    return probe_difference(ax, vz, count, scale);
}

double check_orthogonality(const struct matrix *v)
{
    double *z = probe_signs(v->columns, v->complex), *x = probe_product(v, false, z),
           *y = probe_product(v, true, x);
    free(x);
    return probe_difference(y, z, v->columns * matrix_parts(v), sqrt((double)v->columns));
}

double check_generalized(const struct matrix *a, const struct matrix *b, const double *values,
                         const struct matrix *v)
{
    double *z = probe_signs(v->columns, v->complex), *x = probe_product(v, false, z);
    double *ax = probe_product(a, false, x);
    scale_by(z, values, v->columns, v->complex);
    double *vz = probe_product(v, false, z), *bvz = probe_product(b, false, vz);
    size_t count = a->rows * matrix_parts(a);
    double scale = probe_norm(ax, count);
    free(z);
    free(x);
    free(vz);
    return probe_difference(ax, bvz, count, scale);
}

double check_orthogonality_by(const struct matrix *b, const struct matrix *v)
{
    double *z = probe_signs(v->columns, v->complex), *x = probe_product(v, false, z);
    double *bx = probe_product(b, false, x), *y = probe_product(v, true, bx);
    free(x);
    free(bx);
    return probe_difference(y, z, v->columns * matrix_parts(v), sqrt((double)v->columns));
}

/* T x in place, T as it goes with the columns of conjugate pairs. */
static void apply_pairs(const double *real, const double *imaginary, size_t n, double *x)
{
    for (size_t j = 0; j < n; j++) {
        bool pair = imaginary[j] != 0 && j + 1 < n;
        double first = x[j], second = pair ? x[j + 1] : 0;
        x[j] = real[j] * first + imaginary[j] * second;
        if (!pair)
            continue;
        x[j + 1] = real[j + 1] * second + imaginary[j + 1] * first;
        j++;
    }
}

double check_general_eigenpairs(const struct matrix *a, const double *real, const double *imaginary,
                                const struct matrix *v)
{
    size_t n = a->rows;
    double *z = probe_signs(n, false), *x = probe_product(v, false, z), *ax = probe_product(a, false, x);
    apply_pairs(real, imaginary, n, z);
    double *vtz = probe_product(v, false, z), scale = probe_norm(ax, n);
    free(z);
    free(x);
    return probe_difference(ax, vtz, n, scale);
}

double check_unit_columns(const double *imaginary, const struct matrix *v)
{
    double largest = 0;
    for (size_t j = 0; j < v->columns; j++) {
        bool pair = imaginary[j] != 0 && j + 1 < v->columns;
        double error = fabs(probe_norm(v->values + j * v->rows, v->rows * (pair ? 2 : 1)) - 1) / DBL_EPSILON;
        largest = isnan(error) || error > largest ? error : largest;
        if (isnan(error))
            break;
        j += pair;
    }
    return largest;
}

double check_recurrence(const struct matrix *a, const struct matrix *w, const double *d, const double *e)
{
    size_t n = a->rows, k = w->columns - 1;
    struct matrix v = *w;
    v.columns = k;
    double *z = probe_signs(k, false), *x = probe_product(&v, false, z), *ax = probe_product(a, false, x),
           *tz = allocate(k + 1);
    for (size_t i = 0; i <= k; i++)
        tz[i] =
            (i < k ? d[i] * z[i] : 0) + (i > 0 ? e[i - 1] * z[i - 1] : 0) + (i + 1 < k ? e[i] * z[i + 1] : 0);
    double *wtz = probe_product(w, false, tz), scale = probe_norm(ax, n);
    free(z);
    free(x);
    free(tz);
    return probe_difference(ax, wtz, n, scale);
}

double check_singular(const struct matrix *a, const struct matrix *u, const double *s, const struct matrix *v,
                      bool transposed)
{
    double *z = probe_signs(a->columns, false), *az = probe_product(a, false, z),
           *vz = probe_product(v, !transposed, z);
    scale_by(vz, s, u->columns, false);
    double *usvz = probe_product(u, false, vz), scale = probe_norm(az, a->rows);
    free(z);
    free(vz);
    return probe_difference(az, usvz, a->rows, scale);
}

double check_solution(const struct matrix *a, const struct matrix *x, const struct matrix *b)
{
    double *z = probe_signs(x->columns, false), *xz = probe_product(x, false, z),
           *axz = probe_product(a, false, xz);
    double *bz = probe_product(b, false, z), scale = probe_norm(bz, b->rows);
    free(z);
    free(xz);
    return probe_difference(axz, bz, b->rows, scale);
}

double check_backward(const struct matrix *a, const struct matrix *x, const struct matrix *b)
{
    double *z = probe_signs(x->columns, false), *xz = probe_product(x, false, z);
    double *axz = probe_product(a, false, xz), *bz = probe_product(b, false, z);
    double *signs = probe_signs(a->columns, false), *az = probe_product(a, false, signs);
    double scale = probe_norm(az, a->rows) / sqrt((double)a->columns) * probe_norm(xz, x->rows);
    free(z);
    free(xz);
    free(signs);
    free(az);
    return probe_difference(axz, bz, b->rows, scale);
}

double check_least_squares(const struct matrix *a, const struct matrix *x, const struct matrix *b)
{
    double *z = probe_signs(x->columns, false), *xz = probe_product(x, false, z),
           *axz = probe_product(a, false, xz);
    double *bz = probe_product(b, false, z), *atb = probe_product(a, true, bz),
           scale = probe_norm(atb, a->columns);
    for (size_t i = 0; i < a->rows; i++)
        bz[i] -= axz[i];
    double *error = probe_product(a, true, bz), *nothing = calloc(a->columns, sizeof *nothing);
    if (!nothing)
        expect_success("memory", -1);
    free(z);
    free(xz);
    free(axz);
    free(bz);
    free(atb);
    return probe_difference(error, nothing, a->columns, scale);
}

double check_product(const struct matrix *a, const double *x, const double *y)
{
    double *ax = probe_product(a, false, x), scale = probe_norm(ax, a->rows), *copy = allocate(a->rows);
    for (size_t i = 0; i < a->rows; i++)
        copy[i] = y[i];
    return probe_difference(copy, ax, a->rows, scale);
}
