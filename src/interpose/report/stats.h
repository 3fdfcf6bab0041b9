/* stats.h - counters per routine for the report at exit (MUBLAS_REPORT), and the time of a thread's calls,
 * each nanosecond of it once. */
#ifndef MUBLAS_STATS_H
#define MUBLAS_STATS_H

#include "common/clock.h"
#include "host/symbols.h"
#include "interpose/policy.h"
#include "tuner/online/crossover.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each thread counts the numbers of a report in memory of its own (thread_counters.c): a counter that threads
 * share costs each of them the others' cache misses. */

/* The time line tells when a thread was in which activity, in steps of time whose width doubles as the run
 * goes on.
 *
 * Its words are nanoseconds. The first 200 are steps of 2^20 ns (a millisecond); each 100 after them cover as
 * much time as all before, by steps twice as wide. So nothing is ever folded while a thread counts, and the
 * reader folds all into 200 steps of one width. Times count from the beginning of the run. Pure. */
enum activity {
    ACTIVITY_HOST,   /* the host's BLAS or LAPACK */
    ACTIVITY_DEVICE, /* launching on the device and waiting for it */
    ACTIVITY_LINK,   /* packing and moving operands and results */
    ACTIVITY_OTHER,  /* the rest of calls on the device */
    ACTIVITY_COUNT
};

enum {
    TIMELINE_STEPS = 200,
    TIMELINE_LEVELS = 32, /* of width: seven years and more */
    TIMELINE_WORDS = TIMELINE_STEPS + (TIMELINE_LEVELS - 1) * TIMELINE_STEPS / 2
};

/* The word that the time *from belongs to. *part: the nanoseconds of [*from, to) that do; *from moves behind
 * them. *from < to. */
size_t timeline_cut(uint64_t *from, uint64_t to, uint64_t *part);

/* The level whose 200 steps cover a run of so many nanoseconds, and their width. */
unsigned timeline_level(uint64_t nanoseconds);
uint64_t timeline_width(unsigned level);

/* The step, of those of `level`, that a word belongs to. */
unsigned timeline_step(size_t word, unsigned level);

/* Records keep single calls: the longest of a thread, and the largest of a routine that was left to the host.
 * Neither locks; who finds a record being written, a signal handler too, leaves it. */
struct large_call {
    enum symbol symbol;
    enum host_reason reason; /* HOST_NO_REASON: it ran on the device */
    uint64_t nanoseconds;
    struct route_shape shape; /* of BLAS m, n and k alone */
};

/* Calls by their largest size: a place has the sizes from 2^place on up to, not with, the next power of two. */
enum { SIZE_PLACES = 32 };

enum { RECORD_WORDS = 9, LARGEST_CALLS = 16, SEEN_CALLS = 128 };

/* All zero: empty. */
struct call_record {
    _Atomic uint64_t version; /* odd: being written */
    _Atomic uint64_t words[RECORD_WORDS];
};

/* The longest call of each routine, size and place. */
struct largest_calls {
    _Atomic uint64_t least; /* shorter ones need not come */
    struct seen_call {      /* nor those of a kind that are not longer than one that came, */
        _Atomic uint64_t kind, nanoseconds;
    } seen[SEEN_CALLS];     /* ... in a place by its kind */
    struct call_record of[LARGEST_CALLS];
};

void largest_calls_note(struct largest_calls *calls, const struct large_call *call);

/* Keeps the call if it is larger than the one that is there. */
void call_record_note_larger(struct call_record *record, const struct large_call *call);

/* False: it is empty, or is being written. */
bool call_record_read(const struct call_record *record, struct large_call *call);

/* Adds a call that was read to `count` of at most `most`, sorted, the longest first; the same routine, size
 * and place once. Returns the new count. */
int largest_calls_merge(struct large_call *calls, int count, int most, const struct large_call *call);

/* A thread gets its counters at its first counted call, and gives them back when it ends, counts included, to
 * the next that starts: there are never more than there were threads at once. Neither takes a lock, allocates
 * by malloc, or minds signal handlers. Until thread_counters_begin, and wherever a thread can have none of
 * its own, those that all threads share serve. */
typedef _Atomic uint64_t counter;

/* The counters of calls that came past the gate. */
struct routine_counters {
    counter device_calls;
    counter host_calls[HOST_REASON_COUNT], host_nanoseconds[HOST_REASON_COUNT];
    counter inside_nanoseconds[HOST_REASON_COUNT]; /* of these in calls made inside, counted themselves */
    counter bytes_up, bytes_down;
    counter phases[PHASE_COUNT];
    counter thousand_operations; /* of device calls: floating-point operations, by the usual counts */
    counter host_thousand_operations, host_counted_nanoseconds; /* of host calls whose operations are known */
    counter foretold_nanoseconds; /* of device calls: what the host would have taken for them, as predicted */
    counter variant;              /* the address of what a call had that no route has; 0: nothing */
    struct call_record refused;   /* the largest of those that were predicted faster on the host */
};

struct thread_counters {
    counter forwarded_calls[SYMBOL_COUNT]; /* the first member: thunks.S counts here */
    struct routine_counters routines[SYMBOL_COUNT];
    counter timeline[ACTIVITY_COUNT][TIMELINE_WORDS];
    counter longest[TIMELINE_WORDS]; /* of the calls in a word: its nanoseconds there, and its symbol above */
    counter sizes[2][SIZE_PLACES], size_nanoseconds[2][SIZE_PLACES]; /* on the host, on the device */
    struct largest_calls largest;
    counter kept_calls[SYMBOL_COUNT]; /* forwarded_calls at a time: thread_counters_keep_forwarded */
    struct thread_counters *next;
    atomic_bool taken; /* by a thread that runs */
} __attribute__((aligned(128))); /* two cache lines: processors fetch pairs of them */

/* Threads may have counters of their own from now on; once in a process, early: the thread-specific keys that
 * need no memory are few. */
void thread_counters_begin(void);

/* `tell` is called when a thread of this process makes the first call, and again in a fork's child. Before
 * thread_counters_begin. */
void thread_counters_watch(void (*tell)(void));

/* When the run began, which the time line counts from: thread_counters_begin, or the fork. */
uint64_t thread_counters_origin(void);

/* True in a fork's child, which counts from zero. */
bool thread_counters_restarted(void);

/* Has this process called fork since? posix_spawn and vfork start no child that would go on with its
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

/* Between the two this thread's calls that go straight to the host do not count: they are part of one that is
 * foretold on a device. They do where the first call's place was left by a jump. */
void thread_counters_keep_forwarded(void);
void thread_counters_return_forwarded(void);

/* The counters of one routine since the start of the process (of a fork child:
 * since the fork). */
struct routine_stats {
    uint64_t device_calls;
    uint64_t host_calls[HOST_REASON_COUNT];
    uint64_t host_nanoseconds[HOST_REASON_COUNT]; /* of those that came past the gate and were timed */
    uint64_t inside_nanoseconds[HOST_REASON_COUNT]; /* of them in calls made inside, counted themselves */
    uint64_t bytes_up, bytes_down;
    struct phase_times phases; /* of device calls */
    uint64_t thousand_operations; /* of device calls: floating-point operations, by the usual counts */
    uint64_t host_thousand_operations, host_counted_nanoseconds; /* of host calls whose operations are known */
    uint64_t foretold_nanoseconds; /* what the host would have taken for the device calls, as predicted */
    const char *variant;       /* an argument that no route has, of a call that was the host's for it */
    struct large_call refused; /* the largest that was predicted faster on the host; m 0: none */
};

struct device_counts {
    uint64_t bytes_up, bytes_down;
    struct phase_times phases;
    struct route_shape shape; /* of BLAS m, n and k alone */
    double foretold_us;       /* on the host */
    double operations;        /* of floating point; 0: not known */
};

/* The facts on a call on the host, where they are known. */
struct host_counts {
    uint64_t nanoseconds, inside_nanoseconds; /* 0: not measured */
    const struct route_shape *shape;          /* NULL: not known */
    double operations;                        /* of floating point; 0: not known */
    const char *variant;                      /* static storage; NULL: nothing */
};

/* True when a report or an estimate was asked for: callers need not measure otherwise. */
bool stats_wanted(void);

/* The monotonic clock's nanoseconds, for times to be counted; 0 unless stats_wanted(). */
uint64_t stats_nanoseconds(void);

/* Thread-safe; no-ops unless stats_wanted(). */
void stats_device_call(enum symbol symbol, const struct device_counts *counts);
void stats_host_call(enum symbol symbol, enum host_reason reason, const struct host_counts *counts);

/* Count the time of a call that was counted before it ran. */
void stats_host_time(enum symbol symbol, enum host_reason reason, const struct host_counts *counts);

/* This thread was in an activity, by the monotonic clock. Only a page and an
 * estimate use it: no-op for other reports. */
void stats_activity(enum activity activity, uint64_t from, uint64_t to);

/* A call that went straight to the host, forwarded or below the floor. Counted before it is
 * known whether anybody wants to know, since early calls come before that. */
void stats_forwarded_call(enum symbol symbol);

/* The sums over all threads, those that ended included; others may go on counting. */
void stats_read(struct routine_stats stats[SYMBOL_COUNT]);

/* The longest calls, the longest first: their number, at most LARGEST_CALLS. */
int stats_read_largest(struct large_call calls[LARGEST_CALLS]);

/* The sizes of calls whose size is known, on the host and on the device: how many, and their nanoseconds. */
struct size_stats {
    uint64_t calls[2][SIZE_PLACES], nanoseconds[2][SIZE_PLACES];
};
void stats_read_sizes(struct size_stats *sizes);

/* The time line of one thread, or of several that came one after the other. */
struct thread_lane {
    uint64_t steps[ACTIVITY_COUNT][TIMELINE_STEPS];
    enum symbol longest[TIMELINE_STEPS]; /* the routine of the longest call; SYMBOL_COUNT: none */
};

/* The lanes, with steps of that level (stats.h), of threads that were in calls, in the order in
 * which they made their first: their number, at most `most`. The last has all threads that are left; *threads
 * is how many there are in all. */
int stats_read_lanes(unsigned level, struct thread_lane *lanes, int most, int *threads);

/* Nanoseconds since the run began. */
uint64_t stats_run_nanoseconds(void);

/* Nanoseconds of a run, so long until now, in which at least one thread was in a call that the time line has.
 * Threads that were in calls in one step may have been so at once or in turn: so it is between two figures,
 * which are the same for a program of one thread. */
struct time_in_calls {
    uint64_t least, most;
};
struct time_in_calls stats_read_in_calls(uint64_t run_nanoseconds);

/* A LAPACK routine on the host calls BLAS that is counted itself: its span stops while another of the same
 * thread is open. A span lives in the frame of who begins it; one whose frame was left by a jump counts no
 * more. Spans are for the calling thread, and no-ops unless a report is wanted. */
struct call_span {
    uint64_t begun;  /* of the monotonic clock; 0: nobody wants to know */
    uint64_t inside; /* nanoseconds in spans inside; known at the end */
};

/* `is_host`: its time, less what is inside, is ACTIVITY_HOST on the time line. Else the phases of the call,
 * which clock.h tells, are. */
void call_span_begin(struct call_span *span, bool is_host);

/* Nanoseconds since the beginning. */
uint64_t call_span_end(struct call_span *span);

/* Before a jump is made. */
struct jump;
void call_spans_leave(const struct jump *jump);

#endif
