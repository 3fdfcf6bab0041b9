/* flag_times.h - how much longer or shorter than their class's average calls with certain flags take.
 *
 * Each sample of a class is timed at several moments, with other flags and, every other time, odd leading
 * dimensions; what such a set takes beside its samples' medians is the median over all moments, drawn towards
 * nothing where there are few. On the host, which scatters more, odd and even ones are one. */
#ifndef MUBLAS_FLAG_TIMES_H
#define MUBLAS_FLAG_TIMES_H

#include "tuner/sample_moments.h"

/* factors[set], by the device's sets (device_sets.h): times of such calls, over their geometric mean, but
 * none beyond FLAG_FACTOR_MOST or below its reciprocal; all 1 where nothing is known, or memory is wanting. */
void flag_times_fit(const struct moments_table *table, int class, enum call_side side,
                    double factors[DEVICE_SETS_MOST]);

#endif
