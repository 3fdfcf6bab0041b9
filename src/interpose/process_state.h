/* process_state.h - conditions of this process or thread under which calls must
 * stay on the host (design section 4, invariants 1 and 8). */
#ifndef MUBLAS_PROCESS_STATE_H
#define MUBLAS_PROCESS_STATE_H

#include <stdbool.h>

/* Remember this process: call once before the others, while single calls may
 * already run elsewhere (idempotent and thread-safe). */
void process_state_begin(void);

/* True in a child made by fork (noticed by a page that the kernel wipes there),
 * or when that page could not be had. */
bool process_state_is_forked(void);

/* True when the process runs under a checkpointer (DMTCP) that cannot save a device. */
bool process_state_is_checkpointed(void);

/* True when this thread's floating-point environment is the default one: all
 * traps masked, round to nearest, no flush to zero. The device has no other. */
bool process_state_default_arithmetic(void);

#endif
