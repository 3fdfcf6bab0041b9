/* random_flags.h - flags of calls by chance, the same ones for the same state of the random numbers. */
#ifndef MUBLAS_RANDOM_FLAGS_H
#define MUBLAS_RANDOM_FLAGS_H

#include "common/blas_call.h"

/* In [0, 1) (splitmix64). */
double random_part(uint64_t *seed);

/* Any of the flags that the call's class leaves open (flag_sets.h), each set as often; the call is one that
 * programs have. */
void random_flags(struct blas_call *call, uint64_t *seed);

#endif
