#include "tuner/curve_smoothing.h"

#include "tuner/statistics.h"

#include <math.h>

/* In natural logarithms: of amounts, how far neighbours count; of times, how far from what they say. */
static const double reach = 0.4, tolerance = 0.15, steepest = 1.5;

struct logarithms {
    int count;
    double amounts[TIME_CURVE_SAMPLES], times[TIME_CURVE_SAMPLES];
};

static double closeness(double distance)
{
    return exp(-distance * distance / (2 * reach * reach));
}

/* The curve's slope about sample i: the median from neighbour to neighbour, which knows nothing of a step. */
static double slope_at(const struct logarithms *curve, int i)
{
    double slopes[TIME_CURVE_SAMPLES];
    size_t count = 0;
    for (int j = 0; j + 1 < curve->count; j++) {
        const double from = curve->amounts[j], to = curve->amounts[j + 1];
        if (fabs((from + to) / 2 - curve->amounts[i]) < 2 * reach)
            slopes[count++] = (curve->times[j + 1] - curve->times[j]) / (to - from);
    }
    return count > 2 ? fmin(fmax(statistics_median(slopes, count), 0), steepest) : 0;
}

static double smoothed(const struct logarithms *curve, int i)
{
    const double slope = slope_at(curve, i);
    double weights = 0, moves = 0;
    for (int j = 0; j < curve->count; j++) {
        const double dx = curve->amounts[j] - curve->amounts[i];
        const double move = curve->times[j] - curve->times[i] - slope * dx, part = move / tolerance;
        const double weight = closeness(dx) / (1 + part * part);
        weights += weight;
        moves += weight * move;
    }
    return curve->times[i] + moves / weights;
}

void curve_smoothing_apply(struct time_curve *curve)
{
    struct logarithms before = {.count = curve->count};
    for (int i = 0; i < curve->count; i++)
        before.amounts[i] = log(curve->samples[i].amount), before.times[i] = log(curve->samples[i].us);
    for (int i = 0; i < curve->count; i++)
        curve->samples[i].us = exp(smoothed(&before, i));
}

static void smooth_class(struct learned_times *times, int class)
{
    struct time_curve *measured = &times->resident[class], rest = times->rest[class];
    curve_smoothing_apply(&times->host[class]);
    curve_smoothing_apply(&rest);
    for (int i = 0; i < measured->count; i++)
        measured->samples[i].us += rest.samples[i].us - times->rest[class].samples[i].us;
    learned_times_separate(times, class);
}

void curve_smoothing_all(struct learned_times *times)
{
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class))
            smooth_class(times, class);
}
