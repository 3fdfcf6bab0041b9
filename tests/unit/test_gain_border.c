/* Where the sides change place, and where samples are missing beside it. */
#include "tap.h"
#include "tuner/gain_border.h"

#include <math.h>
#include <string.h>

static const struct amount_range any = {1, 1e12};

/* The host takes 1 us for 1000 elements, the device 100 us for any. */
static void plant(struct learned_times *times, int class, double first, double last, double apart)
{
    memset(times, 0, sizeof *times);
    for (double amount = first; amount < last; amount *= apart) {
        time_curve_add(&times->host[class], amount, 1e-3 * amount);
        time_curve_add(&times->resident[class], amount, 100);
    }
    learned_times_separate_all(times);
}

static bool is_about(double value, double expected)
{
    return fabs(value / expected - 1) < 0.03;
}

static void test_border(struct learned_times *times, int class)
{
    double below = 0, above = 0;
    struct amount_range range;
    plant(times, class, 1e3, 2e6, 4);
    bool found = gain_border_find(times, class, &below, &above);
    tap_ok(found && below < 1e5 && above > 1e5 && above < 4.1 * below,
           "the sides change between %.0f and %.0f", below, above);
    found = gain_border_range(times, class, any, &range);
    tap_ok(found && is_about(range.low, below / 5) && is_about(range.high, 5 * above),
           "what is beside it: %.0f to %.0f", range.low, range.high);
    const struct amount_range bounds = {5e4, 2e5};
    tap_ok(gain_border_range(times, class, bounds, &range) && range.low == 5e4 && range.high == 2e5,
           "as far as calls can have it");
    plant(times, class, 1e3, 8e4, 4);
    found = gain_border_range(times, class, any, &range);
    tap_ok(!gain_border_find(times, class, &below, &above) && found && is_about(range.high, 5e5),
           "also beyond the last sample: to %.0f", range.high);
    plant(times, class, 1e3, 1e4, 2);
    tap_ok(gain_border_is_clear(times, class) && !gain_border_range(times, class, any, &range),
           "not where one side is far ahead");
    tap_ok(gain_border_is_near(times, class, 5e4) && !gain_border_is_near(times, class, 5e6) &&
           !gain_border_is_near(times, class, 2e4), "nor is it near there");
    memset(times, 0, sizeof *times);
    tap_ok(!gain_border_range(times, class, any, &range) && gain_border_is_near(times, class, 1),
           "what is not known has no border, and may be near");
}

static void test_gaps(struct learned_times *times, int class)
{
    const struct amount_range range = {2e4, 5e5};
    double amount = 0, before = 1, widest = 1;
    int added = 0;
    plant(times, class, 1e3, 2e6, 16);
    while (added < 40 && gain_border_gap(times, class, range, 1.4, &amount)) {
        if (amount < range.low || amount > range.high)
            break;
        added += time_curve_add(&times->host[class], amount, 1e-3 * amount);
    }
    const struct time_curve *host = &times->host[class];
    for (int i = 0; i < host->count; i++) {
        const double at = host->samples[i].amount;
        if (at > range.low * 1.41 && before < range.high / 1.41)
            widest = fmax(widest, at / fmax(before, range.low));
        before = at;
    }
    tap_ok(added > 8 && added < 18 && widest <= 1.4, "gaps are filled, with %d samples, to %.2f", added, widest);
}

int main(void)
{
    struct learned_times *times = calloc(1, sizeof *times);
    const int class = timed_class_parse("dsymv");
    test_border(times, class);
    test_gaps(times, class);
    free(times);
    return tap_done();
}
