/* shared_plan.h - how a level 3 call that streams from host memory is cut and shared over several devices.
 * Pure, but for the devices' properties and memory.
 *
 * The cut depends on the call, on the devices and their memory; the shares of unequal kinds of device on what
 * was known of them before the call: the profiles of mublas tune where each has one, else the fourth paper's
 * rule (device_shares.h). */
#ifndef MUBLAS_SHARED_PLAN_H
#define MUBLAS_SHARED_PLAN_H

#include "interpose/execute/tile_groups.h"
#include "interpose/execute/tile_plan.h"
#include "mirror/operands.h"
#include "tuner/online/crossover.h"

struct tile_device {
    struct device *device;
    struct mirror_table *mirrors;
    const struct machine_model *model;
};

struct shared_plan {
    struct tile_plan tiles;
    struct tile_device devices[DEVICES_MAX]; /* those of one kind stand together */
    int kinds[DEVICES_MAX];
    int64_t shares[DEVICES_MAX]; /* groups of tiles */
    int count;
    bool is_pinned; /* the operands, all by the program: they go by DMA */
    /* Predicted, for all of them, and for the first that was given alone, in the same tiles. */
    double seconds, alone_seconds;
};

/* False where the call cannot be cut for all of them, or one would do all. plan->is_pinned is set before. */
bool shared_plan_make(struct shared_plan *plan, const struct blas_call *call,
                      const struct tile_device *devices, int count);

/* The plan's device for tile_groups_begin; the sizes of groups are filled in. */
struct tile_groups_device shared_plan_device(const struct shared_plan *plan, int number,
                                             struct tile_groups *groups);

#endif
