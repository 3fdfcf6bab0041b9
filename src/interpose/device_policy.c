#include "interpose/device_policy.h"

/* Of the price, for it to be prepared. */
static const double BEGUN_PART = 0.5;

static bool is_better(const struct device_offer *one, const struct device_offer *other)
{
    if (one->fits != other->fits)
        return one->fits;
    if (one->resident_bytes != other->resident_bytes)
        return one->resident_bytes > other->resident_bytes;
    return one->wait_us + one->work_us < other->wait_us + other->work_us;
}

int device_policy_choose(const struct device_offer *offers, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (offers[i].is_usable && (best < 0 || is_better(&offers[i], &offers[best])))
            best = i;
    return best;
}

enum purchase_time device_policy_wake_another(enum offload_mode mode, bool is_candidate, double price_us,
                                              double gained_us)
{
    const double begun_us = (is_candidate ? 1 : BEGUN_PART) * price_us;
    if (mode != OFFLOAD_AUTO)
        return mode == OFFLOAD_ALWAYS ? PURCHASE_NOW : PURCHASE_NOT_YET;
    if (gained_us >= begun_us + (1 - BEGUN_PART) * price_us)
        return PURCHASE_NOW;
    return gained_us >= begun_us ? PURCHASE_SOON : PURCHASE_NOT_YET;
}
