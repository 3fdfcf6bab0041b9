/* border_calls.h - random calls near the border between host and device: with random flags, within a
 * factor of 4 around the size from which on the device is expected to gain, but with no less than a quarter
 * of the work of matrices of 16 KiB and none beyond the largest, or anywhere if it is never.
 * `seed` is the state of the random numbers; the same one gives the same calls. */
#ifndef MUBLAS_BENCH_BORDER_CALLS_H
#define MUBLAS_BENCH_BORDER_CALLS_H

#include "tuner/online/learned_times.h"

/* One of the routine's classes (tuning_class.h); TIMED_CLASS_NONE: it has none. */
int border_class(int routine, uint64_t *seed);

/* An amount for it, on matrices of at most this many bytes. */
double border_amount(const struct learned_times *times, int class, double bytes, uint64_t *seed);

/* The class's call of about this amount, with any flags and, of gemv, another ratio of sides; of level 3,
 * too, where reshape_bytes is not 0: with any sizes of the class, on matrices of at most so many bytes. Its
 * matrices are not NULL, but are not to be used. */
struct blas_call border_call(int routine, int class, double amount, double reshape_bytes, uint64_t *seed);

/* A call's operands by its flags and sizes, without gaps. Matrices are not NULL, but are not to be used. */
void border_call_lay_out(struct blas_call *call);

/* Numbers in an order by chance. */
void border_shuffle(int *order, int count, uint64_t *seed);

#endif
