#include "lapack/tridiagonal_parts.h"

#include <float.h>
#include <math.h>

static double modulus_of(const void *numbers, int64_t index, bool is_single)
{
    return is_single ? fabs((double)((const float *)numbers)[index]) : fabs(((const double *)numbers)[index]);
}

/* LAPACK's eps is half of C's. */
static bool is_negligible(double beside, double before, double behind, bool is_single)
{
    const double epsilon = (is_single ? (double)FLT_EPSILON : DBL_EPSILON) / 2;
    return beside <= epsilon * sqrt(before) * sqrt(behind);
}

bool tridiagonal_parts_are_alike(const void *diagonal, const void *beside, int64_t n, enum blas_type type)
{
    const double apart = 1024;
    const bool is_single = blas_is_single(type);
    double part = 0, whole = 0, least = INFINITY;
    int64_t rows = 0;
    for (int64_t i = 0; i < n; i++) {
        const double here = modulus_of(diagonal, i, is_single);
        const double next = i + 1 < n ? modulus_of(beside, i, is_single) : 0;
        part = fmax(part, here);
        rows++;
        if (i + 1 < n && !is_negligible(next, here, modulus_of(diagonal, i + 1, is_single), is_single)) {
            part = fmax(part, next);
            continue;
        }
        whole = fmax(whole, part);
        least = rows > 1 ? fmin(least, part) : least;
        part = 0, rows = 0;
    }
    return least >= whole / apart;
}

void tridiagonal_parts_tear(const void *diagonal, void *beside, int64_t n, enum blas_type type)
{
    const bool is_single = blas_is_single(type);
    for (int64_t i = 0; i + 1 < n; i++) {
        if (!is_negligible(modulus_of(beside, i, is_single), modulus_of(diagonal, i, is_single),
                           modulus_of(diagonal, i + 1, is_single), is_single))
            continue;
        if (is_single)
            ((float *)beside)[i] = 0;
        else
            ((double *)beside)[i] = 0;
    }
}
