/* stats.h - counters per routine and the report at exit (MUBLAS_REPORT). */
#ifndef MUBLAS_STATS_H
#define MUBLAS_STATS_H

#include "common/phase_clock.h"
#include "host/symbols.h"
#include "interpose/host_reason.h"

#include <stdbool.h>
#include <stdint.h>

/* The counters of one routine since the start of the process (of a fork child:
 * since the fork). */
struct routine_stats {
    uint64_t device_calls;
    uint64_t host_calls[HOST_REASON_COUNT];
    uint64_t bytes_up, bytes_down;
    struct phase_times phases; /* of device calls */
    uint64_t host_nanoseconds; /* of calls that came past the gate */
};

struct device_counts {
    uint64_t bytes_up, bytes_down;
    struct phase_times phases;
};

/* True when a report was asked for: callers need not measure otherwise. */
bool stats_wanted(void);

/* Of the monotonic clock, for times to be counted; 0 unless stats_wanted(). */
uint64_t stats_nanoseconds(void);

/* Thread-safe; no-ops unless stats_wanted(). nanoseconds 0: not measured. */
void stats_device_call(enum symbol symbol, const struct device_counts *counts);
void stats_host_call(enum symbol symbol, enum host_reason reason, uint64_t nanoseconds);

/* The sums over all threads, those that ended included; others may go on counting. */
void stats_read(struct routine_stats stats[SYMBOL_COUNT]);

/* A call that went straight to the host, forwarded or below the floor. Counted before it is
 * known whether anybody wants to know, since early calls come before that. */
void stats_forwarded_call(enum symbol symbol);

#endif
