#include "common/blas_call.h"
#include "gpu/device_shares.h"
#include "interpose/execute/tile_runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static double seconds_of_group(const struct tile_groups *groups, int device)
{
    return device_pace_seconds(&groups->device[device].pace, groups->bytes, groups->operations);
}

/* As `device`, of the same kind, sees another: who has finished nothing yet is taken for its like, and who is
 * at work for longer than that for so much slower. */
static double seconds_of_other(const struct tile_groups *groups, int device, int other, double now)
{
    const bool is_known = groups->device[other].pace.weight > 0;
    const double seconds = seconds_of_group(groups, is_known ? other : device);
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

/* Groups for each device: enough for shares of unequal ones to be told apart, and few, since smaller tiles
 * send more. */
enum { GROUPS_OF_EQUAL = 2, GROUPS_OF_UNEQUAL = 6 };

/* A thread, lanes and buffers for another device. */
static const double START_SECONDS = 100e-6;

static bool are_alike(const struct device_properties *one, const struct device_properties *other)
{
    return strcmp(one->name, other->name) == 0 && one->multiprocessors == other->multiprocessors &&
           one->compute_major == other->compute_major && one->compute_minor == other->compute_minor;
}

/* Number the kinds as they come, and put those of one kind together. */
static int sort_by_kind(struct shared_plan *plan, const struct tile_device *devices, int count)
{
    int kinds[DEVICES_MAX], kind_count = 0;
    for (int i = 0; i < count; i++) {
        int same = 0;
        while (same < i &&
               !are_alike(device_properties(devices[same].device), device_properties(devices[i].device)))
            same++;
        kinds[i] = same < i ? kinds[same] : kind_count++;
    }
    plan->count = 0;
    for (int kind = 0; kind < kind_count; kind++)
        for (int i = 0; i < count; i++)
            if (kinds[i] == kind) {
                plan->kinds[plan->count] = kind;
                plan->devices[plan->count++] = devices[i];
            }
    return kind_count;
}

static uint64_t least_budget(const struct tile_device *devices, int count)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < count; i++) {
        const uint64_t budget = operands_budget(devices[i].mirrors);
        least = budget < least ? budget : least;
    }
    return least;
}

/* The part of its bandwidth that a link has when all are in use, by the first recipe that knows it. */
static double links_part(const struct shared_plan *plan)
{
    double part = 1;
    for (int i = 0; i < plan->count && part == 1; i++)
        part = learned_links_part(plan->devices[i].model->learned);
    return part;
}

static double link_of(const struct shared_plan *plan, const struct machine_model *model, bool is_alone)
{
    const double link = plan->is_pinned ? model->link_bandwidth : model->staged_bandwidth;
    return is_alone ? link : link * links_part(plan);
}

/* The way home does not overlap with the rest. */
static double group_seconds(const struct shared_plan *plan, const struct machine_model *model, int64_t groups,
                            bool is_alone)
{
    const struct call_work work = call_work_of(&plan->tiles.call);
    const enum blas_type type = plan->tiles.call.type;
    int64_t tiles;
    tile_plan_groups(&plan->tiles, &tiles);
    const double up = tile_plan_bytes_up(&plan->tiles) / (double)groups / link_of(plan, model, is_alone);
    const double products = work.operations / (double)groups / model->device_flops[type];
    const double down = work.result_bytes / (double)groups /
                        (plan->is_pinned ? model->link_bandwidth : RESULT_STAGED_BANDWIDTH / model->sharing);
    return fmax(up, products) + down + (double)tiles * model->call_us * 1e-6;
}

static bool all_are_learned(const struct shared_plan *plan)
{
    for (int i = 0; i < plan->count; i++)
        if (!plan->devices[i].model->learned)
            return false;
    return true;
}

/* Devices of one kind count as equal, whatever is known. */
static void share(struct shared_plan *plan, const double *seconds, const double *starts, int kinds,
                  int64_t groups)
{
    double powers[DEVICES_MAX], fractions[DEVICES_MAX];
    if (kinds == 1 || all_are_learned(plan)) {
        device_shares_by_seconds(seconds, starts, plan->count, groups, plan->shares);
        return;
    }
    for (int i = 0; i < plan->count; i++)
        powers[i] = device_shares_power(device_properties(plan->devices[i].device));
    device_shares_by_rule(powers, plan->count, COMPUTATION_LARGE, fractions);
    device_shares_by_fractions(fractions, plan->count, groups, plan->shares);
}

static void predict(struct shared_plan *plan, int kinds, const struct machine_model *first)
{
    double seconds[DEVICES_MAX], starts[DEVICES_MAX];
    int64_t tiles;
    const int64_t groups = tile_plan_groups(&plan->tiles, &tiles);
    for (int i = 0; i < plan->count; i++) {
        seconds[i] = group_seconds(plan, plan->devices[i].model, groups, false);
        starts[i] = i == 0 ? 0 : START_SECONDS;
    }
    share(plan, seconds, starts, kinds, groups);
    plan->alone_seconds = (double)groups * group_seconds(plan, first, groups, true);
    plan->seconds = 0;
    for (int i = 0; i < plan->count; i++)
        if (plan->shares[i] > 0)
            plan->seconds = fmax(plan->seconds, starts[i] + (double)plan->shares[i] * seconds[i]);
}

bool shared_plan_make(struct shared_plan *plan, const struct blas_call *call,
                      const struct tile_device *devices, int count)
{
    const int kinds = sort_by_kind(plan, devices, count);
    const int64_t wanted = (kinds == 1 ? GROUPS_OF_EQUAL : GROUPS_OF_UNEQUAL) * (int64_t)count;
    int working = 0;
    if (count < 2 || !tile_plan_make_groups(&plan->tiles, call, least_budget(devices, count), wanted))
        return false;
    predict(plan, kinds, devices[0].model);
    for (int i = 0; i < plan->count; i++)
        if (plan->shares[i] > 0) {
            plan->kinds[working] = plan->kinds[i];
            plan->shares[working] = plan->shares[i];
            plan->devices[working++] = plan->devices[i];
        }
    plan->count = working;
    return working > 1;
}

struct tile_groups_device shared_plan_device(const struct shared_plan *plan, int number,
                                             struct tile_groups *groups)
{
    const struct blas_call *const call = &plan->tiles.call;
    const struct call_work work = call_work_of(call);
    const struct machine_model *const model = plan->devices[number].model;
    groups->count = tile_plan_groups(&plan->tiles, &groups->tiles);
    groups->bytes = (tile_plan_bytes_up(&plan->tiles) + work.result_bytes) / (double)groups->count;
    groups->operations = work.operations / (double)groups->count;
    return (struct tile_groups_device){
        .kind = plan->kinds[number],
        .share = plan->shares[number],
        .pace = device_pace_guess(link_of(plan, model, plan->count == 1),
                                  model->device_flops[call->type])};
}
