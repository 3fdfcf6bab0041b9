/* sample_gaps.h - at which amounts samples of a class are missing, beside the border between the sides.
 *
 * Samples are wanted closer to each other where neither side is far ahead; and where a side's time jumps,
 * since it begins to use threads there or another kernel (OpenBLAS's chemv takes 35 us at order 361 and 13 at
 * 362, cuBLAS's zsymm of 32 columns 42 us at 178 and 75 at 198): no line between its sides foretells what lies there. Functions of what has been timed so far. */
#ifndef MUBLAS_SAMPLE_GAPS_H
#define MUBLAS_SAMPLE_GAPS_H

#include "tuner/gain_border.h"
#include "tuner/sample_batch.h"

/* Is one side more than `most` times faster? */
bool sample_gaps_is_ahead(const struct learned_times *times, int class, double amount, double most);

/* Where samples are wanted at all; false: nowhere. */
bool sample_gaps_range(const struct sample_batch *batch, int class, struct amount_range *range);

/* Does the amount lie in the range, or so close to it that it tells of it? */
bool sample_gaps_is_beside(struct amount_range range, double amount);

/* A sample that is missing, one that can be made; false: none, or the class has enough. */
bool sample_gaps_find(const struct sample_batch *batch, int class, double *amount);

#endif
