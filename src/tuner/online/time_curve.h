/* time_curve.h - a time over the amount of work, from a few samples.
 *
 * Between samples the curve is a straight line in logarithms of both. Above the last it
 * goes on at the rate between the last and one of a third of it or less. Pure functions; no allocation. */
#ifndef MUBLAS_TIME_CURVE_H
#define MUBLAS_TIME_CURVE_H

#include <stdbool.h>

enum { TIME_CURVE_SAMPLES = 48 };

struct time_sample {
    double amount; /* any unit that grows with the work, > 0 */
    double us;     /* microseconds, > 0 */
};

/* Samples ascend strictly in amount. All zero: nothing learned. */
struct time_curve {
    int count;
    struct time_sample samples[TIME_CURVE_SAMPLES];
};

/* What a curve is below its first sample: a host's time shrinks with the amount, a
 * device's time stays, since there it is all latency. */
enum time_curve_start { TIME_SHRINKS, TIME_STAYS };

/* Insert a sample, or replace the one at the same amount. False: no room, or not two
 * positive finite numbers; the curve is as before. */
bool time_curve_add(struct time_curve *curve, double amount, double us);

/* The time at `amount` >= 0. The curve has at least one sample. */
double time_curve_at(const struct time_curve *curve, enum time_curve_start start, double amount);

/* The least amount from which on, for a while at least, `device` (which stays) is below
 * `host` (which shrinks): 0 < result, HUGE_VAL: never. Both have samples. Within 2%,
 * and never above the true one. */
double time_curve_first_gain(const struct time_curve *host, const struct time_curve *device);

#endif
