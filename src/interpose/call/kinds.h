/* kinds.h - what kinds of calls do their own way on the one way of a call (program_call.h), in files of its
 * own: the routes of LAPACK and of parallel routines (route_kind.c), and calls that several devices do
 * together (split_call.c, shared_call.c). */
#ifndef MUBLAS_KINDS_H
#define MUBLAS_KINDS_H

#include "interpose/call/program_call.h"
#include "interpose/execute/split.h"
#include "interpose/execute/tile_runner.h"
#include "interpose/lapack/call.h"
#include "interpose/purchase/device_use.h"
#include "lapack/route.h"

/* Says how the route is to run, by the call's times and by what the device's recipe has learned. */
void route_set_terms(struct route *route, const struct program_call *call, const struct device_use *use);

/* Before it runs: the end of the process waits for it, and the report tells of it. progress_end follows. */
void route_begin(const struct program_call *call, const char *name);

/* A parallel routine's route. The owner's device does it for all ranks, and the host is never run from here.
 * Two of the call's parts are its own: call_reach_device says whether a device gains by it, which opens what calls
 * have paid for, and parallel_route_run runs it, decided. */
struct parallel_route {
    struct program_call call;    /* sizes, route_times (host_us: of all who would share the work there) and alone
                                    are set */
    const char *name;            /* of the routine; static storage */
    struct route *route;         /* described; its host memory is mublas' own */
};

void parallel_route_begin(struct parallel_route *of, const char *name);
enum host_reason parallel_route_decide(struct parallel_route *of);
enum host_reason parallel_route_run(struct parallel_route *of, struct route *route);

/* Has all devices in use share a call of LAPACK, if that is to be. False: one device does it as
 * well, or it is not to be had; nothing was done, and one may try. Otherwise *status is as route_execute's. `use`
 * is the device whose turn it is. */
bool shared_route_run(const struct device_use *use, const struct lapack_call *call,
                      const struct lapack_problem *problem, struct patience *patience,
                      struct transfer_count *moved, enum status *status);

/* Calls that several devices do together.
 *
 * A matrix-vector call is split where no device can hold its matrix alone, or where it is sooner done so:
 * each device holds a part of the matrix (split_call.c). A level 3 call is shared in tiles from host memory
 * (shared_call.c). */

/* A matrix-vector call that is split. */
struct split_call {
    struct split_plan plan;
    struct device_use *uses[DEVICES_MAX];
    struct split_device devices[DEVICES_MAX];
    double gain_us; /* by split_call_is_faster: over the one device */
};

/* Is it one to be split, described, in a process that has more than one device to use? */
bool split_call_is_due(const struct program_call *call);

/* Plan it over the devices that are in use, and decide: fills the call's residency and decision. False: there
 * are too few yet, or they cannot hold the matrix either; where more are left they are woken in time. While
 * the last ones' parts are not paid for yet, it is planned over those that had the matrix before. */
bool split_call_decide(struct split_call *split, struct program_call *call);

/* Is a decided call whose matrix is on one device sooner done on several? That has to pay for sending
 * the others their parts, by an account as the host's calls have one; false until then, or planned over those
 * that had it before. */
bool split_call_is_faster(struct split_call *split, struct program_call *call);

/* The host runs it, or one device in place of the host, and residency would have been worth so much; or the
 * devices have. The call is counted for all of them but the one whose turn it is, if any, where it is counted
 * anyway. */
void split_call_credit(const struct split_call *split, double saved_us);
void split_call_earn(const struct split_call *split, const struct device_use *whose_turn, double saved_us);

/* It failed for want of memory: the device where that was is left out of calls, the more of them the more
 * often in a row that comes. Else what it keeps would be evicted at each. */
void split_call_ran_out(const struct split_call *split);

/* For a level 3 call that is decided for the device: is it done sooner by all devices in use? If its
 * operands fit one device, that has to beat this device with all of them resident: else sharing would keep a
 * program that comes again with the same matrices from ever having them there. Predicted times decide, so
 * it is the same each time. */
bool shared_call_plan(struct shared_plan *plan, const struct program_call *call);

/* Run it; `use` is whose turn it is. STATUS_OUT_OF_MEMORY, among others: nothing was done. */
enum status shared_call_run(const struct shared_plan *plan, const struct device_use *use,
                            const struct program_call *call, const struct host_steps *host,
                            struct transfer_count *moved);

#endif
