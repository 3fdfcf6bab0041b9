/* process_state.h - conditions of this process or thread under which calls must
 * stay on the host (design section 4, invariants 1 and 8). */
#ifndef MUBLAS_PROCESS_STATE_H
#define MUBLAS_PROCESS_STATE_H

#include "common/blas_call.h"
#include "common/float_state.h"

#include <stdbool.h>

/* Remember this process: call once before the others, while single calls may
 * already run elsewhere (idempotent and thread-safe). */
void process_state_begin(void);

/* True in a child made by fork (noticed by a page that the kernel wipes there),
 * or when that page could not be had. */
bool process_state_is_forked(void);

/* True when the process runs under a checkpointer (DMTCP) that cannot save a device. */
bool process_state_is_checkpointed(void);

/* False when in this floating-point environment the call must stay on the host, since a device has no
 * other than the default one: it does not round to nearest, or lets an exception trap that the call could raise.
 * Flush-to-zero and denormals-are-zero change results by less than the smallest normal number, and are no
 * reason; but a scalar that counts as zero decides what is read at all, so that one is. Computes nothing. */
bool process_state_arithmetic_allows(const struct float_state *arithmetic, const struct blas_call *call);

#endif
