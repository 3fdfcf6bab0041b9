/* operands.h - two copies of the operands of a call, for mublas and for the host BLAS, and the distance of
 * the results. */
#ifndef MUBLAS_COMMAND_VERIFY_OPERANDS_H
#define MUBLAS_COMMAND_VERIFY_OPERANDS_H

#include "common/blas_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verify_buffer {
    char *ours, *before, *hosts; /* mublas works on `ours`; `before` is a copy of it before the call */
    size_t elements;
};

struct verify_operands {
    struct blas_call ours, hosts; /* the same call on each copy */
    struct verify_buffer a, b, c, x, y;
};

/* Makes random operands by `call`'s family, type, flags, sizes, scalars, leading dimensions and increments.
 * Elements that the routine must not read are NaN in mublas' copy, and 0 in the host's, since not every BLAS
 * passes that. False: out of memory. */
bool verify_operands_make(struct verify_operands *operands, const struct blas_call *call, uint64_t *seed);
void verify_operands_free(struct verify_operands *operands);

/* After both calls: the largest difference of two results in units of eps (|alpha| sum |a| |x| + |beta| |y|),
 * with eps = 2^-24 or 2^-53 and |z| = |re| + |im|; for trsm the difference of op(A) X in units of eps
 * (|op(A)| |X| + |alpha B|). Infinite if only one of two is a number. */
double verify_operands_ratio(const struct verify_operands *operands);

/* True when mublas wrote nothing but the results. */
bool verify_operands_kept(const struct verify_operands *operands);

#endif
