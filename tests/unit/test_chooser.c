/* The chooser of launch shapes, on planted times. */
#include "tuner/learn/statistics.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t random_state = 5;

/* About normal, of standard deviation 1. */
static double noise(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        random_state = random_state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(random_state >> 11) * 0x1p-53 - 0.5;
    }
    return sum;
}

/* How often that one chooses in 1000 tries with 15 sizes, 1% of noise in each time. */
static int picked(enum chooser wanted, double rules, double occupancy, double built_in)
{
    int count = 0;
    double gain;
    for (int try = 0; try < 1000; try++) {
        struct chooser_sample samples[15];
        for (int i = 0; i < 15; i++)
            samples[i] = (struct chooser_sample){{rules * (1 + 0.01 * noise()),
                                                  occupancy * (1 + 0.01 * noise()),
                                                  built_in * (1 + 0.01 * noise())}};
        count += chooser_pick(samples, 15, &gain) == wanted;
    }
    return count;
}

static void test_pick(void)
{
    int count = picked(CHOOSER_RULES, 1, 1.05, 1.05);
    tap_ok(count > 990, "rules that are 5%% faster than what is built in choose: %d of 1000", count);
    count = picked(CHOOSER_BUILT_IN, 1.02, 1.02, 1);
    tap_ok(count == 1000, "none that are 2%% slower do: %d of 1000", count);
    count = picked(CHOOSER_RULES, 1, 1, 1);
    tap_ok(count > 800, "where all are as good it is the rules: %d of 1000", count);
    count = picked(CHOOSER_OCCUPANCY, 1.05, 1, 1.05);
    tap_ok(count > 990, "the optimizer chooses where it is the best: %d of 1000", count);
    count = picked(CHOOSER_BUILT_IN, 1.05, 1.02, 1);
    tap_ok(count == 1000, "not where it is only better than the rules: %d of 1000", count);
}

static void test_unknown(void)
{
    const struct chooser_sample samples[] = {{{1, 0, 1.1}}, {{1, 0, 1.1}}, {{HUGE_VAL, 0, 1}}, {{1, 0.5, 0}}};
    double gain;
    tap_ok(chooser_pick(samples, 4, &gain) == CHOOSER_RULES && fabs(gain - 1.1) < 1e-12,
           "unknown times do not count");
    tap_ok(chooser_pick(samples, 1, &gain) == CHOOSER_BUILT_IN && gain == 1, "one size is not enough");
    const struct chooser_sample better[] = {
        {{1, 0.5, 1.1}}, {{1, 0.5, 1.1}}, {{1, 0.5, 1.1}}, {{1, 0.5, 1.1}}};
    tap_ok(chooser_pick(better, 4, &gain) == CHOOSER_OCCUPANCY && fabs(gain - 2.2) < 1e-12,
           "an occupancy recipe chooses that is the best at four sizes");
    tap_ok(chooser_pick(better, 3, &gain) == CHOOSER_RULES, "none that was timed at three");
    struct chooser_sample partly[12];
    for (int i = 0; i < 12; i++)
        partly[i] = i < 4 ? (struct chooser_sample){{1, 0.98, 0.98}} : (struct chooser_sample){{1, 0, 1.2}};
    tap_ok(chooser_pick(partly, 12, &gain) == CHOOSER_RULES,
           "nor one that beats the rules at a few sizes where what is built in does, too: rules do");
    const struct chooser_sample foretold_nowhere[] = {{{0, 0, 2}}, {{0, 0, 2}}, {{0, 0, 2}}};
    tap_ok(chooser_pick(foretold_nowhere, 3, &gain) == CHOOSER_BUILT_IN,
           "rules that were timed nowhere do not choose, however slow what is built in is");
}

UNIT_TEST(test_chooser)
{
    test_pick();
    test_unknown();
    return tap_done();
}
