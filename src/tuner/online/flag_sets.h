/* flag_sets.h - the combinations of flags in which calls of a timed class differ.
 *
 * A host BLAS has a kernel for each: upper or lower, transposed or not can make its rank updates take 1.4
 * times as long. What the class itself says (side, TRSM's diagonal, SYMV's triangle, whether level 2 is
 * transposed) is no part of it; that a matrix is Hermitian is, where HEMM goes by SYMM's class. With real
 * numbers the conjugate transpose is the transpose; conj(A) goes with A in level 2, with the conjugate
 * transpose in level 3. Numbered from 0 on, the last of uplo, trans, trans_b, diag and Hermitian first:
 * dsyr2k's are lower, lower transposed, upper, upper transposed. Pure functions. */
#ifndef MUBLAS_FLAG_SETS_H
#define MUBLAS_FLAG_SETS_H

#include "common/blas_call.h"

enum {
    FLAG_SETS_MOST = 12,
    FLAG_FACTOR_MOST = 100 /* what one set makes of a time: so many times as long or as short, at most */
};

/* How many a class has: 1 to FLAG_SETS_MOST. */
int flag_sets_of(int class);

/* Give the class's call these flags, and HEMM's family if that is one. */
void flag_set_apply(int class, int set, struct blas_call *call);

/* The number of those that a call of the class has. */
int flag_set_of(int class, const struct blas_call *call);

/* The combinations of what a device's time depends on besides a class and its amount.
 *
 * Each set of flags (flag_sets.h) twice: set 2 f has the flags f and even leading dimensions, set 2 f + 1 an
 * odd one. Columns of doubles then begin at no multiples of 16 bytes, for which cuBLAS has other kernels:
 * dgemm with A transposed takes 1.5 times as long on an H200, dtrsm from the left, transposed, 3.3 times
 * (doc/tuner.md, "Crossovers"). Pure functions. */
enum { DEVICE_SETS_MOST = 2 * FLAG_SETS_MOST };

/* How many a class has: 2 to DEVICE_SETS_MOST. */
int device_sets_of(int class);

/* The number of those that a call of the class has; one without leading dimensions (timed_class_call) as if
 * without gaps between its columns. */
int device_set_of(int class, const struct blas_call *call);

#endif
