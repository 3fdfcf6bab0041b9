/* call_sampler.h - which calls to time, on host and device, to learn where one overtakes the other.
 *
 * Each class first at sizes a factor of 16 in bytes apart; all else is only where neither side is far ahead:
 * sizes a factor of 4 apart, then between the two where the faster side changes, until these are close,
 * then of 2. A class in which one side is far ahead everywhere is left after the first pass. A host is
 * disturbed for tens of milliseconds on end, so every sample is timed again one and two passes later, when
 * those are over, and the least time counts; so it does of what sticks out. Whoever times is given, so that
 * a test can be it. */
#ifndef MUBLAS_CALL_SAMPLER_H
#define MUBLAS_CALL_SAMPLER_H

#include "tuner/learned_times.h"

enum call_side { SIDE_HOST, SIDE_DEVICE };

struct call_sampler {
    /* Microseconds of a call (shapes and pointers not filled in); on the device with
     * every matrix resident. False: it cannot be timed, and is left out. */
    bool (*time)(void *argument, enum call_side side, const struct blas_call *call, double *us);
    /* Stop? Asked before each call, with the part of the work done, 0 to 1. */
    bool (*stop)(void *argument, double done);
    void *argument;
    bool (*wanted)(void *argument, enum blas_family family, enum blas_type type); /* NULL: all */
    double least_bytes, most_bytes; /* of the largest operand */
    double most_us;                 /* no call that is expected to take longer on a side */
};

/* Add samples to the curves of `times`. False: stopped before the first pass was done. */
bool call_sampler_run(const struct call_sampler *sampler, struct learned_times *times);

#endif
