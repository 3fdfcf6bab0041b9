/* verify.h - the part of `mublas verify` that runs under the shim, and the lines that the command prints. */
#ifndef MUBLAS_VERIFY_H
#define MUBLAS_VERIFY_H

#include "command/run/shim_child.h"
#include "command/verify/lapack.h"

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
