/* call_sampler.h - which calls to time, on host and device, to learn where one overtakes the other.
 *
 * Each class first at sizes a factor of 16 in bytes apart; all else is only where neither side is far
 * ahead: sizes a factor of 4 apart, and the largest that may be timed (sample_reach.h); within a factor of
 * 5 of where the faster side changes (gain_border.h) amounts at most 1.6 times apart, or 1.2 where neither
 * gains much, with smaller steps where it does, and closer where a side's time jumps, at most twice beyond
 * (sample_gaps.h); then the closest of these again and again while there is time. A class in which one side
 * is far ahead everywhere is left after the first pass. A host is disturbed for tens of milliseconds on
 * end, so a sample's times lie whole passes apart, each in another order (sample_moments.h), though calls
 * of one routine follow each other as in a program. It has other flags each time, and what these make of
 * the host's times is learned from them all (flag_times.h). In the end neighbours have a say
 * (curve_smoothing.h). Many calls are timed on one side before it is the other's turn. Whoever times is
 * given, so that a test can be it. */
#ifndef MUBLAS_CALL_SAMPLER_H
#define MUBLAS_CALL_SAMPLER_H

#include "tuner/call_side.h"
#include "tuner/learned_times.h"
#include "tuner/sample_moments.h"

struct call_sampler {
    /* Microseconds of calls (with flags, but without shapes and pointers), at most SAMPLE_BATCH
     * (sample_batch.h) one after the other; on the device with every matrix resident. Not positive: it cannot
     * be timed, and is left out. */
    void (*time)(void *argument, enum call_side side, const struct blas_call *calls, int count, double *us);
    /* Stop? Asked before each call, with the part of the work done, 0 to 1. */
    bool (*stop)(void *argument, double done);
    void *argument;
    bool (*wanted)(void *argument, enum blas_family family, enum blas_type type); /* NULL: all */
    void (*before_visit)(void *argument); /* of all samples beside the border; NULL: nothing */
    int visits;                     /* at most; SAMPLE_MOMENTS of them count (sample_moments.h) */
    double least_bytes, most_bytes; /* of the largest operand */
    double most_us;                 /* no call that is expected to take longer on a side, or three times as
                                     * long where the sides are alike */
};

/* Add samples to the curves of `times`, flags' factors and what narrow shares cost by its host_threads, which
 * is known beforehand (0: nothing is learned of these). False: stopped before the first pass was done. */
bool call_sampler_run(const struct call_sampler *sampler, struct learned_times *times);

#endif
