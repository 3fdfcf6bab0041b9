/* process_state.h - conditions of this process or thread under which calls must stay on the host (invariants
 * 1 and 8 of doc/architecture.md), and frames of this thread that were left without a word: by a jump, by
 * another task's stack. */
#ifndef MUBLAS_PROCESS_STATE_H
#define MUBLAS_PROCESS_STATE_H

#include "common/blas_call.h"
#include "common/program_state.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Remember this process: call once before the others, while single calls may
 * already run elsewhere (idempotent and thread-safe). */
void process_state_begin(void);

/* True in a child made by fork (noticed by a page that the kernel wipes there),
 * or when that page could not be had. */
bool process_state_is_forked(void);

/* The same, or when the process runs under a checkpointer (DMTCP) that cannot save a device. */
bool process_state_forbids_device(void);

/* A filter of system calls (seccomp) kills who makes one that is not on its list, and nobody can ask whether
 * there is one without a system call. But a program that sets one up says so first, by the C library's prctl
 * (system_calls.c). A filter that was inherited lets a program start, and so lets us. Announcements, but for
 * those that the kernel refused; and those of others that share this memory: */
extern atomic_int process_state_filters, process_state_filters_of_sharers;

/* Is the memory this process's own? Not a vfork child's, nor that of one made by clone(CLONE_VM), which is not
 * the program that runs here: what it does to itself it does to nobody else. */
bool process_state_owns_memory(void);

/* This process announces a filter, or takes that back. */
void process_state_announce_filter(void);
void process_state_withdraw_filter(void);

/* Has this process, one of several that share the memory, announced one? A system call. */
bool process_state_sharer_is_filtered(void);

/* May mublas make no system calls any more? Any thread; two loads. */
static inline bool process_state_is_filtered(void)
{
    return atomic_load_explicit(&process_state_filters, memory_order_relaxed) > 0 ||
           (atomic_load_explicit(&process_state_filters_of_sharers, memory_order_relaxed) > 0 &&
            process_state_sharer_is_filtered());
}

/* False when in this floating-point environment the call must stay on the host, since a device has no
 * other than the default one: it does not round to nearest, or lets an exception trap that the call could
 * raise. Flush-to-zero and denormals-are-zero change results by less than the smallest normal number, and
 * are no reason; but a scalar that counts as zero decides what is read at all, so that one is. Computes
 * nothing. NULL: a routine of LAPACK, as products. */
bool process_state_arithmetic_allows(const struct float_state *arithmetic, const struct blas_call *call);

/* A look at a frame is for what is found at the next call; a jump of the C library's is noticed at once
 * (system_calls.c). Addresses alone are compared: the stack that the frame was on may be gone.
 *
 * FRAME_INSIDE: `here` is deeper, or in a handler with a stack of its own. FRAME_ELSEWHERE: on a stack of
 * which nobody can say whether it will be gone on with. */
enum frame_state { FRAME_INSIDE, FRAME_LEFT, FRAME_ELSEWHERE };

/* Compares two numbers, as a rule; a stack that is new to it is asked for, 1 us. */
enum frame_state left_frames_look(const void *frame, const void *here);

#endif
