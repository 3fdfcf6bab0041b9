/* door.h - may mublas touch a call of the program at all? The way in and out, of BLAS, LAPACK and parallel routes,
 * and what becomes of it where the program leaves a call by a jump. */
#ifndef MUBLAS_DOOR_H
#define MUBLAS_DOOR_H

#include "common/blas_call.h"
#include "common/program_state.h"
#include "interpose/policy.h"

/* Is this thread inside mublas, or in the host BLAS on its behalf? */
bool door_is_inside(void);

/* False: the call is the host's at once, for *reason. In between the thread counts as inside and cannot be
 * cancelled; its arithmetic is as the program has it until program_state_compute(&visit->state). */
struct door_visit {
    struct program_state state;
};
bool door_enter(struct door_visit *visit, enum host_reason *reason);
/* The same for work that another process's device does: this one's may have been given up. */
bool door_enter_without_device(struct door_visit *visit, enum host_reason *reason);
void door_leave(struct door_visit *visit);

/* Before a jump is made, by whoever makes it: if it leaves this thread's call, the thread gets back what is its
 * own, and counts as inside no more. Its frames are still there. A handler may call this. */
struct jump;
void door_leave_by_jump(const struct jump *jump);

/* MUBLAS_OFFLOAD, or OFFLOAD_NEVER where no other host BLAS was found than what stands in its place. */
enum offload_mode door_mode(void);

/* Conditions of this process and thread under which every call stays on the host; HOST_NO_REASON: none. `blas`
 * tells what it computes (process_state.h); NULL: a routine of LAPACK. Inside. */
enum host_reason door_obstacle(const struct blas_call *blas, const struct float_state *arithmetic);

/* Around the host's run of a call, which `frame` waits for: what it calls inside is nested. */
void door_host_begins(const void *frame);
void door_host_ends(void);

#endif
