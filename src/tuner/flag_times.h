/* flag_times.h - how much longer or shorter than their class's average calls with certain flags take.
 *
 * Each sample of a class is timed at several moments, with other flags and, every other time, odd leading
 * dimensions. What such a set takes is the median of its times beside the curve that neighbours make of all
 * (curve_smoothing.h), so that samples which were timed only once or twice say something as well; drawn
 * towards nothing as their number and noise say, the more so the less it is; a few times, which may be
 * those of disturbed calls, never make much. On the host, which scatters more, odd and even leading
 * dimensions are one. */
#ifndef MUBLAS_FLAG_TIMES_H
#define MUBLAS_FLAG_TIMES_H

#include "tuner/sample_moments.h"

/* factors[set], by the device's sets (device_sets.h): times of such calls, over their geometric mean, but
 * none beyond FLAG_FACTOR_MOST or below its reciprocal; all 1 where nothing is known or memory is wanting. */
void flag_times_fit(const struct moments_table *table, int class, enum call_side side,
                    double factors[DEVICE_SETS_MOST]);

#endif
