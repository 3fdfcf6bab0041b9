/* verify.h - the part of `mublas verify` that runs under the shim, the lines that the command prints, and
 * two copies of the operands of a BLAS call (operands.c), for mublas and for the host BLAS, with the
 * distance of the results. */
#ifndef MUBLAS_VERIFY_H
#define MUBLAS_VERIFY_H

#include "command/run/run.h"
#include "command/verify/lapack.h"
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

struct score {
    int passed, listed;
};

/* Prints the routine's line, by what a checking process said of it and by that process's report, and counts
 * it. An error of `limit` or more fails. */
void judge(const char *name, const struct verify_outcome *outcome, double limit, const char *report,
           struct score *score);

/* Removes the report of a process that has ended with this status. False: it ended with a failure. */
bool judge_end(struct shim_child *child, int status);

#define VERIFY_CALLS_COMMAND "verify-calls"

/* "lapack" and "lapack NAME,NAME,..." call verify_lapack_calls. "SIZE" and "SIZE NAME,NAME,..." call each
 * BLAS routine with every flag through the shim and on the host BLAS, and print on standard output for each
 *   begin NAME
 *   done NAME CALLS RATIO KEPT    (KEPT 0: something beside the results was written)
 * Returns the exit status: 0, or 1 with a line that says what is missing. */
int verify_calls(const char *what);

#endif
