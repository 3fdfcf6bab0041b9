#include "tuner/online/factor_times.h"
#include "tuner/online/order_curve.h"

#include <math.h>

/* What has been measured, and operations over n^3. Applying a factor goes like making one of as many operations. */
struct measured {
    double operations;
    struct order_curve host, device; /* OpenBLAS 0.3.26, 16 cores; cuSOLVER 12.0.4, H100 SXM */
};

static const struct measured cholesky = {1.0 / 3,
                                         {{0.0014, 0.0041, 0.015, 0.069, 0, 0}},
                                         {{0.0002, 0.0004, 0.0009, 0.0019, 0.0073, 0.036}}};
static const struct measured lu = {2.0 / 3,
                                   {{0.0058, 0.0086, 0.026, 0.11, 0, 0}},
                                   {{0.0011, 0.0024, 0.0058, 0.014, 0.040, 0.14}}};
static const struct measured qr = {4.0 / 3,
                                   {{0.0050, 0.021, 0.097, 0.57, 0, 0}},
                                   {{0.0017, 0.0041, 0.010, 0.025, 0.076, 0.32}}};

static double operations_of_lu(double m, double n)
{
    const double least = fmin(m, n);
    return 2 * (m * n * least - (m + n) * least * least / 2 + least * least * least / 3);
}

static double operations_of_qr(double m, double n)
{
    const double least = fmin(m, n), most = fmax(m, n);
    return 2 * most * least * least - 2 * least * least * least / 3;
}

/* Of real numbers. */
static double operations(const struct route_shape *shape)
{
    const double m = (double)shape->m, n = (double)shape->n, k = (double)shape->k;
    switch (shape->family) {
    case LAPACK_POTRF:
    case LAPACK_TRTRI: return n * n * n / 3;
    case LAPACK_POTRI: return 2 * n * n * n / 3;
    case LAPACK_POTRS:
    case LAPACK_GETRS: return 2 * n * n * k;
    case LAPACK_POSV: return n * n * n / 3 + 2 * n * n * k;
    case LAPACK_GETRF: return operations_of_lu(m, n);
    case LAPACK_GESV: return operations_of_lu(n, n) + 2 * n * n * k;
    case LAPACK_GETRI: return 4 * n * n * n / 3;
    case LAPACK_GEQRF: return operations_of_qr(m, n);
    case LAPACK_ORGQR: return 4 * m * n * k - 2 * (m + n) * k * k + 4 * k * k * k / 3;
    case LAPACK_ORMQR: return 4 * m * n * k - 2 * (shape->is_right ? m : n) * k * k;
    case LAPACK_GELS: return operations_of_qr(m, n) + 4 * m * n * k - n * n * k;
    default: break;
    }
    return 0;
}

static const struct measured *measured_of(enum lapack_family family)
{
    static const struct measured *const by_family[LAPACK_FAMILY_COUNT] = {
        [LAPACK_POTRF] = &cholesky, [LAPACK_POTRS] = &cholesky, [LAPACK_POSV] = &cholesky, [LAPACK_POTRI] = &cholesky,
        [LAPACK_TRTRI] = &cholesky, [LAPACK_GETRF] = &lu,       [LAPACK_GETRS] = &lu,      [LAPACK_GESV] = &lu,
        [LAPACK_GETRI] = &lu,       [LAPACK_GEQRF] = &qr,       [LAPACK_ORGQR] = &qr,      [LAPACK_ORMQR] = &qr,
        [LAPACK_GELS] = &qr,
    };
    return by_family[family];
}

/* Below the first order threads hardly help, and times fall faster than from there on. */
static double host_seconds_at(const struct order_curve *curve, double order)
{
    const double small_power = 2.5;
    return order < CURVE_FIRST_ORDER ? curve->seconds[0] * pow(order / CURVE_FIRST_ORDER, small_power)
                                     : order_curve_seconds(curve, order);
}

/* Complex numbers take four times as many operations. */
bool factor_times_find(const struct route_shape *shape, double *host_seconds, double *device_seconds)
{
    const struct measured *const measured = measured_of(shape->family);
    const double least = 0.3e-3; /* launches and waits */
    if (!measured)
        return false;
    const double count = operations(shape) * (blas_scalar_parts(shape->type) == 2 ? 4 : 1);
    const double order = fmax(16, cbrt(count / measured->operations));
    *host_seconds = host_seconds_at(&measured->host, order);
    *device_seconds = fmax(least, order_curve_seconds(&measured->device, order));
    return true;
}
