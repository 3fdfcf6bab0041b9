/* split.h - run a matrix-vector call on several devices that hold some columns of A each. */
#ifndef MUBLAS_SPLIT_H
#define MUBLAS_SPLIT_H

#include "interpose/execute/split_plan.h"
#include "mirror/operands.h"

/* What a device holds of A, as the mirrors know it: the parts of split_plan.h. */
struct split_device {
    struct device *device;
    struct mirror_table *mirrors;
    struct operand operands[SPLIT_PARTS];
    int operand_count; /* 0: it has no part in the call */
    bool ran_out;      /* it had no memory for its part */
};

/* The operands of each of plan->devices devices. */
void split_devices_describe(const struct split_plan *plan, struct split_device *devices, unsigned kind);

/* Run it on all of them at once. STATUS_OK: the result is in the program's memory. Otherwise nothing was
 * changed. STATUS_OUT_OF_MEMORY: on a device that has `ran_out`, although what it kept was evicted. */
enum status split_run(const struct split_plan *plan, struct split_device *devices, struct patience *patience,
                      struct transfer_count *moved);

#endif
