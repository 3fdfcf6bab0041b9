/* tune_results.h - what it takes to bring results of level 3 home, by their bytes, as calls show it.
 *
 * Products of so few terms that they are nothing beside their result are timed in rounds, in each of which
 * all sizes follow each other: what disturbs calls for longer than a round does not count in differences
 * within it, of which the median is taken. The least result of a few hundred bytes and those on both sides
 * of a change of way (staged_results.h, pins.h) are among them. Whoever times is given, so that a test can be
 * it. */
#ifndef MUBLAS_TUNE_RESULTS_H
#define MUBLAS_TUNE_RESULTS_H

#include "tuner/online/learned_times.h"

/* Microseconds of calls one after the other, as in call_sampler.h; not positive: it cannot be timed. */
typedef void results_timer(void *argument, enum call_side side, const struct blas_call *calls, int count,
                           double *us);

/* All ways of results of at most so many bytes: microseconds beyond that one which comes home fastest. A
 * round in which one result cannot be timed does not count; of full results, or of triangles, without any
 * nothing is known. */
void tune_results(results_timer *time, void *argument, double most_bytes, struct result_times *times);

#endif
