#include "interpose/execute/tile_groups.h"
#include "gpu/device_shares.h"

#include <math.h>
#include <stdlib.h>

bool tile_groups_begin(struct tile_groups *groups, const struct tile_groups_device *devices, int count)
{
    groups->next = calloc((size_t)groups->count, sizeof *groups->next);
    groups->taken = calloc((size_t)groups->count, sizeof *groups->taken);
    groups->devices = count;
    groups->is_open = false;
    for (int i = 0; i < count; i++) {
        groups->device[i] = devices[i];
        groups->since[i] = -1;
        groups->done[i] = 0;
    }
    pthread_mutex_init(&groups->lock, NULL);
    return groups->next && groups->taken;
}

void tile_groups_end(struct tile_groups *groups)
{
    pthread_mutex_destroy(&groups->lock);
    free(groups->next);
    free(groups->taken);
}

/* [begin, end) of the device's kind. */
static void range_of(const struct tile_groups *groups, int device, int64_t *begin, int64_t *end)
{
    int64_t at = 0;
    *begin = groups->is_open ? 0 : groups->count;
    *end = groups->is_open ? groups->count : 0;
    for (int i = 0; i < groups->devices && !groups->is_open; i++) {
        if (groups->device[i].kind == groups->device[device].kind) {
            *begin = at < *begin ? at : *begin;
            *end = at + groups->device[i].share;
        }
        at += groups->device[i].share;
    }
}

static double group_seconds(const struct tile_groups *groups, int device)
{
    return device_pace_seconds(&groups->device[device].pace, groups->bytes, groups->operations);
}

/* As `device`, of the same kind, sees another: who has finished nothing yet is taken for its like, and who is
 * at work for longer than that for so much slower. */
static double seconds_of_other(const struct tile_groups *groups, int device, int other, double now)
{
    const bool is_known = groups->device[other].pace.weight > 0;
    const double seconds = group_seconds(groups, is_known ? other : device);
    return groups->since[other] < 0 ? seconds : fmax(seconds, now - groups->since[other]);
}

/* Better than leaving it to another of the kind? */
static bool is_for(const struct tile_groups *groups, int device, double now, int64_t remaining)
{
    double seconds[DEVICES_MAX], busy[DEVICES_MAX];
    int count = 0, own = 0;
    for (int i = 0; i < groups->devices; i++) {
        if (groups->device[i].kind != groups->device[device].kind)
            continue;
        if (i == device)
            own = count;
        seconds[count] = seconds_of_other(groups, device, i, now);
        const double left = groups->since[i] < 0 ? 0 : groups->since[i] + seconds[count] - now;
        busy[count++] = left > 0 ? left : 0;
    }
    return device_shares_takes_next(seconds, busy, count, own, remaining);
}

int64_t tile_groups_take(struct tile_groups *groups, int device, double now, int64_t *tile)
{
    int64_t begin, end, first = -1, remaining = 0;
    pthread_mutex_lock(&groups->lock);
    range_of(groups, device, &begin, &end);
    for (int64_t group = end - 1; group >= begin; group--) {
        if (groups->taken[group])
            continue;
        first = group;
        remaining++;
    }
    if (first >= 0 && (groups->is_open || is_for(groups, device, now, remaining))) {
        groups->taken[first] = true;
        groups->since[device] = now;
        *tile = first * groups->tiles + groups->next[first];
    } else {
        first = -1;
    }
    pthread_mutex_unlock(&groups->lock);
    return first;
}

void tile_groups_finish(struct tile_groups *groups, int device, int64_t group, double now)
{
    pthread_mutex_lock(&groups->lock);
    if (groups->next[group] == 0)
        device_pace_note(&groups->device[device].pace, groups->bytes, groups->operations,
                         now - groups->since[device]);
    groups->next[group] = groups->tiles;
    groups->done[device]++;
    groups->since[device] = -1;
    pthread_mutex_unlock(&groups->lock);
}

void tile_groups_leave(struct tile_groups *groups, int device, int64_t group, int64_t done)
{
    pthread_mutex_lock(&groups->lock);
    groups->next[group] = done;
    groups->taken[group] = false;
    groups->since[device] = -1;
    pthread_mutex_unlock(&groups->lock);
}

bool tile_groups_open(struct tile_groups *groups)
{
    bool some = false;
    pthread_mutex_lock(&groups->lock);
    groups->is_open = true;
    for (int64_t group = 0; group < groups->count; group++)
        some = some || !groups->taken[group];
    pthread_mutex_unlock(&groups->lock);
    return some;
}
