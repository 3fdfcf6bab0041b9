/* offload.h - the door of every call that may go to the device (device_call.h decides).
 *
 * Entry points (blas_entries.inc) check arguments first; what comes here is a legal
 * call with something to do. */
#ifndef MUBLAS_OFFLOAD_H
#define MUBLAS_OFFLOAD_H

#include "common/log.h"
#include "interpose/program_call.h"

/* True: the call ran on the device and its results are in host memory. False:
 * operands are untouched; the entry must run the host BLAS between
 * offload_host_begin and offload_host_end, which count it, keep the
 * host BLAS's own BLAS calls from being offloaded again, and time it. */
bool offload_run(struct program_call *call);
void offload_host_begin(struct program_call *call);
void offload_host_end(struct program_call *call);

/* Is this thread inside mublas, or in the host BLAS on its behalf? */
bool offload_is_inside(void);

/* For entries that find invalid arguments, a quick return or forbidden overlap:
 * counts the call, which has the return address `caller`; the entry then jumps to the
 * host. */
void offload_count_rejected(enum symbol symbol, const void *caller);

/* The way in and out of mublas for a program's call, here and for LAPACK (lapack/entry.c). False: the call
 * is the host's at once, for *reason. In between the thread counts as inside and cannot be cancelled; its
 * arithmetic is as the program has it until program_state_compute(&visit->state). */
struct offload_visit {
    struct program_state state;
};
bool offload_enter(struct offload_visit *visit, enum host_reason *reason);
/* The same for work that another process's device does: this one's may have been given up. */
bool offload_enter_without_device(struct offload_visit *visit, enum host_reason *reason);
void offload_leave(struct offload_visit *visit);

/* Before a jump is made, by whoever makes it: if it leaves this thread's call, the thread gets back what is its
 * own, and counts as inside no more. Its frames are still there. A handler may call this. */
struct jump;
void offload_leave_by_jump(const struct jump *jump);

/* Conditions of this process and thread under which every call stays on the host; HOST_NO_REASON: none.
 * `call` tells what it computes (process_state.h). Inside. */
enum host_reason offload_obstacle(const struct blas_call *call, const struct float_state *arithmetic);

#endif
