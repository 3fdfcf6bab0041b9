/* kind.h - how `mublas verify` checks a kind of LAPACK routines. */
#ifndef MUBLAS_VERIFY_KIND_H
#define MUBLAS_VERIFY_KIND_H

#include "command/verify/arrays.h"

enum { VERIFY_SCRATCH = 5, VERIFY_ORDERS = 4, VERIFY_ORDER_MOST = 130 };
static const int verify_orders[VERIFY_ORDERS] = {2, 33, 65, VERIFY_ORDER_MOST};

/* The methods of a kind. The number of a call determines its flags, sizes and arguments, so that processes
 * agree on them. */
struct verify_lapack_kind {
    /* Chooses flags and sizes of the call. False: the kind has fewer calls. */
    bool (*choose)(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments);
    /* Fills what the call reads, in arrays that hold NaN if `poisoned`, else zeros. */
    void (*fill)(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                 struct lapack_arguments *arguments);
    /* Tells what the call may write. */
    void (*results)(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    struct verify_parts *parts);
    /* The largest error of the results, over the norms by which LAPACK's testers divide it. Each scratch
     * matrix is a square of the largest of the call's sizes. */
    double (*error)(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH]);
    /* NULL, or: copies the results that another LAPACK must find as well, up to rounding, and returns their
     * number, at most two a column. And the norm by which differences are divided. */
    int64_t (*values)(const struct lapack_routine *routine, const struct lapack_arguments *after,
                      double *values);
    double (*norm)(const struct lapack_routine *routine, const struct lapack_arguments *before,
                   struct number *scratch);
};

/* Each in the file of its name. */
extern const struct verify_lapack_kind verify_eigen, verify_factor, verify_general, verify_orthogonal,
    verify_singular, verify_standard, verify_tridiagonal;

/* Takes the next digit off a number that counts ways of calling. */
static inline int verify_digit(int *number, int radix)
{
    const int digit = *number % radix;
    *number /= radix;
    return digit;
}

#endif
