/* device_sets.h - the combinations of what a device's time depends on besides a class and its amount.
 *
 * Each set of flags (flag_sets.h) twice: set 2 f has the flags f and even leading dimensions, set 2 f + 1 an
 * odd one. Columns of doubles then begin at no multiples of 16 bytes, for which cuBLAS has other kernels:
 * dgemm with A transposed takes 1.5 times as long on an H200, dtrsm from the left, transposed, 3.3 times
 * (doc/tuner.md, "Crossovers"). Pure functions. */
#ifndef MUBLAS_DEVICE_SETS_H
#define MUBLAS_DEVICE_SETS_H

#include "tuner/online/flag_sets.h"

enum { DEVICE_SETS_MOST = 2 * FLAG_SETS_MOST };

/* How many a class has: 2 to DEVICE_SETS_MOST. */
int device_sets_of(int class);

/* The number of those that a call of the class has; one without leading dimensions (timed_class_call) as if
 * without gaps between its columns. */
int device_set_of(int class, const struct blas_call *call);

#endif
