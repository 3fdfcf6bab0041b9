/* sample_table.h - the calls that the sampler times, each again and again, and what their times come to.
 *
 * A host, and a device's driver, are disturbed most of the time, for some milliseconds or tens of them. A
 * program pays the mean, so that is what counts of the times of one call at moments far apart; but those
 * beyond twice the least, of calls that had to wait for a processor, do not. Each time a call has other
 * flags, and odd or even sizes: what these make of times is a factor for each set (flag_sets.h). Not
 * thread-safe. */
#ifndef MUBLAS_SAMPLE_TABLE_H
#define MUBLAS_SAMPLE_TABLE_H

#include "common/blas_call.h"
#include "tuner/online/learned_times.h"

enum { SAMPLE_TIMES = 32 /* more do not count */ };

struct sample {
    double amount, asked; /* whose sizes were rounded to that */
    int count;            /* of times so far */
    float us[CALL_SIDES][SAMPLE_TIMES];
    unsigned char sets[SAMPLE_TIMES]; /* flag_sets.h */
};

/* All zero: nothing timed. */
struct sample_table {
    struct class_samples {
        int count;
        struct sample samples[TIME_CURVE_SAMPLES];
    } classes[TIMED_CLASSES];
};

/* The class's sample within 1% of the amount; NULL: there is none. */
struct sample *sample_table_find(struct class_samples *samples, double amount);

/* Another one without times; there is room. */
struct sample *sample_table_add(struct class_samples *samples, double amount, double asked);

/* Microseconds of both sides; what is not positive and finite does not count. */
void sample_add_times(struct sample *sample, const double us[CALL_SIDES], int set);

/* The class's curves of `times`, from all samples that have times; its factors as well: of a set the median
 * of its times over the curve, drawn towards 1 where they are few. On the host odd and even sizes are one. */
void sample_table_curves(const struct class_samples *samples, int class, struct learned_times *times);
void sample_table_conclude(const struct class_samples *samples, int class, struct learned_times *times);

/* With which flags, and with even or odd sizes, a sample's call is timed each time.
 *
 * What a device takes depends on both at once: dgemm with A transposed takes 1.7 times as long on an H100
 * when its leading dimensions are odd (flag_sets.h). So over the samples of a class every set of flags has
 * to come with either as often, already among the first few times of each. Pure. */
enum { SAMPLE_BLOCK = 32 /* sizes up to it stay as they are: the small ones of panels */ };

/* Give the class's call, which was timed so many times before, its next flags and sizes: each set of flags
 * in turn, from one on that its sizes say without a pattern, and every other time sizes that are odd, in the
 * end with each set; but not at first: a device that takes three times as long for these is no measure of
 * what larger sizes take. Sizes change by one, unless that would make the call another class's. A block
 * stays one, so that where all leading dimensions are blocks (symm, trmm and trsm of 32 rows from the left,
 * rank updates of order 32 that are not transposed) none is odd. */
void sample_variant_apply(int class, unsigned timed, struct blas_call *call);

#endif
