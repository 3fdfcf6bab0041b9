/* thread_counters.h - the numbers of a report, counted by each thread in memory of its own: a counter that
 * threads share costs each of them the others' cache misses.
 *
 * A thread gets its counters at its first counted call, and gives them back when it ends, counts included, to
 * the next that starts: there are never more than there were threads at once. Neither takes a lock, allocates
 * by malloc, or minds signal handlers. Until thread_counters_begin, and wherever a thread can have none of
 * its own, those that all threads share serve. */
#ifndef MUBLAS_THREAD_COUNTERS_H
#define MUBLAS_THREAD_COUNTERS_H

#include "common/phase_clock.h"
#include "host/symbols.h"
#include "interpose/host_reason.h"
#include "interpose/report/largest_calls.h"
#include "interpose/report/timeline.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic uint64_t counter;

/* Of calls that came past the gate. */
struct routine_counters {
    counter device_calls;
    counter host_calls[HOST_REASON_COUNT], host_nanoseconds[HOST_REASON_COUNT];
    counter inside_nanoseconds[HOST_REASON_COUNT]; /* of these in calls made inside, counted themselves */
    counter bytes_up, bytes_down;
    counter phases[PHASE_COUNT];
    counter foretold_nanoseconds; /* of device calls: what the host would have taken for them, as predicted */
    counter variant;              /* the address of what a call had that no route has; 0: nothing */
    struct call_record refused;   /* the largest of those that were predicted faster on the host */
};

struct thread_counters {
    counter forwarded_calls[SYMBOL_COUNT]; /* the first member: thunks.S counts here */
    struct routine_counters routines[SYMBOL_COUNT];
    counter timeline[ACTIVITY_COUNT][TIMELINE_WORDS];
    struct largest_calls largest;
    struct thread_counters *next;
    atomic_bool taken; /* by a thread that runs */
} __attribute__((aligned(128))); /* two cache lines: processors fetch pairs of them */

/* Threads may have counters of their own from now on; once in a process, early: the thread-specific keys that
 * need no memory are few. */
void thread_counters_begin(void);

/* When the run began, which the time line counts from: thread_counters_begin, or the fork. */
uint64_t thread_counters_origin(void);

/* True in a fork's child, which counts from zero. */
bool thread_counters_restarted(void);

/* Has this process called fork since? By posix_spawn or vfork it starts none that would go on with its
 * code. */
bool thread_counters_forked(void);

/* This thread's own; NULL: it has none yet, or no more. */
extern __thread struct thread_counters *thread_counters_here __attribute__((tls_model("initial-exec")));

/* This thread's, those that all share where it has none; never NULL. */
struct thread_counters *thread_counters_own(void);

/* Exact also where a signal handler counts in the middle of it. */
void thread_counters_add(struct thread_counters *own, counter *of_own, uint64_t amount);

/* All that there are, whether their threads run or have ended; NULL at first, and after the last. */
const struct thread_counters *thread_counters_next(const struct thread_counters *previous);

#endif
