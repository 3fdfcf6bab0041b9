/* result_times.h - what it takes to bring a result of level 3 home from the device.
 *
 * A result of PIN_BYTES_MIN or more is pinned where its memory can be tracked, and goes by DMA: a time that
 * falls to a tenth from one size to the next, which is why it has curves of its own and is no part of those
 * over the amount of work. Triangles go in pieces. Pure functions. */
#ifndef MUBLAS_RESULT_TIMES_H
#define MUBLAS_RESULT_TIMES_H

#include "common/blas_call.h"
#include "tuner/online/time_curve.h"

enum result_way { RESULT_STAGED, RESULT_STAGED_TRIANGLE, RESULT_PINNED, RESULT_PINNED_TRIANGLE, RESULT_WAYS };

/* Microseconds, over bytes that are written, beyond those of a result of a few bytes. */
struct result_times {
    struct time_curve ways[RESULT_WAYS];
};

/* The way of the call's result, and its bytes; without shapes (timed_class_call) as if without gaps.
 * False: it is not of level 3, or has none. */
bool result_way_of(const struct blas_call *call, bool trackable, enum result_way *way, double *bytes);

/* False: not learned, or no such result; *us is 0 then. */
bool result_times_at(const struct result_times *times, const struct blas_call *call, bool trackable,
                     double *us);

#endif
