/* What the times of a sample at several moments come to. */
#include "tap.h"
#include "tuner/sample_moments.h"

#include <math.h>
#include <stdlib.h>

static struct sample_moments timed(const double *us, int count)
{
    struct sample_moments moments = {.amount = 1};
    for (int i = 0; i < count; i++)
        sample_moments_add(&moments, us[i], i % 2, i);
    return moments;
}

static void test_times(void)
{
    const double us[] = {14, 12, 90, 10, 16, 12, 20};
    struct sample_moments one = timed(us, 1), two = timed(us, 2), all = timed(us, 7);
    tap_ok(sample_moments_time(&one, NULL, 0) == 14 && sample_moments_time(&two, NULL, 0) == 13,
           "the only one; the mean of two");
    tap_ok(sample_moments_time(&all, NULL, 0) == 14, "and of six of seven, without a stall");
    tap_ok(sample_moments_time(&all, NULL, 0) == 14 && all.us[0] == 14 && all.us[2] == 90,
           "asking changes nothing");
    tap_ok(sample_moments_time(&two, (const double[]){2, 1}, 0) == 9.5,
           "of average flags: a set that takes twice as long counts half");
    tap_ok(fabs(sample_moments_time(&two, NULL, 0.2) - 12) < 1e-6 &&
               fabs(sample_moments_time(&two, (const double[]){4, 1}, 3) - 3.25) < 1e-6,
           "without narrow shares: each column adds a part; both together");
    for (int i = 0; i < SAMPLE_MOMENTS; i++)
        sample_moments_add(&all, 40, 0, 0);
    tap_ok(sample_moments_time(&all, NULL, 0) == 40, "only the last %d count", SAMPLE_MOMENTS);
}

static void test_table(struct moments_table *table)
{
    struct sample_moments *host = sample_moments_at(table, 3, 0, 100),
                          *device = sample_moments_at(table, 3, 1, 100);
    sample_moments_add(host, 5, 0, 0);
    tap_ok(host != device && device->count == 0 && sample_moments_at(table, 4, 0, 100)->count == 0,
           "sides and classes have their own");
    tap_ok(sample_moments_at(table, 3, 0, 100) == host && sample_moments_at(table, 3, 0, 101) != host,
           "a sample is found again by its amount");
    int given = 2;
    while (given < 1000 && sample_moments_at(table, 3, 0, 1000 + given))
        given++;
    tap_ok(given == TIME_CURVE_SAMPLES && sample_moments_at(table, 3, 0, 100) == host,
           "as many as a curve has samples, and no more");
}

int main(void)
{
    struct moments_table *table = calloc(1, sizeof *table);
    test_times();
    test_table(table);
    free(table);
    return tap_done();
}
