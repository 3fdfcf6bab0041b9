/* lapack.h - the part of `mublas verify` that checks LAPACK's routines: calls through the shim in a process of
 * their own, and in this one, which has no shim, the same calls on the host's LAPACK, whose values are compared. */
#ifndef MUBLAS_VERIFY_LAPACK_H
#define MUBLAS_VERIFY_LAPACK_H

#include "command/lapack_call.h"
#include "command/verify/arrays.h"

#include <stdio.h>

enum { VERIFY_ROOMS = 5, VERIFY_ORDERS = 4, VERIFY_ORDER_MOST = 130 };
extern const int verify_orders[VERIFY_ORDERS];

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

const struct verify_lapack_kind *verify_lapack_kind_of(enum lapack_family family);

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

/* The arguments of a call, and their copy. Free both by lapack_arguments_free in any case. */
enum verify_made { VERIFY_MADE, VERIFY_NO_MORE, VERIFY_NO_MEMORY };
enum verify_made verify_lapack_make(const struct lapack_routine *routine, int number, bool poisoned,
                                    struct lapack_arguments *after, struct lapack_arguments *before);

/* The largest error in units of eps * order * norm, as LAPACK's testers have them (eps: 2^-23 or 2^-52); infinite where
 * INFO is not 0, or without memory. */
double verify_lapack_gauge(const struct lapack_routine *routine, const struct lapack_arguments *after,
                           const struct lapack_arguments *before);

/* Under the shim: the routines of `list` (names with commas between, NULL: all). Prints for each
 *   begin NAME
 *   values INFO COUNT NUMBER ...    for each call
 *   done NAME CALLS GAUGE KEPT      as blas_calls.h
 * The exit status. */
int verify_lapack_calls(const char *list);

/* What it said of the routine. */
struct verify_lapack_outcome {
    bool begun, kept;
    int calls;
    double gauge;
};

/* Read its answers, and call the host's LAPACK with the same arguments: the gauge is of its difference, too. */
void verify_lapack_read(FILE *answers, const struct host_library *host, struct verify_lapack_outcome *outcomes);

#endif
