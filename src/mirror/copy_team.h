/* copy_team.h - threads that copy memory beside the caller, who alone reaches a fraction of what
 * the link takes.
 *
 * They come when there is much to copy, at most three and fewer than the processors that the
 * process may use, and end when nothing came for a while: a program finds no threads of ours that
 * outlive its use of the device. One caller at a time has the team; others copy alone, as
 * does a fork child. */
#ifndef MUBLAS_COPY_TEAM_H
#define MUBLAS_COPY_TEAM_H

#include <stddef.h>

/* Do items [begin, end) of a job. Called by several threads at once. */
typedef void copy_share(void *job, size_t begin, size_t end);

/* Do `count` items in shares of `grain`; all are done on return. */
void copy_team_run(size_t count, size_t grain, copy_share *share, void *job);

/* Shares that others than the callers have done so far. */
size_t copy_team_helped(void);

#endif
