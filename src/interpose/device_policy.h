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

/* Is it time to wake another device, for calls that would have waited `waited_us` so far for those in use?
 * What that would have saved has to cover half of the price for it to be prepared, and all of it for it to be
 * used: a program whose calls rarely meet never pays that. */
enum purchase_time device_policy_wake_another(enum offload_mode mode, const struct machine_model *model,
                                              double waited_us);

#endif
