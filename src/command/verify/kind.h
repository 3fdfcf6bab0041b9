/* kind.h - a kind of LAPACK routines as `mublas verify` checks them. */
#ifndef MUBLAS_VERIFY_KIND_H
#define MUBLAS_VERIFY_KIND_H

#include "command/verify/arrays.h"

enum { VERIFY_ROOMS = 5, VERIFY_ORDERS = 4, VERIFY_ORDER_MOST = 130 };
static const int verify_orders[VERIFY_ORDERS] = {2, 33, 65, VERIFY_ORDER_MOST};

/* What a kind of routines is checked by. Arguments, flags and sizes are chosen by the number of the call and filled with
 * the same numbers each time, so that processes agree on them. */
struct verify_lapack_kind {
    /* Flags and sizes of the call; false: there are not so many. */
    bool (*choose)(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments);
    /* What is read, in arrays that are `poisoned` with NaN, or zero. */
    void (*fill)(const struct lapack_routine *routine, bool poisoned, uint64_t *seed, struct lapack_arguments *arguments);
    /* What the call may write. */
    void (*results)(const struct lapack_routine *routine, const struct lapack_arguments *after, struct verify_parts *parts);
    /* Of the results beside the arguments as they were: the largest error over the norms by which LAPACK's testers divide
     * it. Each of the rooms is for a square of the largest of the call's sizes. */
    double (*error)(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before, struct number *const rooms[VERIFY_ROOMS]);
    /* NULL, or the results that are to be another LAPACK's as well, up to rounding; how many there are, at most two for each
     * column. And the norm by which differences are divided. */
    int64_t (*values)(const struct lapack_routine *routine, const struct lapack_arguments *after, double *values);
    double (*norm)(const struct lapack_routine *routine, const struct lapack_arguments *before, struct number *room);
};

/* In files of their names. */
extern const struct verify_lapack_kind verify_eigen, verify_factor, verify_general, verify_orthogonal, verify_singular,
    verify_standard;

/* The next digit of a number that counts ways of calling. */
static inline int verify_digit(int *number, int radix)
{
    const int digit = *number % radix;
    *number /= radix;
    return digit;
}

#endif
