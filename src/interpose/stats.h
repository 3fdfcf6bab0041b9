/* stats.h - counters per routine and the report at exit (MUBLAS_REPORT). */
#ifndef MUBLAS_STATS_H
#define MUBLAS_STATS_H

#include "common/phase_clock.h"
#include "host/symbols.h"

#include <stdbool.h>
#include <stdint.h>

/* Why a call of an offloadable routine stayed on the host. */
enum host_reason {
    HOST_FORWARDED,       /* routine that mublas does not offload */
    HOST_BELOW_FLOOR,     /* too small ever to pay */
    HOST_ARGUMENTS,       /* invalid arguments, workspace query, quick return, infinite alpha, or overlapping operands */
    HOST_FASTER,          /* predicted faster on the host */
    HOST_NOT_RESIDENT,    /* residency would pay, but its account does not cover the upload yet */
    HOST_FP_ENVIRONMENT,  /* traps unmasked, other rounding mode, or a denormal scalar taken for zero */
    HOST_SWITCHED_OFF,    /* MUBLAS_OFFLOAD=never */
    HOST_NO_DEVICE,       /* none there, or given up */
    HOST_BUSY,            /* others' calls were in the way for longer than the host takes */
    HOST_SANDBOX,         /* the program has forbidden itself system calls */
    HOST_NESTED,          /* called from inside mublas or from the host BLAS */
    HOST_AFTER_FORK,      /* fork child, or under a checkpointer */
    HOST_INTEGERS,        /* integer width not known, or different in several libraries */
    HOST_UNSUPPORTED,     /* no kernel or no cuBLAS for it */
    HOST_OUT_OF_MEMORY,
    HOST_INACCESSIBLE,    /* an operand's memory is protected against it */
    HOST_VALUES,          /* of a LAPACK routine: a matrix is not finite, or would have to be scaled */
    HOST_UNSUCCESSFUL,    /* its result is INFO > 0, which the host has to say */
    HOST_DEVICE_ERROR,    /* the device failed; the host did the call on untouched operands */
    HOST_REASON_COUNT
};

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

/* A short English phrase for the report. */
const char *host_reason_text(enum host_reason reason);

#endif
