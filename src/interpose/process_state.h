/* process_state.h - conditions of this process or thread under which calls must
 * stay on the host (invariants 1 and 8 of doc/architecture.md). */
#ifndef MUBLAS_PROCESS_STATE_H
#define MUBLAS_PROCESS_STATE_H

#include "common/blas_call.h"
#include "common/float_state.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Remember this process: call once before the others, while single calls may
 * already run elsewhere (idempotent and thread-safe). */
void process_state_begin(void);

/* True in a child made by fork (noticed by a page that the kernel wipes there),
 * or when that page could not be had. */
bool process_state_is_forked(void);

/* True when the process runs under a checkpointer (DMTCP) that cannot save a device. */
bool process_state_is_checkpointed(void);

/* A filter of system calls (seccomp) kills who makes one that is not on its list, and nobody can ask whether
 * there is one without a system call. But a program that sets one up says so first, by the C library's prctl
 * (system_calls.c). A filter that was inherited lets a program start, and so lets us. Announcements, but for
 * those that the kernel refused: */
extern atomic_int process_state_filters;

/* May mublas make no system calls any more? Any thread; a load. */
static inline bool process_state_is_filtered(void)
{
    return atomic_load_explicit(&process_state_filters, memory_order_relaxed) > 0;
}

/* False when in this floating-point environment the call must stay on the host, since a device has no
 * other than the default one: it does not round to nearest, or lets an exception trap that the call could
 * raise. Flush-to-zero and denormals-are-zero change results by less than the smallest normal number, and
 * are no reason; but a scalar that counts as zero decides what is read at all, so that one is. Computes
 * nothing. */
bool process_state_arithmetic_allows(const struct float_state *arithmetic, const struct blas_call *call);

#endif
