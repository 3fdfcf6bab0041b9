#include "tuner/learn/sampled_rules.h"

#include "tuner/learn/interval_rules.h"
#include "tuner/learn/spline.h"

#include <math.h>
#include <stdlib.h>

/* At a size that was sampled the time is known but for its noise, which is less than what splines are off by:
 * so much counts of what it is. And how smooth splines are. */
static const double TRUST = 0.95, ALPHA = 1;

/* Behind the shapes what is built in counts as one more. */
static double sampled(const struct sampled_times *times, size_t shape, size_t size)
{
    if (shape == times->shape_count)
        return times->built_in[size];
    return times->seconds[shape * SIZE_GRID_MAX + size];
}

static bool is_sampled(const struct sampled_times *times, size_t shape, size_t size)
{
    const double seconds = sampled(times, shape, size);
    return seconds > 0 && isfinite(seconds);
}

/* Between here and the next sampled size, downwards or upwards, could the shape do that one? */
static bool can(const struct sampled_times *times, size_t shape, size_t size)
{
    size_t below = size, above = size;
    while (below > 0 && sampled(times, shape, below) == 0)
        below--;
    while (above + 1 < times->sizes_count && sampled(times, shape, above) == 0)
        above++;
    return isfinite(sampled(times, shape, below)) && isfinite(sampled(times, shape, above));
}

/* The curve of a shape where it can do the sizes around. */
static void fit(const struct sampled_times *times, size_t shape, double *curve)
{
    struct spline_sample samples[SIZE_GRID_MAX] = {{0, 0}};
    size_t count = 0;
    for (size_t i = 0; i < times->sizes_count; i++)
        if (is_sampled(times, shape, i))
            samples[count++] = (struct spline_sample){i, log(sampled(times, shape, i) / times->floor[i])};
    const bool good = spline_fit(samples, count, times->sizes_count, ALPHA, curve);
    for (size_t i = 0; i < times->sizes_count; i++) {
        curve[i] = good && can(times, shape, i) ? times->floor[i] * exp(curve[i]) : HUGE_VAL;
        if (isfinite(curve[i]) && is_sampled(times, shape, i))
            curve[i] *= pow(sampled(times, shape, i) / curve[i], TRUST);
    }
}

/* A rule ends half way, by ratio, to the size that the next one begins at; one whose shape
 * cannot do that size may not be able to do what lies between, either. */
static int64_t end_before(const struct sampled_times *times, size_t shape, int64_t first)
{
    size_t i = times->sizes_count - 1;
    while (i > 0 && times->sizes[i] >= first)
        i--;
    if (!can(times, shape, i + 1))
        return times->sizes[i];
    return (int64_t)sqrt((double)times->sizes[i] * (double)first);
}

/* Was any shape timed there? */
static bool was_sampled(const struct sampled_times *times, size_t size)
{
    for (size_t shape = 0; shape <= times->shape_count; shape++)
        if (is_sampled(times, shape, size))
            return true;
    return false;
}

/* Shapes that were not timed at the sampled sizes around are far behind. */
static void put_back_unknown(const struct sampled_times *times, double *curves)
{
    static const double FAR = 4;
    const size_t length = times->sizes_count;
    size_t below[SIZE_GRID_MAX], above[SIZE_GRID_MAX];
    for (size_t i = 0; i < length; i++)
        below[i] = was_sampled(times, i) ? i : i > 0 ? below[i - 1] : length;
    for (size_t i = length; i-- > 0;)
        above[i] = was_sampled(times, i) ? i : i + 1 < length ? above[i + 1] : length;
    for (size_t shape = 0; shape <= times->shape_count; shape++)
        for (size_t i = 0; i < length; i++)
            if ((below[i] < length && sampled(times, shape, below[i]) == 0) ||
                (above[i] < length && sampled(times, shape, above[i]) == 0))
                curves[shape * length + i] *= FAR;
}

/* What a shape loses at a sampled size is known and not foretold: what goes beyond KNOWN counts several
 * times, so that a rule is worth its price for a single size where tiles end badly for its neighbours'
 * shape. Not where the grid has no neighbours side by side (axpy): there it would be noise. */
static void stress_known(const struct sampled_times *times, double *curves)
{
    static const double KNOWN = 1.03, TIMES = 8;
    const size_t length = times->sizes_count;
    for (size_t i = 0; i < length && times->sizes[0] <= SIZE_GRID_ALL; i++) {
        double least = HUGE_VAL;
        for (size_t shape = 0; shape <= times->shape_count; shape++)
            least = fmin(least, curves[shape * length + i]);
        for (size_t shape = 0; shape <= times->shape_count && was_sampled(times, i); shape++) {
            double *seconds = &curves[shape * length + i];
            if (isfinite(*seconds) && *seconds > KNOWN * least)
                *seconds *= pow(*seconds / (KNOWN * least), TIMES);
        }
    }
}

bool sampled_rules_make(const struct sampled_times *times, size_t most, struct class_recipe *rules)
{
    const size_t length = times->sizes_count, candidates = times->shape_count + 1;
    static const struct launch_shape built_in = {.edge = 0};
    struct interval_rule found[RECIPE_INTERVALS_MAX];
    double *curves = calloc(candidates * length, sizeof *curves);
    if (!curves)
        return false;
    for (size_t shape = 0; shape < candidates; shape++)
        fit(times, shape, curves + shape * length);
    put_back_unknown(times, curves);
    stress_known(times, curves);
    const size_t count =
        interval_rules(times->sizes, length, curves, candidates, INTERVAL_SWITCH_COST, found,
                       most < RECIPE_INTERVALS_MAX ? most : RECIPE_INTERVALS_MAX);
    free(curves);
    for (size_t i = 0; i < count; i++) {
        rules->intervals[i].upto =
            i + 1 < count ? end_before(times, found[i].candidate, found[i + 1].first) : INT64_MAX;
        rules->intervals[i].shape =
            found[i].candidate < times->shape_count ? times->shapes[found[i].candidate] : built_in;
    }
    rules->interval_count = (int)count;
    return count > 0;
}
