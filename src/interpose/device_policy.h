/* device_policy.h - which of several devices takes a call. Pure. */
#ifndef MUBLAS_DEVICE_POLICY_H
#define MUBLAS_DEVICE_POLICY_H

#include "interpose/policy.h"

/* What a call would find on one device. */
struct device_offer {
    bool is_usable;
    bool fits;               /* its memory holds what the call needs there at once */
    double wait_us;          /* predicted, of the calls there now */
    double work_us;          /* its own, with the way there */
    uint64_t resident_bytes; /* of its matrices, which bind it to where most of them are */
};

/* The number of the one that has done it first, of those that can hold it, and of these where most of it is;
 * of equal ones the first. Negative: none is usable. */
int device_policy_choose(const struct device_offer *offers, int count);

/* Is it time to wake another device, which takes `price_us`, for calls that would have gained `gained_us` by
 * it so far? That has to cover half of the price for it to be prepared, and all of it for it to be used: a
 * program whose calls rarely meet never pays that. One that nobody named (`is_candidate`) is prepared once all
 * of it is covered, and used from one and a half times the price on. */
enum purchase_time device_policy_wake_another(enum offload_mode mode, bool is_candidate, double price_us,
                                              double gained_us);

#endif
