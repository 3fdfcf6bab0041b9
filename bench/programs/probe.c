#include "probe.h"
#include "program.h"
#include "../timing.h"

#include <float.h>
#include <math.h>

double *probe_signs(size_t count, bool complex)
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

double *probe_product(const struct matrix *matrix, bool adjoint, const double *x)
{
    double *y = allocate((adjoint ? matrix->columns : matrix->rows) * matrix_parts(matrix));
    matrix_apply(matrix, adjoint, x, y);
    return y;
}

double probe_norm(const double *x, size_t count)
{
    long double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (long double)x[i] * x[i];
    return sqrt((double)sum);
}

double probe_difference(double *x, double *y, size_t count, double scale)
{
    for (size_t i = 0; i < count; i++)
        x[i] -= y[i];
    double error = probe_norm(x, count) / (DBL_EPSILON * scale);
    free(x);
    free(y);
    return error;
}

long double *probe_long_copy(const double *x, size_t count)
{
    long double *copy = malloc((count ? count : 1) * sizeof *copy);
    if (!copy)
        expect_success("memory", -1);
    for (size_t i = 0; i < count; i++)
        copy[i] = x[i];
    return copy;
}
