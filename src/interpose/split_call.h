/* split_call.h - a matrix-vector call on a matrix that no device can hold alone: on several, if that is the
 * better place. */
#ifndef MUBLAS_SPLIT_CALL_H
#define MUBLAS_SPLIT_CALL_H

#include "interpose/execute/split.h"
#include "interpose/program_call.h"
#include "interpose/purchase/device_use.h"

struct split_call {
    struct split_plan plan;
    struct device_use *uses[DEVICES_MAX];
    struct split_device devices[DEVICES_MAX];
};

/* Is it such a call, described, in a process that has more than one device to use? */
bool split_call_is_due(const struct program_call *call);

/* Plan it over the devices that are in use, and decide: fills the call's residency and decision. False: there
 * are too few yet, or they cannot hold the matrix either; where more are left they are woken in time. */
bool split_call_decide(struct split_call *split, struct program_call *call);

/* The host runs it, and residency would have been worth so much; or the devices have. */
void split_call_credit(const struct split_call *split, double saved_us);
void split_call_earn(const struct split_call *split, double saved_us);

#endif
