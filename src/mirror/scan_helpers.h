/* scan_helpers.h - a few threads that do parts of a job beside the thread that has it.
 *
 * They are made when a job wants them and end when they have had nothing to do for a quarter of a
 * second, or when a thread that had them ends: the last thread of a process runs its exit handlers, and
 * must be one of the program's own. They wait in a futex, have all signals blocked and small stacks, hold
 * no lock, allocate nothing and call nothing but `work`.
 * Correctness never depends on them: the caller does what none of them has taken, and waits for
 * what they have. So a process that cannot have more threads, a child of fork (which has none of them), and a
 * thread that finds them busy with another's job just do all of it themselves. An end of
 * the process takes them with it at any moment. Any thread may call. */
#ifndef MUBLAS_SCAN_HELPERS_H
#define MUBLAS_SCAN_HELPERS_H

enum { SCAN_HELPERS_MOST = 4 };

/* work(context, i) once for each i below `parts`, by the calling thread and at most `helpers` more, in
 * no order and at once; all are done on return, and what they wrote is seen. */
typedef void scan_helpers_work(void *context, unsigned part);
void scan_helpers_run(scan_helpers_work *work, void *context, unsigned parts, int helpers);

/* How many helpers the calling thread should ask for: one less than the processors that it may use, shared
 * with the other ranks on this machine, at most SCAN_HELPERS_MOST; none where it has but two. */
int scan_helpers_wanted(void);

/* How many there are; for tests. */
int scan_helpers_alive(void);

#endif
