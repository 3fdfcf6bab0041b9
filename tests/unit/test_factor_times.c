/* Predicted times of factorisations: the measured ones at their orders, operation counts between routines,
 * and what follows for host and device. */
#include "tuner/online/crossover.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

static struct route_shape shape_of(enum lapack_family family, enum blas_type type, int64_t m, int64_t n,
                                   int64_t k)
{
    const uint64_t element = blas_element_bytes(type), a = (uint64_t)(m * n) * element,
                   b = (uint64_t)(n * k) * element;
    return (struct route_shape){
        .family = family, .type = type, .m = m, .n = n, .k = k, .bytes_up = a + b, .bytes_down = b};
}

static double host_of(enum lapack_family family, enum blas_type type, int64_t m, int64_t n, int64_t k)
{
    const struct route_shape shape = shape_of(family, type, m, n, k);
    double host = NAN, device = NAN;
    factor_times_find(&shape, &host, &device);
    return host;
}

static double device_of(enum lapack_family family, int64_t n)
{
    const struct route_shape shape = shape_of(family, TYPE_D, n, n, 1);
    double host = NAN, device = NAN;
    factor_times_find(&shape, &host, &device);
    return device;
}

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) <= 1e-9 * wanted;
}

static void test_measured(void)
{
    tap_ok(is_near(host_of(LAPACK_POTRF, TYPE_D, 4096, 4096, 0), 0.069) &&
               is_near(device_of(LAPACK_POTRF, 16384), 0.036),
           "potrf takes what it was measured to take");
    tap_ok(is_near(host_of(LAPACK_GETRF, TYPE_D, 2048, 2048, 0), 0.026) &&
               is_near(device_of(LAPACK_GETRF, 8192), 0.040),
           "and so does getrf");
    tap_ok(is_near(host_of(LAPACK_GEQRF, TYPE_D, 1024, 1024, 0), 0.021) &&
               is_near(device_of(LAPACK_GEQRF, 4096), 0.025),
           "and geqrf");
    tap_ok(device_of(LAPACK_POTRF, 20) >= 0.3e-3, "nothing takes less on the device than launches and waits");
}

static void test_operations(void)
{
    tap_ok(
        is_near(host_of(LAPACK_POTRS, TYPE_D, 1536, 1536, 256), host_of(LAPACK_POTRF, TYPE_D, 1536, 1536, 0)),
        "potrs takes as long as potrf of as many operations");
    tap_ok(
        is_near(host_of(LAPACK_GETRS, TYPE_Z, 600, 600, 100), host_of(LAPACK_GETRS, TYPE_D, 600, 600, 400)),
        "complex numbers count four times");
    tap_ok(host_of(LAPACK_GETRF, TYPE_D, 4096, 512, 0) > host_of(LAPACK_GETRF, TYPE_D, 512, 512, 0) &&
               host_of(LAPACK_GETRF, TYPE_D, 4096, 512, 0) < host_of(LAPACK_GETRF, TYPE_D, 4096, 4096, 0) / 4,
           "few columns take less than a square");
    tap_ok(is_near(host_of(LAPACK_GEQRF, TYPE_D, 700, 300, 0), host_of(LAPACK_GEQRF, TYPE_D, 300, 700, 0)),
           "geqrf counts rows and columns alike");
    tap_ok(isnan(host_of(LAPACK_SYEVD, TYPE_D, 512, 512, 0)), "an eigensolver is not looked for here");
}

static bool pays(enum lapack_family family, int64_t n, int64_t k)
{
    const struct machine_model model = crossover_builtin_model(NULL, 16);
    const struct route_shape shape = shape_of(family, TYPE_D, n, n, k);
    const struct route_times times = route_times_predict(&model, &shape);
    return times.compute_us + times.moving_us < times.host_us;
}

static void test_decisions(void)
{
    tap_ok(!pays(LAPACK_POTRS, 4096, 1) && !pays(LAPACK_GETRS, 8192, 1), "one right-hand side is the host's");
    tap_ok(pays(LAPACK_GETRS, 4096, 4096), "as many as columns are the device's");
    tap_ok(!pays(LAPACK_GETRF, 128, 0) && pays(LAPACK_GEQRF, 8192, 0),
           "small ones are the host's, large ones the device's");
}

UNIT_TEST(test_factor_times)
{
    test_measured();
    test_operations();
    test_decisions();
    return tap_done();
}
