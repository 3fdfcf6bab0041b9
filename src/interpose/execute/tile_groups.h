/* tile_groups.h - which of several devices does which tiles of a level 3 call.
 *
 * What holds of bits: the cut into tiles never depends on time, and so neither does a tile's sum. Which kind
 * of device does a tile does not either: each kind (devices of one model) has its range of groups, dealt
 * beforehand by profile or rule. Within a kind, whose devices give the same bits, groups are taken as devices
 * become free, and by the pace seen so far the last ones are left to who has them done first. Only what a
 * failed device leaves goes to any other. Thread-safe but for begin and end. */
#ifndef MUBLAS_TILE_GROUPS_H
#define MUBLAS_TILE_GROUPS_H

#include "common/device_list.h"
#include "gpu/device_pace.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What begin is told of each device. */
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

/* It is done; or it is left with its first `done` tiles done. */
void tile_groups_finish(struct tile_groups *groups, int device, int64_t group, double now);
void tile_groups_leave(struct tile_groups *groups, int device, int64_t group, int64_t done);

/* From now on any device may take any group that is left. True: some are. */
bool tile_groups_open(struct tile_groups *groups);

#endif
