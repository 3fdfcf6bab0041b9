/* call_sampler.h - chooses calls to time, on host and device, to learn where one overtakes the other, and
 * draws curves and factors from their times. Not thread-safe. */
#ifndef MUBLAS_CALL_SAMPLER_H
#define MUBLAS_CALL_SAMPLER_H

#include "common/blas_call.h"
#include "tuner/online/learned_times.h"
#include "tuner/online/tuning_class.h"

/* A host, and a device's driver, are disturbed most of the time, for some milliseconds or tens of them. A
 * program pays the mean, so that counts of the times of one call at moments far apart; but those beyond
 * twice the least, of calls that had to wait for a processor, do not. Each time a call has other flags, and
 * odd or even sizes: their effect on times is a factor for each set (tuning_class.h). */
enum { SAMPLE_TIMES = 32 /* more do not count */ };

struct sample {
    double amount, asked; /* whose sizes were rounded to that */
    int count;            /* of times so far */
    float us[CALL_SIDES][SAMPLE_TIMES];
    unsigned char sets[SAMPLE_TIMES]; /* tuning_class.h */
};

/* All zero: nothing timed. */
struct sample_table {
    struct class_samples {
        int count;
        struct sample samples[TIME_CURVE_SAMPLES];
    } classes[TIMED_CLASSES];
};

/* With which flags, and with even or odd sizes, a sample's call is timed each time.
 *
 * A device's time depends on both at once: dgemm with A transposed takes 1.7 times as long on an H100 when
 * its leading dimensions are odd (tuning_class.h). So over the samples of a class every set of flags has to
 * come with either as often, already among the first few times of each. Pure. */
enum { SAMPLE_BLOCK = 32 /* sizes up to it stay as they are: the small ones of panels */ };

/* Give the class's call, which was timed so many times before, its next flags and sizes: each set of flags
 * in turn, from one on that its sizes say without a pattern, and every other time sizes that are odd, in the
 * end with each set; but not at first: a device that takes three times as long for these is no measure of
 * what larger sizes take. Sizes change by one, unless that would make the call another class's. A block
 * stays one, so that where all leading dimensions are blocks (symm, trmm and trsm of 32 rows from the left,
 * rank updates of order 32 that are not transposed) none is odd. */
void sample_variant_apply(int class, unsigned timed, struct blas_call *call);

/* Each class is timed first at sizes a factor of 4 in bytes apart. Then, in rounds: more sizes, evenly by
 * ratio, where neither side is far ahead, closer to each other where they are about as fast; and those
 * sizes again that are near there. A class in which one side is far ahead everywhere has no more. Calls of
 * one routine follow each other, as in a program, many on one side before it is the other's turn. The
 * caller gives the function that times, so that a test can be it. */
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
