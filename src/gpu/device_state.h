/* device_state.h - what device.h hides: for the files that implement it. */
#ifndef MUBLAS_DEVICE_STATE_H
#define MUBLAS_DEVICE_STATE_H

#include "gpu/device.h"
#include "gpu/device_candidate.h"

#include <stdatomic.h>

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
