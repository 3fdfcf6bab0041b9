/* random_flags.h - flags of calls by chance, always the same ones for the same state of the random numbers. */
#ifndef MUBLAS_RANDOM_FLAGS_H
#define MUBLAS_RANDOM_FLAGS_H

#include "common/blas_call.h"

/* In [0, 1) (splitmix64). */
double random_part(uint64_t *seed);

/* Any of the flags that the call's class (timed_class.h) leaves open: not the side, nor TRSM's diagonal or
 * SYMV's and HEMV's triangle, nor of level 2 whether it is transposed. */
void random_flags(struct blas_call *call, uint64_t *seed);

#endif
