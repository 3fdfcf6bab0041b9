#include "interpose/purchase/other_devices.h"
#include "common/settings.h"
#include "interpose/purchase/next_device.h"

#include <math.h>
#include <pthread.h>

/* From choosing a device to saying so. */
static pthread_mutex_t choosing = PTHREAD_MUTEX_INITIALIZER;

bool other_devices_are_possible(void)
{
    return device_use_count() > 1 || next_device_may_come();
}

void other_devices_want(double gain_us)
{
    if (!next_device_may_come())
        return;
    const double present = device_use_count(), pace = next_device_pace();
    next_device_gain(gain_us * pace * (present + 1) / (present + pace));
}

/* What it waits for those in use; one more would do it at once, if slower. */
static double gain_by_another(double wait_us, double work_us)
{
    const double pace = next_device_pace();
    return pace > 0 ? fmax(0, fmin(wait_us, work_us) - work_us * (1 / pace - 1)) : 0;
}

/* A call goes to its matrices, whoever is free. */
static bool is_bound(device_offer_of *offer_of, const void *call)
{
    for (int i = 0; i < device_use_count(); i++)
        if (offer_of(call, device_use_at(i)).resident_bytes > 0)
            return true;
    return false;
}

/* Before the choice: what is pending may change until that. */
static void consider_another(device_offer_of *offer_of, const void *call)
{
    double wait_us = INFINITY;
    if (!next_device_may_come())
        return;
    for (int i = 0; i < device_use_count(); i++)
        if (device_is_usable(device_use_at(i)->device))
            wait_us = fmin(wait_us, (double)device_use_at(i)->pending_us);
    if (!(wait_us > 0) || isinf(wait_us))
        return;
    if (settings()->offload != OFFLOAD_ALWAYS && is_bound(offer_of, call))
        return;
    next_device_gain(gain_by_another(wait_us, offer_of(call, device_use_at(0)).work_us));
}

/* Under `choosing`. */
static void choose(struct device_turn *turn, device_offer_of *offer_of, const void *call)
{
    struct device_offer offers[DEVICES_MAX];
    const int count = device_use_count();
    for (int i = 0; i < count; i++) {
        struct device_use *const use = device_use_at(i);
        offers[i] = offer_of(call, use);
        offers[i].is_usable = offers[i].is_usable && device_is_usable(use->device);
        offers[i].wait_us = (double)use->pending_us;
    }
    const int chosen = device_policy_choose(offers, count);
    if (chosen < 0)
        return;
    turn->use = device_use_at(chosen);
    turn->pending_us = (int64_t)fmin(fmax(offers[chosen].work_us, 1), 1e15);
    turn->use->pending_us += turn->pending_us;
}

bool device_turn_begin(struct device_turn *turn, device_offer_of *offer_of, const void *call)
{
    *turn = (struct device_turn){.use = NULL};
    if (!other_devices_are_possible()) {
        turn->use = device_use_at(0);
        return device_is_usable(turn->use->device);
    }
    consider_another(offer_of, call);
    pthread_mutex_lock(&choosing);
    choose(turn, offer_of, call);
    pthread_mutex_unlock(&choosing);
    return turn->use != NULL;
}

void device_turn_end(struct device_turn *turn, _Atomic uint64_t *counter)
{
    if (device_chosen(turn->use->device)->count == 1) /* nobody counts */
        return;
    turn->use->pending_us -= turn->pending_us;
    if (counter)
        atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}
