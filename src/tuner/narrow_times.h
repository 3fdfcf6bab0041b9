/* narrow_times.h - what a column of a narrow share (narrow_shares.h) adds to a host's time.
 *
 * Between orders next to each other nothing else changes, so it is the part of the time with which the times
 * of a class's samples, each divided by what its columns make of it, are the smoothest curve. */
#ifndef MUBLAS_NARROW_TIMES_H
#define MUBLAS_NARROW_TIMES_H

#include "tuner/sample_moments.h"

/* Part of the time a column, at most NARROW_PART_MOST (learned_times.h); 0: none, or there are too few
 * samples close to each other, or they do not show it. `factors` as in sample_moments_time. */
double narrow_times_fit(const struct moments_table *table, int class, const struct time_curve *host,
                        const double *factors);

#endif
