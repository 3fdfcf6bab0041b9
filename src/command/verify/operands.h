/* operands.h - the operands of one call twice, for mublas and for the host BLAS, and
 * how far the results are apart. */
#ifndef MUBLAS_VERIFY_OPERANDS_H
#define MUBLAS_VERIFY_OPERANDS_H

#include "common/blas_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verify_buffer {
    char *ours, *before, *hosts; /* ours is what mublas works on; before: the same, as it was */
    size_t elements;
};

struct verify_operands {
    struct blas_call ours, hosts; /* the same call on either copy */
    struct verify_buffer a, b, c, x, y;
};

/* Random operands for `call`: family, type, flags, sizes, scalars, leading dimensions and
 * increments count. In mublas' copy all that the routine must not read is NaN; in the host's it is
 * 0, since not every BLAS passes that. False: out of memory. */
bool verify_operands_make(struct verify_operands *operands, const struct blas_call *call, uint64_t *seed);
void verify_operands_free(struct verify_operands *operands);

/* After both have run: the largest difference of two results in units of
 * eps (|alpha| sum |a| |x| + |beta| |y|), eps = 2^-24 or 2^-53, |z| = |re| + |im|, and of trsm the
 * difference of op(A) X in units of eps (|op(A)| |X| + |alpha B|); infinite when only one is a number. */
double verify_operands_gauge(const struct verify_operands *operands);

/* True when mublas wrote nothing but the results. */
bool verify_operands_kept(const struct verify_operands *operands);

#endif
