/* device_use.h - the devices that calls may use now, what runs on each, and the model of the machine by which
 * calls are judged. Any thread may call these. */
#ifndef MUBLAS_DEVICE_USE_H
#define MUBLAS_DEVICE_USE_H

#include "mirror/operands.h"
#include "tuner/online/crossover.h"

#include <stdatomic.h>

/* The model in force is the reference device's, with what a recipe says from the first call on that may be
 * worth a device, and once one is in use that device's own; with its times as long as those of a device that
 * other ranks share (gpu/device_sharing.h). */

/* Once, before all others. */
void model_in_force_begin(void);

/* One model, as long as this returns the same address. */
const struct machine_model *model_in_force(void);

/* Learn what a recipe says of calls. Cheap after the first time. */
void model_in_force_learn(void);

/* The service that the model counts on refuses: go by the model of a device of this process from now on. */
void model_in_force_leave_service(void);

/* This device is in use from now on. Once. */
void model_in_force_learn_of(const struct device *device);

/* Is that model of the device in use, on which operands may be? Under an estimate any is. */
bool model_in_force_is_of_device(const struct machine_model *model);

/* The first device is there once the program's calls have paid for it (waking.h), others of those that
 * MUBLAS_DEVICE names follow (other_devices.h). A device that was added stays for the life of the process. */
struct device_use {
    struct device *device;
    struct mirror_table *mirrors;
    const struct machine_model *own_model; /* NULL: it is as the first, whose model is in force */
    _Atomic int64_t pending_us;            /* predicted, of the calls that run on it */
    _Atomic uint64_t calls, routes;        /* of BLAS and of LAPACK that ran on it to their end */
    atomic_bool refuses_routes;            /* cuSOLVER does not work there */
    atomic_uint shortages;                 /* of memory for parts of calls (split_call.h), in a row */
    _Atomic uint64_t left_out_until;       /* of these, by their number */
};

/* Make its mirrors, or its copies of those that there are. Calls use it once it is added: one after the
 * other. */
enum status device_use_prepare(struct device *device, struct device_use **use);
void device_use_add(const struct device_use *use);

/* How many there are; the number of one, from 0 on, never changes. */
int device_use_count(void);
struct device_use *device_use_at(int number);

/* Is there one that has not failed? */
bool device_use_any(void);

const struct machine_model *device_use_model(const struct device_use *use);

/* One line for the report, in static storage. */
const char *device_use_description(int number);

#endif
