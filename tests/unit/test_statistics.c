/* Medians, quantiles and the median's confidence interval. */
#include "tuner/learn/statistics.h"
#include "tap.h"
#include "unit_test.h"

#include <stdint.h>

static double random_part(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* The ranks are those of tables of the sign test: 1 of 6, 2 of 9, 3 of 12, 6 of 20, 18 of 50. */
static void test_ranks(size_t count, size_t rank)
{
    double samples[64];
    for (size_t i = 0; i < count; i++)
        samples[i] = (double)i + 1;
    const struct interval interval = statistics_median_interval(samples, count);
    tap_ok(interval.low == (double)rank && interval.high == (double)(count + 1 - rank),
           "the median of %zu lies between sample %g and %g", count, interval.low, interval.high);
}

static void test_coverage(uint64_t state)
{
    int inside = 0;
    for (int round = 0; round < 2000; round++) {
        double samples[15];
        for (int i = 0; i < 15; i++)
            samples[i] = 1 / (random_part(&state) + 1e-3); /* a long tail; the median is 1 / 0.501 */
        statistics_median(samples, 15);
        const struct interval interval = statistics_median_interval(samples, 15);
        inside += interval.low <= 1 / 0.501 && 1 / 0.501 <= interval.high;
    }
    tap_ok(inside >= 1880 && inside < 2000, "%d of 2000 intervals hold the median", inside);
}

UNIT_TEST(test_statistics)
{
    double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
    const uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 0) : 5;
    printf("# seed %llu\n", (unsigned long long)seed);
    tap_ok(statistics_median(odd, 3) == 3 && statistics_median(even, 4) == 2.5 &&
               statistics_median(one, 1) == 7,
           "medians of three, four and one");
    double three[] = {15, 11, 13}, stalled[] = {12, 2000, 10, 3000, 11, 15, 1000, 20.01};
    tap_ok(statistics_usual_mean(three, 3) == 13 && statistics_usual_mean(one, 1) == 7,
           "the mean of three and one");
    tap_ok(statistics_usual_mean(stalled, 8) == 12,
           "what takes more than twice as long as the fastest does not count");
    double alone[] = {9, 1, 30}, twice[] = {20, 10, 20, 20};
    tap_ok(statistics_usual_mean(alone, 3) == 1 && statistics_usual_mean(twice, 4) == 17.5,
           "the fastest may be the only one; twice as long counts");
    tap_ok(statistics_quantile(even, 4, 0) == 1 && statistics_quantile(even, 4, 1) == 4 &&
               statistics_quantile(even, 4, 0.5) == 2.5 && statistics_quantile(one, 1, 0.3) == 7,
           "quantiles");
    test_ranks(1, 1);
    test_ranks(5, 1);
    test_ranks(6, 1);
    test_ranks(9, 2);
    test_ranks(12, 3);
    test_ranks(20, 6);
    test_ranks(50, 18);
    test_coverage(seed);
    return tap_done();
}
