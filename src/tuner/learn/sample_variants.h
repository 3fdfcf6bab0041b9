/* sample_variants.h - with which flags, and with even or odd sizes, a sample's call is timed each time.
 *
 * What a device takes depends on both at once: dgemm with A transposed takes 1.7 times as long on an H100
 * when its leading dimensions are odd (device_sets.h). So over the samples of a class every set of flags has
 * to come with either as often, already among the first few times of each. Pure. */
#ifndef MUBLAS_SAMPLE_VARIANTS_H
#define MUBLAS_SAMPLE_VARIANTS_H

#include "common/blas_call.h"

enum { SAMPLE_BLOCK = 32 /* sizes up to it stay as they are: the small ones of panels */ };

/* Give the class's call, which was timed so many times before, its next flags and sizes: each set of flags
 * in turn, from one on that its sizes say without a pattern, and every other time sizes that are odd, in the end
 * with each set; but not at first: a device that takes three times as long for these is no measure of what
 * larger sizes take. Sizes change by one, unless that would make the call another class's. A block stays one,
 * so that where all leading dimensions are blocks (symm, trmm and trsm of 32 rows from the left, rank updates
 * of order 32 that are not transposed) none is odd. */
void sample_variant_apply(int class, unsigned timed, struct blas_call *call);

#endif
