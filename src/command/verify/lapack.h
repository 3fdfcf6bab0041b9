/* lapack.h - the part of `mublas verify` that checks LAPACK's routines. A process under the shim makes the
 * calls; this one, without the shim, makes the same calls on the host's LAPACK and compares values. */
#ifndef MUBLAS_VERIFY_LAPACK_H
#define MUBLAS_VERIFY_LAPACK_H

#include "command/verify/kind.h"

#include <stdio.h>

const struct verify_lapack_kind *verify_lapack_kind_of(enum lapack_family family);

/* Makes the arguments of a call, and a copy. Free both by lapack_arguments_free in any case. */
enum verify_made { VERIFY_MADE, VERIFY_NO_MORE, VERIFY_NO_MEMORY };
enum verify_made verify_lapack_make(const struct lapack_routine *routine, int number, bool poisoned,
                                    struct lapack_arguments *after, struct lapack_arguments *before);

/* The test ratio of LAPACK's testers: the largest error in units of eps * order * norm (eps: 2^-23 or 2^-52).
 * Infinite if INFO is not 0 or memory is short. */
double verify_lapack_ratio(const struct lapack_routine *routine, const struct lapack_arguments *after,
                           const struct lapack_arguments *before);

/* Under the shim: the routines of `list` (names with commas between, NULL: all). Prints for each
 *   begin NAME
 *   values INFO COUNT NUMBER ...    for each call
 *   done NAME CALLS RATIO KEPT      as in blas_calls.h
 * Returns the exit status. */
int verify_lapack_calls(const char *list);

/* What a checking process said of a routine of BLAS or LAPACK; calls 0: nothing. */
struct verify_outcome {
    bool begun, kept;
    int calls;
    double ratio;
};

/* Reads its answers, and calls the host's LAPACK with the same arguments. The ratio is at least that of their
 * difference. */
void verify_lapack_read(FILE *answers, const struct host_library *host, struct verify_outcome *outcomes);

#endif
