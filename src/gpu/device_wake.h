/* device_wake.h - the fields of a device, which device.h hides, for the files that implement it.
 *
 * A candidate is a device beside the first that nobody named. mublas uses it only while nobody else does.
 * Whatever can be told without a context there is looked at first. Its memory is looked at in a context of
 * ours, so only once calls have paid for one. */
#ifndef MUBLAS_DEVICE_WAKE_H
#define MUBLAS_DEVICE_WAKE_H

#include "gpu/device.h"
#include "gpu/driver.h"

#include <stdatomic.h>

/* The reason to leave a candidate alone. */
enum candidate_refusal {
    CANDIDATE_FREE,
    CANDIDATE_EXCLUSIVE,  /* its compute mode keeps it for one process, or for none */
    CANDIDATE_OF_PROGRAM, /* the program has a context there */
    CANDIDATE_OCCUPIED    /* others have filled memory there */
};

struct device {
    int place; /* -1: device_of_context */
    const struct device_choice *choice;
    struct device_properties properties;
    CUdevice handle;
    CUcontext context;
    unsigned long long context_id;
    struct kernel_set kernels;
    atomic_bool is_shared;
    atomic_bool usable;
    _Atomic enum candidate_refusal refusal;
    bool is_programs; /* device_of_context */
};

#endif
