/* sampled_sets.h - what a class's times come to once all samples are there: what its sets of flags and odd
 * leading dimensions make of them (flag_times.h) and narrow shares of the host's (narrow_times.h), and its
 * curves, of calls of average sets without such shares. */
#ifndef MUBLAS_SAMPLED_SETS_H
#define MUBLAS_SAMPLED_SETS_H

#include "tuner/learned_times.h"
#include "tuner/sample_moments.h"

/* The class's factors, part and samples of `times`, whose curves have a sample for each that was timed. */
void sampled_sets_learn(const struct moments_table *table, int class, struct learned_times *times);

#endif
