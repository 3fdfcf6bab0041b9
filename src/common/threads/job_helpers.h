/* job_helpers.h - a few threads that do parts of a job beside the thread that has it. Jobs of several threads
 * have crews of helpers of their own, as many as the processors allow: each of several devices is fed at once.
 *
 * Helpers are made when a job wants them and end when they have had nothing to do for a quarter of a
 * second, or when a thread that had them ends: the last thread of a process runs its exit handlers, and
 * must be one of the program's own. They wait in a futex, have all signals blocked and small stacks, hold
 * no lock, allocate nothing and call nothing but `work`, which begins no job.
 * Correctness never depends on them: the caller does what none of them has taken, and waits for
 * what they have. So a process that cannot have more threads, a child of fork (which has none of them), and a
 * thread that finds all crews busy with others' jobs just do all of it themselves. An end of
 * the process takes them with it at any moment. Any thread may call. */
#ifndef MUBLAS_JOB_HELPERS_H
#define MUBLAS_JOB_HELPERS_H

#include <stdbool.h>

enum { JOB_HELPERS_MOST = 7, JOB_CREWS_MOST = 4 };

/* work(context, i) once for each i below `parts`, by the calling thread and at most `helpers` more, in
 * no order and at once; all are done on return, and what they wrote is seen. */
typedef void job_helpers_work(void *context, unsigned part);
void job_helpers_run(job_helpers_work *work, void *context, unsigned parts, int helpers);

/* The same by the helpers alone, while the caller does something else: begun and ended by one thread.
 * Those parts that no helper has taken by the end, all of them perhaps, are not done; the end waits for
 * what was taken. NULL: there are none to be had, and nothing was begun. */
struct job_crew;
struct job_crew *job_helpers_begin(job_helpers_work *work, void *context, unsigned parts, int helpers);
void job_helpers_end(struct job_crew *crew);

/* How many helpers the calling thread may ask for: one less than the processors that it may use, shared
 * with the other ranks on this machine, at most JOB_HELPERS_MOST. */
int job_helpers_wanted(void);

/* How many there are, in all crews; for tests. */
int job_helpers_alive(void);

#endif
