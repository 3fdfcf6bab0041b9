/* split_call.h - calls that several devices do together.
 *
 * A matrix-vector call is split where no device can hold its matrix alone, or where it is sooner done so:
 * each device holds a part of the matrix (split_call.c). A level 3 call is shared in tiles from host memory
 * (shared_call.c). */
#ifndef MUBLAS_SPLIT_CALL_H
#define MUBLAS_SPLIT_CALL_H

#include "interpose/execute/shared_tiles.h"
#include "interpose/execute/split.h"
#include "interpose/call/program_call.h"
#include "interpose/purchase/device_use.h"

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
