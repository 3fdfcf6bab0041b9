#include "gpu/device_choice.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Of ranks 0 to ranks - 1, dealt round robin, those that get device `ordinal`. */
static int ranks_on(int ordinal, int ranks, int devices)
{
    return ranks > ordinal ? (ranks - ordinal - 1) / devices + 1 : 1;
}

static void take_listed(struct device_choice *choice, const struct device_list *setting)
{
    for (int i = 0; i < setting->count; i++) {
        if (setting->ordinals[i] < choice->devices)
            choice->ordinals[choice->count++] = setting->ordinals[i];
        else if (choice->missing < 0)
            choice->missing = setting->ordinals[i];
    }
    if (choice->count > 0)
        return;
    choice->ordinals[choice->count++] = setting->ordinals[0];
    choice->missing = -1;
}

/* `count` of them, from that of the rank on. */
static void take_round_robin(struct device_choice *choice, int rank, int count)
{
    choice->count = count < DEVICES_MAX ? count : DEVICES_MAX;
    for (int i = 0; i < choice->count; i++)
        choice->ordinals[i] = (rank + i) % choice->devices;
}

/* If somebody has dealt these fairly: each rank uses `used` of `devices`. */
static int fair_sharers(int ranks, int used, int devices)
{
    const int sharers = (int)(((int64_t)ranks * used + devices - 1) / devices);
    return sharers > 1 ? sharers : 1;
}

static int sharers_of(const struct device_choice *choice, const struct device_list *setting,
                      const struct local_rank *rank, int bound_of)
{
    if (rank->rank < 0 || rank->ranks <= 0)
        return 1;
    if (bound_of > 0 && choice->devices == 1)
        return fair_sharers(rank->ranks, 1, bound_of);
    if (setting->count > 0)
        return fair_sharers(rank->ranks, choice->count, choice->devices);
    return setting->all && choice->count == choice->devices
               ? rank->ranks
               : ranks_on(choice->ordinal, rank->ranks, choice->devices);
}

static void explain_setting(struct device_choice *choice, const struct device_list *setting)
{
    const size_t room = sizeof choice->reason;
    if (setting->all) {
        snprintf(choice->reason, room, "MUBLAS_DEVICE=all, %d visible", choice->devices);
        return;
    }
    size_t at = (size_t)snprintf(choice->reason, room, "MUBLAS_DEVICE=");
    for (int i = 0; i < setting->count; i++)
        at += (size_t)snprintf(choice->reason + at, room - at, "%s%d", i > 0 ? "," : "", setting->ordinals[i]);
}

static void explain_auto(struct device_choice *choice, const struct local_rank *rank)
{
    const size_t room = sizeof choice->reason;
    if (rank->rank < 0)
        snprintf(choice->reason, room, "default, the first of %d visible", choice->devices);
    else if (rank->ranks > 0)
        snprintf(choice->reason, room, "%s=%d, %d visible, shared by %d of %d ranks", rank->variable, rank->rank,
                 choice->devices, choice->sharers, rank->ranks);
    else
        snprintf(choice->reason, room, "%s=%d, %d visible", rank->variable, rank->rank, choice->devices);
}

struct device_choice device_choice_make(const struct device_list *setting, const struct local_rank *rank,
                                        int devices, int bound_of)
{
    struct device_choice choice = {.devices = devices, .missing = -1};
    if (setting->count > 0)
        take_listed(&choice, setting);
    else
        take_round_robin(&choice, rank->rank >= 0 ? rank->rank : 0, setting->all ? devices : 1);
    choice.ordinal = choice.ordinals[0];
    choice.sharers = sharers_of(&choice, setting, rank, bound_of);
    if (setting->count > 0 || setting->all)
        explain_setting(&choice, setting);
    else
        explain_auto(&choice, rank);
    return choice;
}

void device_choice_add_candidates(struct device_choice *choice, const struct device_list *setting,
                                  bool is_launched)
{
    if (is_launched || setting->all || setting->count > 0 || choice->devices == 1)
        return;
    take_round_robin(choice, 0, choice->devices);
    choice->has_candidates = true;
}

const char *device_choice_reason(const struct device_choice *choice, int place)
{
    return choice->has_candidates && place > 0 ? "default, as calls gain by it" : choice->reason;
}

size_t device_choice_share(const struct device_choice *choice, unsigned percent, size_t available_bytes,
                           size_t total_bytes)
{
    size_t share = total_bytes / (size_t)choice->sharers;
    return (share < available_bytes ? share : available_bytes) / 100 * percent;
}
