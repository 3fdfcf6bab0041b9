/* shape_race.h - the fastest of very many launch shapes of one call, without timing all of them well.
 *
 * A scout of one short round tells the hopeless; those that are left are timed in rounds that more and more
 * of them leave. What comes out is an order to be timed afresh: the first is there partly by luck. */
#ifndef MUBLAS_SHAPE_RACE_H
#define MUBLAS_SHAPE_RACE_H

#include "tuner/learn/timing/shape_timer.h"

/* The order of `shapes` (count >= 1) changes: the fastest come first, as far as they were timed to the end
 * and give the built-in shape's bits. `times` in the same order. `finished`: how many of them did; behind
 * them times are a scout's, if any, or TUNING_WRONG. `partial`: as in timing_plan. */
enum status shape_race_run(struct shape_timer *timer, const struct blas_call *call,
                           struct launch_shape *shapes, size_t count, struct tuning_time *times,
                           size_t *finished, bool partial);

#endif
