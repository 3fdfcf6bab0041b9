/* lapack.h - the part of `mublas verify` that checks LAPACK's routines: calls through the shim in a process of
 * their own, and in this one, which has no shim, the same calls on the host's LAPACK, whose values are compared. */
#ifndef MUBLAS_VERIFY_LAPACK_H
#define MUBLAS_VERIFY_LAPACK_H

#include "command/verify/kind.h"

#include <stdio.h>

const struct verify_lapack_kind *verify_lapack_kind_of(enum lapack_family family);

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

/* What a checking process said of a routine of BLAS or LAPACK; calls 0: nothing. */
struct verify_outcome {
    bool begun, kept;
    int calls;
    double gauge;
};

/* Read its answers, and call the host's LAPACK with the same arguments: the gauge is of its difference, too. */
void verify_lapack_read(FILE *answers, const struct host_library *host, struct verify_outcome *outcomes);

#endif
