#include "tuner/route_times.h"
#include "tuner/factor_times.h"
#include "tuner/order_curve.h"

#include <math.h>

const double route_opening_us = 350e3; /* cusolverDnCreate 22 ms, loading 70, a routine's first use 250 */

/* OpenBLAS 0.3.26, 16 cores. */
static const struct order_curve host_vectors[2] = {{{0.028, 0.10, 0.44, 2.2, 15.7, 0}}, {{0.051, 0.22, 1.86, 12.7, 0, 0}}};
static const struct order_curve host_values[2] = {{{0.0080, 0.031, 0.15, 0.95, 6.0, 0}}, {{0.022, 0.095, 0.8, 5.5, 0, 0}}};
/* What B adds. */
static const struct order_curve host_reduction[2] = {{{0.004, 0.02, 0.12, 0.6, 0, 0}}, {{0.012, 0.06, 0.4, 2.2, 0, 0}}};

/* cuSOLVER 12.0.4, H100 SXM. */
static const struct order_curve device_vectors[2] = {{{0.0048, 0.011, 0.028, 0.127, 0.63, 3.81}},
                                               {{0.0056, 0.013, 0.041, 0.219, 1.19, 0}}};
static const struct order_curve device_values[2] = {{{0.0041, 0.0095, 0.0245, 0.115, 0.58, 3.4}},
                                              {{0.0048, 0.011, 0.034, 0.19, 1.05, 0}}};
static const struct order_curve device_reduction[2] = {{{0.001, 0.002, 0.004, 0.011, 0, 0}}, {{0.001, 0.003, 0.008, 0.03, 0, 0}}};

/* Of the vectors' curve: what a routine's own way to them takes on the host. MRRR, then bisection with inverse iteration,
 * then QR. */
static const double host_factor[LAPACK_FAMILY_COUNT] = {
    [LAPACK_SYEV] = 2.5, [LAPACK_SYEVD] = 1, [LAPACK_SYEVR] = 0.85, [LAPACK_SYEVX] = 1,
    [LAPACK_SYGV] = 2.5, [LAPACK_SYGVD] = 1, [LAPACK_SYGVX] = 1,
};

static bool is_generalised(enum lapack_family family)
{
    return family == LAPACK_SYGV || family == LAPACK_SYGVD || family == LAPACK_SYGVX;
}

/* A part of the vectors takes that part of what all take more than values alone. */
static double host_seconds(const struct route_shape *shape, int is_complex)
{
    const double n = (double)shape->n, part = shape->vectors ? fmin(1, (double)shape->k / n) : 0;
    const double values = order_curve_seconds(&host_values[is_complex], n);
    const double vectors = fmax(values, order_curve_seconds(&host_vectors[is_complex], n) * host_factor[shape->family]);
    const double reduction = is_generalised(shape->family) ? order_curve_seconds(&host_reduction[is_complex], n) : 0;
    return values + part * (vectors - values) + reduction;
}

static double device_seconds(const struct route_shape *shape, int is_complex)
{
    const double n = (double)shape->n, least = 2e-3;
    const struct order_curve *const curve = shape->vectors ? device_vectors : device_values;
    const double reduction = is_generalised(shape->family) ? order_curve_seconds(&device_reduction[is_complex], n) : 0;
    return fmax(least, order_curve_seconds(&curve[is_complex], n)) + reduction;
}

/* Half of a routine's time on the host is the memory's, which more cores do not shorten. */
static double core_factor(const struct machine_model *model)
{
    const double shared = 0.4, table_flops = 16 * 32e9;
    return shared + (1 - shared) * table_flops / fmax(model->host_flops[TYPE_D], 1e9);
}

struct route_times route_times_predict(const struct machine_model *model, const struct route_shape *shape)
{
    const int is_complex = blas_scalar_parts(shape->type) == 2;
    const double precision = blas_is_single(shape->type) ? 0.6 : 1;
    double host, device;
    if (!factor_times_find(shape, &host, &device)) {
        host = host_seconds(shape, is_complex);
        device = device_seconds(shape, is_complex);
    }
    return (struct route_times){
        .host_us = 1e6 * precision * core_factor(model) * host,
        .compute_us = 1e6 * precision * device,
        .moving_us = 1e6 * ((double)shape->bytes_up / model->staged_bandwidth +
                            (double)shape->bytes_down / model->result_bandwidth)};
}
