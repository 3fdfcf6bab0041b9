/* stats.h - counters per routine for the report at exit (MUBLAS_REPORT), and the time of a thread's calls,
 * each nanosecond of it once. */
#ifndef MUBLAS_STATS_H
#define MUBLAS_STATS_H

#include "common/clock.h"
#include "host/symbols.h"
#include "interpose/policy.h"
#include "interpose/report/thread_counters.h"

#include <stdbool.h>
#include <stdint.h>

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

/* The lanes, with steps of that level (thread_counters.h), of threads that were in calls, in the order in
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
