/* call_sampler.h - which calls to time, on host and device, to learn where one overtakes the other.
 *
 * Each class first at sizes a factor of 4 in bytes apart. Then, in rounds: more sizes, evenly by ratio,
 * where neither side is far ahead, closer to each other where they are about as fast; and those sizes again
 * that are near there. A class in which one side is far ahead everywhere has no more. Each time a sample has
 * other flags, and odd or even sizes (sample_table.h). Calls of one routine follow each other, as in a
 * program, many on one side before it is the other's turn. Whoever times is given, so that a test can be
 * it. */
#ifndef MUBLAS_CALL_SAMPLER_H
#define MUBLAS_CALL_SAMPLER_H

#include "tuner/online/learned_times.h"
#include "tuner/online/timed_class.h"

struct call_sampler {
    /* Microseconds of calls (with flags, but without shapes and pointers), at most SAMPLER_CALLS one after
     * the other; on the device with every matrix resident. Not positive: it cannot be timed, and is left
     * out. */
    void (*time)(void *argument, enum call_side side, const struct blas_call *calls, int count, double *us);
    /* Stop? Asked before each such turn, with the part of the work done, 0 to 1. */
    bool (*stop)(void *argument, double done);
    void *argument;
    bool (*wanted)(void *argument, enum blas_family family, enum blas_type type); /* NULL: all */
    double least_bytes, most_bytes; /* of the largest operand */
    double most_us;                 /* no call that is expected to take longer on a side */
};

enum { SAMPLER_CALLS = 40, SAMPLER_ROUNDS = 16 };

/* Add samples to the curves of `times`, and factors of flags. False: stopped before each class was timed
 * once at all sizes. */
bool call_sampler_run(const struct call_sampler *sampler, struct learned_times *times);

#endif
