#include "tuner/sampled_sets.h"
#include "tuner/flag_times.h"
#include "tuner/narrow_times.h"

static void learn_side(const struct moments_table *table, int class, enum call_side side,
                       struct learned_times *times, double factors[DEVICE_SETS_MOST])
{
    struct time_curve *curve = &(side == SIDE_HOST ? times->host : times->resident)[class];
    const struct blas_call call = timed_class_call(class, 1e6);
    double narrow = 0;
    flag_times_fit(table, class, side, factors);
    if (side == SIDE_HOST && narrow_shares_exist(&call))
        narrow = times->narrow[class] = narrow_times_fit(table, class, curve, factors);
    for (int i = 0; i < curve->count; i++) {
        const struct sample_moments *moments =
            sample_moments_find(table, class, (int)side, curve->samples[i].amount);
        if (moments)
            curve->samples[i].us = sample_moments_time(moments, factors, narrow);
    }
}

void sampled_sets_learn(const struct moments_table *table, int class, struct learned_times *times)
{
    double by_flags[DEVICE_SETS_MOST];
    if (times->host[class].count) {
        learn_side(table, class, SIDE_HOST, times, by_flags);
        for (int set = 0; set < FLAG_SETS_MOST; set++)
            times->flags[class][set] = by_flags[2 * set];
    }
    if (times->resident[class].count)
        learn_side(table, class, SIDE_DEVICE, times, times->device_sets[class]);
    learned_times_separate(times, class);
}
