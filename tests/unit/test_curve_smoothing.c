/* Noise goes, steps stay, and so does what a result's way home adds. */
#include "tap.h"
#include "tuner/curve_smoothing.h"

#include <math.h>
#include <string.h>

static const double spacing = 1.3;

static struct time_curve planted(double noise, double step)
{
    struct time_curve curve = {0};
    double amount = 1e5;
    for (int i = 0; i < 16; i++, amount *= spacing) {
        const double sign = i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : 0.2;
        time_curve_add(&curve, amount, 1e-4 * amount * (i < 8 ? 1 : step) * (1 + sign * noise));
    }
    return curve;
}

/* The greatest factor between the curves' times, the ends left out. */
static double worst(const struct time_curve *curve, const struct time_curve *exact)
{
    double most = 1;
    for (int i = 1; i + 1 < curve->count; i++) {
        const double ratio = curve->samples[i].us / exact->samples[i].us;
        most = fmax(most, fmax(ratio, 1 / ratio));
    }
    return most;
}

static void test_noise(void)
{
    struct time_curve exact = planted(0, 1), curve = planted(0, 1);
    curve_smoothing_apply(&curve);
    tap_ok(worst(&curve, &exact) < 1.001, "what grows with the amount stays: %.4f", worst(&curve, &exact));
    curve = planted(0.15, 1);
    curve_smoothing_apply(&curve);
    tap_ok(worst(&curve, &exact) < 1.11, "of 15%% of noise a quarter goes: %.3f", worst(&curve, &exact));
    exact = planted(0, 3);
    curve = planted(0, 3);
    curve_smoothing_apply(&curve);
    tap_ok(worst(&curve, &exact) < 1.15, "a step stays: %.3f", worst(&curve, &exact));
    memset(&curve, 0, sizeof curve);
    curve_smoothing_apply(&curve);
    tap_ok(curve.count == 0, "a curve without samples has none");
}

/* Results of 8 MiB and more come home at once, as those that are pinned do. */
static void test_results(struct learned_times *times)
{
    const int class = timed_class_parse("dgemm_deep");
    double worst_change = 0;
    time_curve_add(&times->result.ways[RESULT_STAGED], 1 << 10, 1);
    time_curve_add(&times->result.ways[RESULT_STAGED], 16 << 20, 4000);
    time_curve_add(&times->result.ways[RESULT_PINNED], 16 << 20, 300);
    time_curve_add(&times->result.ways[RESULT_PINNED], 64 << 20, 1200);
    for (int64_t n = 1000; n < 2400; n += 100) {
        const struct blas_call call = timed_class_call(class, (double)(n * n * n) * (1 + 1e-9));
        double home;
        result_times_at(&times->result, &call, true, &home);
        time_curve_add(&times->host[class], timed_class_amount(&call), 1e-6 * timed_class_amount(&call));
        time_curve_add(&times->resident[class], timed_class_amount(&call),
                       50 + 1e-7 * timed_class_amount(&call) + home);
    }
    learned_times_separate_all(times);
    const struct time_curve before = times->resident[class];
    curve_smoothing_all(times);
    for (int i = 0; i < before.count; i++)
        worst_change = fmax(worst_change, fabs(times->resident[class].samples[i].us / before.samples[i].us - 1));
    tap_ok(before.count > 10 && worst_change < 0.05, "results' steps stay: %.3f", worst_change);
}

int main(void)
{
    struct learned_times *times = calloc(1, sizeof *times);
    test_noise();
    test_results(times);
    free(times);
    return tap_done();
}
