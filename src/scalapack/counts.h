/* counts.h - counters of parallel routines, for the report at exit, and why calls did not come to a vote.
 *
 * All are no-ops unless a report was asked for, and thread-safe. */
#ifndef MUBLAS_COUNTS_H
#define MUBLAS_COUNTS_H

#include "interpose/lapack/call.h"
#include "interpose/report/parallel_report.h"
#include "scalapack/routine.h"

#include <sys/types.h>

void counts_ungated(enum parallel_symbol symbol, const struct lapack_frame *frame);
void counts_host(enum parallel_symbol symbol, enum host_reason reason);
void counts_device(enum parallel_symbol symbol, int64_t order, const uint64_t nanoseconds[STEP_COUNT]);

/* Notes who owned the device's part of the last call, and whether that was this process. */
void counts_owner(pid_t owner, int rank, bool is_here);

/* This process is in a grid: a report tells why its routines are not served, where they are not. */
void counts_grid_made(void);

#endif
