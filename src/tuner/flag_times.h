/* flag_times.h - how much longer or shorter than their class's average calls with certain flags take.
 *
 * Each sample of a class is timed at several moments, with other flags each time; what a set of flags takes
 * beside its samples' medians is the median over all moments, drawn towards nothing where there are few. */
#ifndef MUBLAS_FLAG_TIMES_H
#define MUBLAS_FLAG_TIMES_H

#include "tuner/flag_sets.h"
#include "tuner/sample_moments.h"

/* factors[set]: times of calls with these flags, over their geometric mean, but none beyond FLAG_FACTOR_MOST
 * or below its reciprocal; all 1 where nothing is known. */
void flag_times_fit(const struct moments_table *table, int class, enum call_side side,
                    double factors[FLAG_SETS_MOST]);

#endif
