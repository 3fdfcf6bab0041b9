#include "tuner/sampled_rules.h"

#include "tuner/interval_rules.h"
#include "tuner/spline.h"

#include <math.h>
#include <stdlib.h>

/* At a size that was sampled the time is known but for its noise, which is less than what models and splines
 * are off by: so much counts of what they are. */
static const double TRUST = 0.95;

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

static size_t samples_of(const struct sampled_times *times, size_t shape, const double *base,
                         struct spline_sample *samples)
{
    size_t count = 0;
    for (size_t i = 0; i < times->sizes_count; i++)
        if (is_sampled(times, shape, i))
            samples[count++] = (struct spline_sample){i, log(sampled(times, shape, i) / base[i]), 1};
    return count;
}

/* What the fit is relative to: the shape's model, or the floor. */
static void base_of(const struct sampled_times *times, size_t shape, double *base)
{
    struct shape_terms terms[SIZE_GRID_MAX];
    double seconds[SIZE_GRID_MAX];
    size_t count = 0;
    for (size_t i = 0; i < times->sizes_count; i++) {
        base[i] = times->floor[i];
        if (times->terms && is_sampled(times, shape, i)) {
            terms[count] = times->terms[shape * SIZE_GRID_MAX + i];
            seconds[count++] = sampled(times, shape, i);
        }
    }
    if (count < SHAPE_TERMS)
        return;
    const struct shape_model model = shape_model_fit(terms, seconds, count);
    for (size_t i = 0; i < times->sizes_count; i++)
        if (times->terms[shape * SIZE_GRID_MAX + i].of[0] > 0)
            base[i] = shape_model_at(&model, &times->terms[shape * SIZE_GRID_MAX + i]);
}

/* The terms tell; without them: between here and the next sampled size, downwards or upwards, could the
 * shape do that one? */
static bool can(const struct sampled_times *times, size_t shape, size_t size)
{
    size_t below = size, above = size;
    if (times->terms)
        return times->terms[shape * SIZE_GRID_MAX + size].of[0] > 0;
    while (below > 0 && sampled(times, shape, below) == 0)
        below--;
    while (above + 1 < times->sizes_count && sampled(times, shape, above) == 0)
        above++;
    return isfinite(sampled(times, shape, below)) && isfinite(sampled(times, shape, above));
}

static double alpha_of(const struct sampled_times *times, size_t shape, const struct spline_sample *samples,
                       size_t count)
{
    if (times->alphas && times->alphas[shape] > 0)
        return times->alphas[shape];
    const double alpha = spline_choose_alpha(samples, count, times->sizes_count);
    if (times->alphas)
        times->alphas[shape] = alpha;
    return alpha;
}

/* The curve of a shape where it can do the sizes around. */
static void fit(const struct sampled_times *times, size_t shape, double *curve)
{
    struct spline_sample samples[SIZE_GRID_MAX] = {{0, 0, 1}};
    double base[SIZE_GRID_MAX];
    base_of(times, shape, base);
    const size_t count = samples_of(times, shape, base, samples);
    const bool good = spline_fit(samples, count, times->sizes_count, alpha_of(times, shape, samples, count),
                                 curve, NULL);
    for (size_t i = 0; i < times->sizes_count; i++)
        curve[i] = good && can(times, shape, i) ? base[i] * exp(curve[i]) : HUGE_VAL;
    for (size_t i = 0; i < times->sizes_count && times->terms; i++)
        if (isfinite(curve[i]) && is_sampled(times, shape, i))
            curve[i] *= pow(sampled(times, shape, i) / curve[i], TRUST);
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

void sampled_rules_curves(const struct sampled_times *times, double *curves)
{
    for (size_t shape = 0; shape <= times->shape_count; shape++)
        fit(times, shape, curves + shape * times->sizes_count);
}

static bool is_known(const struct sampled_times *times, size_t shape, size_t size)
{
    return sampled(times, shape, size) != 0; /* or it cannot */
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
            if ((below[i] < length && !is_known(times, shape, below[i])) ||
                (above[i] < length && !is_known(times, shape, above[i])))
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
    const size_t length = times->sizes_count;
    struct interval_rule found[RECIPE_INTERVALS_MAX];
    const size_t candidates = times->shape_count + 1;
    static const struct launch_shape built_in = {.edge = 0};
    double *curves = calloc(candidates * length, sizeof *curves);
    if (!curves)
        return false;
    sampled_rules_curves(times, curves);
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

/* The fastest at every sampled size. */
static size_t envelope(const struct sampled_times *times, struct spline_sample *samples)
{
    size_t count = 0;
    for (size_t i = 0; i < times->sizes_count; i++) {
        double best = HUGE_VAL;
        for (size_t shape = 0; shape < times->shape_count; shape++)
            if (sampled(times, shape, i) > 0)
                best = fmin(best, sampled(times, shape, i));
        if (isfinite(best))
            samples[count++] = (struct spline_sample){i, log(best / times->floor[i]), 1};
    }
    return count;
}

size_t sampled_rules_next(const struct sampled_times *times)
{
    struct spline_sample samples[SIZE_GRID_MAX] = {{0, 0, 1}};
    double curve[SIZE_GRID_MAX], errors[SIZE_GRID_MAX];
    const size_t length = times->sizes_count, count = envelope(times, samples);
    if (!spline_fit(samples, count, length, spline_choose_alpha(samples, count, length), curve, errors))
        for (size_t i = 0; i < length; i++)
            errors[i] = 1;
    return spline_next(samples, count, length, errors);
}

size_t sampled_rules_boundary(const struct sampled_times *times, const struct class_recipe *rules)
{
    size_t widest = 1, middle = times->sizes_count;
    for (int i = 0; i + 1 < rules->interval_count; i++) {
        size_t above = 0;
        while (above + 1 < times->sizes_count && times->sizes[above] <= rules->intervals[i].upto)
            above++;
        size_t below = above > 0 ? above - 1 : 0;
        while (below > 0 && !was_sampled(times, below))
            below--;
        while (above + 1 < times->sizes_count && !was_sampled(times, above))
            above++;
        if (above - below > widest) {
            widest = above - below;
            middle = (below + above) / 2;
        }
    }
    return middle;
}
