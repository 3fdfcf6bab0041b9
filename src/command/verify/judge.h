/* judge.h - the lines of `mublas verify`: one for each routine, by what a checking process said of it and by
 * that process's report. */
#ifndef MUBLAS_VERIFY_JUDGE_H
#define MUBLAS_VERIFY_JUDGE_H

#include "command/run/shim_child.h"
#include "command/verify/lapack.h"

struct score {
    int passed, listed;
};

/* Prints the routine's line, and counts it. An error of `limit` or more fails. */
void judge(const char *name, const struct verify_outcome *outcome, double limit, const char *report,
           struct score *score);

/* Removes the report of a process that has ended with this status. False: it ended with a failure. */
bool judge_end(struct shim_child *child, int status);

#endif
