/* verify_lapack.h - the part of `mublas verify` that checks LAPACK's routines: calls through the shim in a process of
 * their own, and in this one, which has no shim, the same calls on the host's LAPACK, whose values are compared. */
#ifndef MUBLAS_VERIFY_LAPACK_H
#define MUBLAS_VERIFY_LAPACK_H

#include "command/lapack_call.h"

#include <stdio.h>

/* What a kind of routines is checked by. Arguments, flags and sizes are chosen by the number of the call and filled with
 * the same numbers each time, so that processes agree on them. */
struct verify_lapack_kind {
    /* Flags and sizes of the call; false: there are not so many. */
    bool (*choose)(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments);
    /* What is read; `poisoned`: all else NaN, which else is 0. */
    void (*fill)(const struct lapack_routine *routine, int number, bool poisoned, struct lapack_arguments *arguments);
    /* Of the results of the call beside its arguments as they were: the largest of its errors in units of eps * n * norm
     * as LAPACK's testers have them (eps: 2^-23 or 2^-52). No memory: infinite. */
    double (*gauge)(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before);
    /* Nothing was written but what LAPACK says is. */
    bool (*kept)(const struct lapack_routine *routine, const struct lapack_arguments *after,
                 const struct lapack_arguments *before);
    /* How many real numbers in w are results, and the size to which a difference from another LAPACK's counts. */
    int64_t (*values)(const struct lapack_routine *routine, const struct lapack_arguments *after);
    double (*scale)(const struct lapack_routine *routine, const struct lapack_arguments *before);
};

/* NULL: the family is not checked. */
const struct verify_lapack_kind *verify_lapack_kind_of(enum lapack_family family);

extern const struct verify_lapack_kind verify_eigen, verify_factor, verify_orthogonal; /* in files of their names */

/* Under the shim: the routines of `list` (names with commas between, NULL: all). Prints for each
 *   begin NAME
 *   values INFO COUNT NUMBER ...    for each call
 *   done NAME CALLS GAUGE KEPT      as verify_calls.h
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
