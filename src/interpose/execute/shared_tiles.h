/* shared_tiles.h - a level 3 call that streams from host memory, in tiles, on several devices at once: its
 * plan (shared_plan.c) and its run (shared_tiles.c).
 *
 * Each device has a thread, lanes and memory of its own: two links carry twice what one does. Nothing becomes
 * resident. */
#ifndef MUBLAS_SHARED_TILES_H
#define MUBLAS_SHARED_TILES_H

#include "common/clock.h"
#include "common/settings.h"
#include "gpu/device_shares.h"
#include "interpose/execute/tile_plan.h"
#include "interpose/execute/tile_runner.h"
#include "mirror/operands.h"
#include "tuner/online/crossover.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Which device does which tiles.
 *
 * The cut into tiles never depends on time, and so neither does a tile's sum. Which kind of device does a
 * tile does not either: each kind (devices of one model) has its range of groups, dealt beforehand by profile
 * or rule. Within a kind, whose devices give the same bits, groups are taken as devices become free, and by
 * the pace seen so far the last ones are left to who has them done first. Only what a failed device leaves
 * goes to any other. Thread-safe but for begin and end. */

/* The facts on each device that begin takes. */
struct tile_groups_device {
    int kind;      /* below DEVICES_MAX; the same for devices of one kind, which stand together */
    int64_t share; /* groups that it is expected to do; those of a kind sum to its range */
    struct device_pace pace;
};

struct tile_groups {
    pthread_mutex_t lock;
    int64_t count, tiles; /* groups, and tiles in each */
    int64_t *next;        /* of each group: how many of its tiles are done */
    bool *taken;
    double bytes, operations; /* of a group */
    int devices;
    struct tile_groups_device device[DEVICES_MAX];
    int64_t done[DEVICES_MAX]; /* groups that it has finished */
    double since[DEVICES_MAX]; /* when it took what it has; negative: it has nothing */
    bool is_open;              /* all groups for any device */
};

/* False: out of memory. */
bool tile_groups_begin(struct tile_groups *groups, const struct tile_groups_device *devices, int count);
void tile_groups_end(struct tile_groups *groups);

/* A group for the device, at `now` in seconds: its number; negative: none. *tile is the first that is not
 * done. */
int64_t tile_groups_take(struct tile_groups *groups, int device, double now, int64_t *tile);

/* The device has done the group; or it leaves it with its first `done` tiles done. */
void tile_groups_finish(struct tile_groups *groups, int device, int64_t group, double now);
void tile_groups_leave(struct tile_groups *groups, int device, int64_t group, int64_t done);

/* From now on any device may take any group that is left. True: some are. */
bool tile_groups_open(struct tile_groups *groups);

/* How the call is cut and shared. Pure, but for the devices' properties and memory.
 *
 * The cut depends on the call, on the devices and their memory; the shares of unequal kinds of device on what
 * was known of them before the call: the profiles of mublas tune where each has one, else the fourth paper's
 * rule (device_shares.h). */
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

/* Run the call, outside device_enter. A device that fails is left out, and others do its rest; the host does
 * what all have left once tiles have come back. STATUS_RESULT_LOST: as tiled_run. Any other status but
 * STATUS_OK: no operand was touched. */
enum status shared_tiles_run(const struct shared_plan *plan, const struct patience *patience,
                             const struct host_steps *host, struct transfer_count *moved);

/* The device's part of all calls that were shared, from 0 to 1, by operations. */
double shared_tiles_part(const struct device *device);

#endif
