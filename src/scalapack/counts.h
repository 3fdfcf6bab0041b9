/* counts.h - counters of parallel routines, for the report at exit. */
#ifndef MUBLAS_SCALAPACK_COUNTS_H
#define MUBLAS_SCALAPACK_COUNTS_H

#include "interpose/host_reason.h"
#include "scalapack/routine.h"

#include <sys/types.h>

/* Where this process's time in a routine went. */
enum parallel_step { STEP_AGREE, STEP_PUT, STEP_WORK, STEP_TAKE, STEP_COUNT };

struct parallel_counts {
    uint64_t device_calls;
    uint64_t host_calls[HOST_REASON_COUNT]; /* that were voted on; others' reasons are the owner's to know */
    uint64_t ungated_calls;                 /* that never came to a vote */
    uint64_t nanoseconds[STEP_COUNT];       /* of device calls; STEP_WORK of who does not own it is waiting */
    int64_t largest;                        /* order */
};

/* No-ops unless a report was asked for. Thread-safe. */
void counts_ungated(enum parallel_symbol symbol);
void counts_host(enum parallel_symbol symbol, enum host_reason reason);
void counts_device(enum parallel_symbol symbol, int64_t order, const uint64_t nanoseconds[STEP_COUNT]);

/* Who owned the device's part of the last call, and whether that was this process. */
void counts_owner(pid_t owner, int rank, bool is_here);

/* For the report. */
struct parallel_counts counts_of(enum parallel_symbol symbol);
bool counts_find_owner(pid_t *owner, int *rank, bool *is_here);

#endif
