#include "tuner/online/crossover.h"

#include <math.h>

/* A routine's measured seconds for the orders 512, 1024, 2048, 4096, 8192, 16384; what was not measured is 0
 * and goes on with the power of the two before. Between two orders, and beyond them, times are powers of the
 * order. */
enum { CURVE_ORDERS = 6, CURVE_FIRST_ORDER = 512 };

struct order_curve {
    double seconds[CURVE_ORDERS];
};

static int known_orders(const struct order_curve *curve)
{
    int count = 0;
    while (count < CURVE_ORDERS && curve->seconds[count] > 0)
        count++;
    return count;
}

static double order_curve_seconds(const struct order_curve *curve, double n)
{
    const double steps = log2(n / CURVE_FIRST_ORDER);
    const int last = known_orders(curve) - 2;
    const int i = steps < 0 ? 0 : steps > last ? last : (int)steps;
    const double power = log2(curve->seconds[i + 1] / curve->seconds[i]);
    return curve->seconds[i] * exp2(power * (steps - i));
}

/* Measured times, and operations over n^3. Applying a factor goes like making one of as many
 * operations. */
struct measured {
    double operations;
    struct order_curve host, device; /* OpenBLAS 0.3.26, 16 cores; cuSOLVER 12.0.4, H100 SXM */
};

static const struct measured cholesky_times = {1.0 / 3,
                                         {{0.0014, 0.0041, 0.015, 0.069, 0, 0}},
                                         {{0.0002, 0.0004, 0.0009, 0.0019, 0.0073, 0.036}}};
static const struct measured lu_times = {2.0 / 3,
                                   {{0.0058, 0.0086, 0.026, 0.11, 0, 0}},
                                   {{0.0011, 0.0024, 0.0058, 0.014, 0.040, 0.14}}};
static const struct measured qr_times = {4.0 / 3,
                                   {{0.0050, 0.021, 0.097, 0.57, 0, 0}},
                                   {{0.0017, 0.0041, 0.010, 0.025, 0.076, 0.32}}};

static double cube(double n)
{
    return n * n * n;
}

static double lu(double m, double n)
{
    const double least = fmin(m, n);
    return 2 * (m * n * least - (m + n) * least * least / 2 + least * least * least / 3);
}

static double qr(double m, double n)
{
    const double least = fmin(m, n), most = fmax(m, n);
    return 2 * most * least * least - 2 * least * least * least / 3;
}

static double bidiagonal(double m, double n)
{
    const double least = fmin(m, n), most = fmax(m, n);
    return 4 * most * least * least - 4 * least * least * least / 3;
}

/* The routines' rows say it. */
double route_operations(const struct route_shape *shape)
{
    const double m = (double)shape->m, n = (double)shape->n, k = (double)shape->k;
    const double vectors = !shape->vectors ? 0 : k > 0 ? k : n;
    const double times = blas_scalar_parts(shape->type) == 2 ? 4 : 1;
    const bool right = shape->is_right;
    switch (shape->family) {
#define LAPACK_FAMILY(NAME, real, complex, KIND, operations, signature) \
    case LAPACK_##NAME: return times * (operations);
#include "common/routines.def"
    case LAPACK_FAMILY_COUNT: break;
    }
    return 0;
}

static const struct measured *measured_of(enum lapack_family family)
{
    static const struct measured *const by_kind[LAPACK_KIND_COUNT] = {
        [LAPACK_KIND_CHOLESKY] = &cholesky_times, [LAPACK_KIND_TRIANGLE] = &cholesky_times,
        [LAPACK_KIND_LU] = &lu_times, [LAPACK_KIND_QR] = &qr_times,
    };
    return by_kind[lapack_kind_of(family)];
}

/* Below the first order threads hardly help, and times fall faster than from there on. */
static double host_seconds_at(const struct order_curve *curve, double order)
{
    const double small_power = 2.5;
    return order < CURVE_FIRST_ORDER ? curve->seconds[0] * pow(order / CURVE_FIRST_ORDER, small_power)
                                     : order_curve_seconds(curve, order);
}

/* The order at which the measured routine has as many operations. */
static double factor_order(const struct route_shape *shape)
{
    return fmax(16, cbrt(route_operations(shape) / measured_of(shape->family)->operations));
}

bool factor_times_find(const struct route_shape *shape, double *host_seconds, double *device_seconds)
{
    const struct measured *const measured = measured_of(shape->family);
    const double least = 0.3e-3; /* launches and waits */
    if (!measured)
        return false;
    const double order = factor_order(shape);
    *host_seconds = host_seconds_at(&measured->host, order);
    *device_seconds = fmax(least, order_curve_seconds(&measured->device, order));
    return true;
}

/* OpenBLAS 0.3.26, 16 cores. */
static const struct order_curve host_vectors[2] = {{{0.028, 0.10, 0.44, 2.2, 15.7, 0}},
                                                   {{0.051, 0.22, 1.86, 12.7, 0, 0}}};
static const struct order_curve host_values[2] = {{{0.0080, 0.031, 0.15, 0.95, 6.0, 0}},
                                                  {{0.022, 0.095, 0.8, 5.5, 0, 0}}};
/* Seconds that B adds. */
static const struct order_curve host_reduction[2] = {{{0.004, 0.02, 0.12, 0.6, 0, 0}},
                                                     {{0.012, 0.06, 0.4, 2.2, 0, 0}}};

/* Our own kernels with all vectors, H100 SXM (bench/results/h100-lapack/lapack.csv), in one stage. */
static const struct order_curve own_vectors[2] = {{{0.0020, 0.0046, 0.0148, 0.073, 0.432, 2.7}},
                                                  {{0.0023, 0.0056, 0.0276, 0.143, 0.87, 6.6}}};
/* In two stages, at eight times a curve's orders: values alone, with a tenth of the vectors, with all. With
 * all of them 4096 follows from 4608, and with any 32768 from 16384. */
static const struct order_curve own_two_stages[3] = {{{0.072, 0.174, 0.576, 3.01, 0, 0}},
                                                     {{0.0814, 0.234, 0.886, 5, 0, 0}},
                                                     {{0.0910, 0.312, 1.72, 13, 0, 0}}};
/* cuSOLVER 12.0.4, H100 SXM. */
static const struct order_curve device_vectors[2] = {{{0.0048, 0.011, 0.028, 0.127, 0.63, 3.81}},
                                               {{0.0056, 0.013, 0.041, 0.219, 1.19, 0}}};
static const struct order_curve device_values[2] = {{{0.0041, 0.0095, 0.0245, 0.115, 0.58, 3.4}},
                                              {{0.0048, 0.011, 0.034, 0.19, 1.05, 0}}};
static const struct order_curve device_reduction[2] = {{{0.001, 0.002, 0.004, 0.011, 0, 0}},
                                                       {{0.001, 0.003, 0.008, 0.03, 0, 0}}};

/* Parts of the vectors' curve that a routine's own way to them takes on the host. MRRR, then bisection with
 * inverse iteration, then QR. */
static const double host_factor[LAPACK_FAMILY_COUNT] = {
    [LAPACK_SYEV] = 2.5, [LAPACK_SYEVD] = 1, [LAPACK_SYEVR] = 0.85, [LAPACK_SYEVX] = 1,
    [LAPACK_SYGV] = 2.5, [LAPACK_SYGVD] = 1, [LAPACK_SYGVX] = 1,
};

/* Curves of one routine: OpenBLAS on 16 cores, and cuSOLVER or cuBLAS. */
struct routine_curves {
    struct order_curve host[2], device[2];
};

/* Without vectors, and with all. sytrd of real types was measured on both sides, ormtr and sygst on the
 * device; the others follow from their operations. */
static const struct routine_curves sytrd_curves = {
    {{{0.0070, 0.027, 0.13, 0.88, 5.6, 0}}, {{0.020, 0.085, 0.7, 5.0, 0, 0}}},
    {{{0.0037, 0.0087, 0.0225, 0.110, 0.566, 3.37}}, {{0.0043, 0.0102, 0.031, 0.18, 1.0, 0}}}};
static const struct routine_curves ormtr_curves = {
    {{{0.003, 0.012, 0.07, 0.45, 3.4, 0}}, {{0.008, 0.04, 0.26, 1.8, 0, 0}}},
    {{{0.0005, 0.0006, 0.0016, 0.0076, 0.042, 0}}, {{0.0006, 0.001, 0.0045, 0.026, 0, 0}}}};
static const struct routine_curves sygst_curves = {
    {{{0.003, 0.016, 0.1, 0.5, 0, 0}}, {{0.009, 0.05, 0.35, 1.9, 0, 0}}},
    {{{0.0008, 0.0016, 0.0035, 0.012, 0, 0}}, {{0.0009, 0.0026, 0.008, 0.035, 0, 0}}}};

/* Times for T with random elements (bench/lapack_stedc); T's vectors are real for all types. COMPZ 'V' adds a
 * product with Z on either side, which is not counted. */
static const struct routine_curves stedc_curves = {
    {{{0.0094, 0.026, 0.079, 0.27, 0.89, 0}}, {{0.0094, 0.026, 0.079, 0.27, 0.89, 0}}},
    {{{0.00031, 0.0004, 0.0007, 0.0023, 0.0132, 0}}, {{0.00031, 0.0004, 0.0007, 0.0023, 0.0132, 0}}}};

/* gesdd with all vectors was measured on both sides. */
static const struct routine_curves gesdd_curves = {
    {{{0.059, 0.28, 1.33, 7.8, 0, 0}}, {{0.11, 0.55, 3.3, 24, 0, 0}}},
    {{{0.013, 0.031, 0.086, 0.30, 0, 0}}, {{0.017, 0.043, 0.15, 0.65, 0, 0}}}};
static const struct routine_curves gesvd_curves = {
    {{{0.13, 0.75, 5, 36, 0, 0}}, {{0.25, 1.5, 11, 80, 0, 0}}},
    {{{0.013, 0.031, 0.086, 0.30, 0, 0}}, {{0.017, 0.043, 0.15, 0.65, 0, 0}}}};
static const struct routine_curves singular_value_curves = {
    {{{0.015, 0.06, 0.3, 2.0, 0, 0}}, {{0.035, 0.16, 1.2, 9, 0, 0}}},
    {{{0.012, 0.028, 0.075, 0.25, 0, 0}}, {{0.015, 0.039, 0.13, 0.55, 0, 0}}}};

/* The host finds gesdd's values and applies the vectors to few sides, or as gesvd all right ones; the device finds all
 * vectors. */
static const struct routine_curves gelsd_curves = {
    {{{0.018, 0.07, 0.35, 2.3, 0, 0}}, {{0.04, 0.18, 1.4, 10, 0, 0}}},
    {{{0.014, 0.033, 0.09, 0.32, 0, 0}}, {{0.018, 0.046, 0.16, 0.7, 0, 0}}}};
static const struct routine_curves gelss_curves = {
    {{{0.07, 0.4, 2.6, 18, 0, 0}}, {{0.13, 0.8, 5.5, 40, 0, 0}}},
    {{{0.014, 0.033, 0.09, 0.32, 0, 0}}, {{0.018, 0.046, 0.16, 0.7, 0, 0}}}};

/* Singular values by our own kernels: without vectors, with all, and with least squares behind them. Times of
 * doubles were measured up to 8192, of complex ones up to 4096 (bench/results/h200-singular.csv), with least squares
 * at 3072. */
static const struct order_curve own_singular[][2] = {
    {{{0.0066, 0.0137, 0.0314, 0.104, 0.52, 6.6}}, {{0.0094, 0.0197, 0.0502, 0.225, 1.65, 0}}},
    {{{0.0062, 0.013, 0.0307, 0.109, 0.6, 7}}, {{0.0093, 0.0196, 0.0526, 0.253, 2.0, 0}}},
    {{{0.0075, 0.0155, 0.036, 0.13, 0.9, 9}}, {{0.011, 0.022, 0.06, 0.28, 2.3, 0}}}};

/* gebrd on the device was measured (bench/results/h200-singular.csv); from 16384 on, and of complex types from
 * 8192 on, it reads the matrix twice a column. The host's times are a little less than gesdd's for values. */
static const struct routine_curves gebrd_curves = {
    {{{0.013, 0.052, 0.26, 1.8, 0, 0}}, {{0.03, 0.14, 1.05, 8, 0, 0}}},
    {{{0.0056, 0.0108, 0.0251, 0.0906, 0.49, 6.3}}, {{0.0072, 0.0167, 0.0429, 0.174, 1.6, 0}}}};

/* dgeev with right vectors was measured on both sides. */
static const struct routine_curves geev_curves = {
    {{{0.30, 1.03, 3.5, 16, 0, 0}}, {{0.5, 1.9, 9, 50, 0, 0}}},
    {{{0.11, 0.25, 0.63, 1.9, 0, 0}}, {{0.13, 0.31, 0.85, 2.9, 0, 0}}}};
static const struct routine_curves general_value_curves = {
    {{{0.18, 0.6, 2.0, 9, 0, 0}}, {{0.3, 1.1, 5, 28, 0, 0}}},
    {{{0.09, 0.2, 0.5, 1.5, 0, 0}}, {{0.11, 0.26, 0.7, 2.4, 0, 0}}}};

static const struct routine_curves *const routine_curves[LAPACK_FAMILY_COUNT][2] = {
    [LAPACK_SYTRD] = {&sytrd_curves, &sytrd_curves},
    [LAPACK_ORGTR] = {&ormtr_curves, &ormtr_curves},
    [LAPACK_ORMTR] = {&ormtr_curves, &ormtr_curves},
    [LAPACK_GEBRD] = {&gebrd_curves, &gebrd_curves},
    [LAPACK_ORGBR] = {&ormtr_curves, &ormtr_curves},
    [LAPACK_ORMBR] = {&ormtr_curves, &ormtr_curves},
    [LAPACK_SYGST] = {&sygst_curves, &sygst_curves},
    [LAPACK_STEDC] = {&stedc_curves, &stedc_curves},
    [LAPACK_GEEV] = {&general_value_curves, &geev_curves},
    [LAPACK_GESDD] = {&singular_value_curves, &gesdd_curves},
    [LAPACK_GESVD] = {&singular_value_curves, &gesvd_curves},
    [LAPACK_GELSD] = {&gelsd_curves, &gelsd_curves},
    [LAPACK_GELSS] = {&gelss_curves, &gelss_curves},
};

static bool is_generalised(enum lapack_family family)
{
    return family == LAPACK_SYGV || family == LAPACK_SYGVD || family == LAPACK_SYGVX;
}

/* Problems of unequal sizes take as long as a square of as many operations. */
static double order_of(const struct route_shape *shape)
{
    return cbrt((double)shape->m * (double)shape->n * (double)shape->k);
}

/* A part of the vectors takes that part of what all take more than values alone. */
static double host_seconds(const struct route_shape *shape, int is_complex)
{
    const struct routine_curves *const curves = routine_curves[shape->family][shape->vectors];
    if (curves)
        return order_curve_seconds(&curves->host[is_complex], order_of(shape));
    const double n = (double)shape->n, part = shape->vectors ? fmin(1, (double)shape->k / n) : 0;
    const double values = order_curve_seconds(&host_values[is_complex], n);
    const double vectors =
        fmax(values, order_curve_seconds(&host_vectors[is_complex], n) * host_factor[shape->family]);
    const double reduction =
        is_generalised(shape->family) ? order_curve_seconds(&host_reduction[is_complex], n) : 0;
    return values + part * (vectors - values) + reduction;
}

/* Our own eigensolver's part of cuSOLVER's time. Steps of it, and values alone, were not measured apart. */
static double own_part(double n, int is_complex)
{
    return order_curve_seconds(&own_vectors[is_complex], n) /
           order_curve_seconds(&device_vectors[is_complex], n);
}

static double own_singular_seconds(const struct route_shape *shape, int is_complex)
{
    const bool is_least_squares = shape->family == LAPACK_GELSD || shape->family == LAPACK_GELSS;
    return order_curve_seconds(&own_singular[is_least_squares ? 2 : shape->vectors][is_complex], order_of(shape));
}

/* The faster ones find singular values. */
static bool is_own_singular(const struct route_shape *shape, int is_complex)
{
    const struct routine_curves *const curves = routine_curves[shape->family][shape->vectors];
    return lapack_kind_of(shape->family) == LAPACK_KIND_SINGULAR && !shape->solvers_alone &&
           own_singular_seconds(shape, is_complex) <=
               order_curve_seconds(&curves->device[is_complex], order_of(shape));
}

/* False: our own eigensolver takes one stage. */
static bool find_two_stages(const struct route_factors *learned, const struct route_shape *shape,
                            double *seconds)
{
    const struct two_stage_borders from = route_factors_two_stages(learned, shape->type);
    const int64_t count = shape->vectors ? shape->k : 0;
    if (blas_scalar_parts(shape->type) == 2 || shape->n < two_stage_border(&from, shape->n, count))
        return false;
    const double n = (double)shape->n, tenths = 10 * (double)count / n;
    const struct order_curve *const less = &own_two_stages[tenths > 1];
    const double part = tenths > 1 ? (tenths - 1) / 9 : tenths;
    *seconds = (1 - part) * order_curve_seconds(less, n / 8) + part * order_curve_seconds(less + 1, n / 8);
    return true;
}

static double device_seconds(const struct route_shape *shape, int is_complex, bool own,
                             const struct route_factors *learned)
{
    const struct routine_curves *const curves = routine_curves[shape->family][shape->vectors];
    const double n = (double)shape->n, least = 2e-3;
    if (own && lapack_kind_of(shape->family) == LAPACK_KIND_SINGULAR)
        return fmax(0.5e-3, own_singular_seconds(shape, is_complex));
    const double part = own ? own_part(n, is_complex) : 1;
    if (curves)
        return fmax(0.5e-3, part * order_curve_seconds(&curves->device[is_complex], order_of(shape)));
    const struct order_curve *const curve = shape->vectors ? device_vectors : device_values;
    const double reduction =
        is_generalised(shape->family) ? order_curve_seconds(&device_reduction[is_complex], n) : 0;
    double seconds;
    if (!own || !find_two_stages(learned, shape, &seconds))
        seconds = fmax(least, part * order_curve_seconds(&curve[is_complex], n));
    return seconds + reduction;
}

/* More cores shorten a part of a routine's time on the host, which grows with the order: by one thread and two of
 * OpenBLAS 0.3.26 for 512 to 2048, beside the tables' 16 (potrf, getrf, geqrf, syevd, heevd, gesdd, geev).
 * The part is half of its most at an order that the routine has. */
static double core_factor(const struct machine_model *model, const struct route_shape *shape)
{
    const double most = 0.6, table_cores = 16, complex_weight = 1.8;
    const bool is_factor = measured_of(shape->family) != NULL;
    const double half = is_factor ? 2000 : shape->family == LAPACK_GEEV ? 3700 : 2700;
    double order = is_factor                                       ? factor_order(shape)
                   : routine_curves[shape->family][shape->vectors] ? order_of(shape)
                                                                   : (double)shape->n;
    if (!is_factor && blas_scalar_parts(shape->type) == 2)
        order *= complex_weight;
    const double part = most * order * order / (order * order + half * half);
    return 1 - part + part * table_cores / fmax(model->host_cores, 1);
}

/* Long transfers are packed by several threads (bench/transfers on an H100: 8 to 9 GB/s each, 38 of all). */
static double moving_seconds(const struct machine_model *model, uint64_t bytes)
{
    const double each = 8.5e9, most = 38e9, shared_bytes = 8 << 20, threads = 8;
    const double rate =
        (double)bytes < shared_bytes ? each : fmin(most, each * fmin(threads, fmax(model->packers, 1)));
    return model->sharing * (double)bytes / rate;
}

/* In double precision by OpenBLAS' curves and what was learned over them. */
static double host_us_of(const struct machine_model *model, const struct route_shape *shape, double precision,
                         double host)
{
    const struct route_factors *const learned = model->learned ? &model->learned->routes : NULL;
    if (model->has_reference_host && !route_factors_know_host(learned, shape))
        return 1e6 * reference_host_seconds(shape, route_operations(shape));
    return 1e6 * precision * core_factor(model, shape) * host * route_factors_of(learned, SIDE_HOST, shape);
}

struct route_times route_times_predict(const struct machine_model *model, const struct route_shape *shape)
{
    const int is_complex = blas_scalar_parts(shape->type) == 2;
    const double precision = blas_is_single(shape->type) ? 0.6 : 1;
    const struct route_factors *const learned = model->learned ? &model->learned->routes : NULL;
    const bool own = route_is_eigenproblem(shape->family)
                         ? !shape->solvers_alone && route_factors_say_own(learned, is_complex, shape->n)
                         : is_own_singular(shape, is_complex);
    double host, device;
    if (!factor_times_find(shape, &host, &device)) {
        host = host_seconds(shape, is_complex);
        device = device_seconds(shape, is_complex, own, learned);
    }
    return (struct route_times){
        .host_us = host_us_of(model, shape, precision, host),
        .compute_us =
            1e6 * model->sharing * precision * device * route_factors_of(learned, SIDE_DEVICE, shape),
        .moving_us =
            1e6 * (moving_seconds(model, shape->bytes_up) + moving_seconds(model, shape->bytes_down)),
        .kept_us = 1e6 * (moving_seconds(model, shape->bytes_up) -
                          moving_seconds(model, shape->bytes_up - shape->bytes_kept)),
        .own = own};
}
