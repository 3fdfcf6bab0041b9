/* contexts.h - the BLACS contexts that this process is in, as far as mublas saw them made, the program's
 * own ScaLAPACK and BLACS, which make them and do what mublas does not do, and the counters of parallel
 * routines.
 *
 * Programs use a handle again for another grid, so a context is dropped before the BLACS end it, and its
 * number of calls and its nonce, which all processes agreed on, tell it from an older one.
 *
 * The counters (counts.c) are for the report at exit, with why calls did not come to a vote. Their
 * functions are no-ops unless a report was asked for, and thread-safe. */
#ifndef MUBLAS_CONTEXTS_H
#define MUBLAS_CONTEXTS_H

#include "host/symbols.h"
#include "interpose/lapack/call.h"
#include "interpose/report/parallel_report.h"
#include "scalapack/grid.h"
#include "scalapack/team.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The host's routine for a call with this return address: the next in the program's search order, else what
 * the calling library depends on, else any that is loaded. Does not return where there is none: one line,
 * then abort. *is_inner (may be NULL): the call comes from the library that has the routine. Thread-safe. */
host_function *host_routine_of(enum parallel_symbol symbol, const void *caller, bool *is_inner);

struct parallel_context {
    int handle;
    struct grid_place place;
    uint32_t nonce; /* agreed; 0: not yet */
    uint64_t calls; /* that came to a vote */
    bool is_refused; /* the host's for good, on all processes alike */
    struct team *team; /* NULL: not met yet, or a grid of one process */
    struct parallel_context *next;
};

static inline bool context_is_alone(const struct parallel_context *context)
{
    return context->place.rows * context->place.columns == 1;
}

/* Before the BLACS end it; all of them. */
void contexts_drop(int handle);

/* NULL: not one of these. It belongs to the thread that calls for it, as the BLACS' own does. */
struct parallel_context *contexts_find(int handle);

/* Is there any? A load. */
bool contexts_are_there(void);

/* counts_ungated: the call did not come to a vote; `frame` tells why. */
void counts_ungated(enum parallel_symbol symbol, const struct lapack_frame *frame);
void counts_host(enum parallel_symbol symbol, enum host_reason reason);
void counts_device(enum parallel_symbol symbol, int64_t order, const uint64_t nanoseconds[STEP_COUNT]);

/* Notes who owned the device's part of the last call, and whether that was this process. */
void counts_owner(pid_t owner, int rank, bool is_here);

/* This process is in a grid: a report tells why its routines are not served, where they are not. */
void counts_grid_made(void);

#endif
