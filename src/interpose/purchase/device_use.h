/* device_use.h - the devices that calls may use now and later, what runs on each, and the model of the
 * machine by which calls are judged (device_use.c, other_devices.c). Any thread may call these. */
#ifndef MUBLAS_DEVICE_USE_H
#define MUBLAS_DEVICE_USE_H

#include "interpose/policy.h"
#include "mirror/operands.h"
#include "tuner/online/crossover.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The model in force is the reference device's, with what a recipe says from the first call on that may be
 * worth a device, and once one is in use that device's own; with its times as long as those of a device that
 * other ranks share (gpu/device_sharing.h). */

/* Once, before all others. */
void model_in_force_begin(void);

/* One model, as long as this returns the same address. */
const struct machine_model *model_in_force(void);

/* The same, once what a recipe says of calls was learned. Cheap after the first time. */
const struct machine_model *model_in_force_learn(void);

/* The service that the model counts on refuses: go by the model of a device of this process from now on. */
void model_in_force_leave_service(void);

/* This device is in use from now on. Once. */
void model_in_force_learn_of(const struct device *device);

/* The first device is there once the program's calls have paid for it (purchase.h), others of those that
 * MUBLAS_DEVICE names follow. A device that was added stays for the life of the process. */
struct device_use {
    struct device *device;
    struct mirror_table *mirrors;
    const struct machine_model *own_model; /* NULL: it is as the first, whose model is in force */
    _Atomic int64_t pending_us;            /* predicted, of the calls that run on it */
    _Atomic uint64_t calls, routes;        /* of BLAS and of LAPACK that ran on it to their end */
    atomic_bool refuses_routes;            /* cuSOLVER does not work there */
    atomic_uint shortages;                 /* of memory for parts of calls (kinds.h), in a row */
    _Atomic uint64_t left_out_until;       /* of these, by their number */
};

/* Make its mirrors, or its copies of those that there are. Calls use it once it is added: one after the
 * other. */
enum status device_use_prepare(struct device *device, struct device_use **use);
void device_use_add(const struct device_use *use);

/* How many there are; the number of one, from 0 on, never changes. */
int device_use_count(void);
struct device_use *device_use_at(int number);

/* The first, whose mirrors are the table of all; NULL as long as there is none. */
struct device_use *device_use_first(void);

/* The one where this matrix is, or the first; NULL: there is none. */
struct device_use *device_use_holding(const struct operand *matrix);

/* Is there one that has not failed? */
bool device_use_any(void);

const struct machine_model *device_use_model(const struct device_use *use);

/* One line for the report, in static storage. */
const char *device_use_description(int number);

/* The learned times of a recipe come into the machine model of this process. */

/* Let `model` go by a recipe's crossover section (NULL: it has none) for a host BLAS at the
 * resolved path `host` ("": not known), with as many threads as the environment gives it. `times` keeps
 * what is read, and has to live as long as the model. False: nothing was learned; the model is as it
 * was, but for huge_pages. */
bool learned_model_use(struct machine_model *model, struct learned_times *times, const char *section,
                       const char *host);

/* The model of a device beside the first and unlike it: `built_in`, with what a recipe says that fits it, if
 * there is one, which also shapes its launches. NULL: out of memory. Lives as long as the process. Once. */
const struct machine_model *learned_model_of_other(const struct device *device,
                                                   const struct machine_model *built_in, const char *host);

/* The resolved path of the host BLAS that this process's calls have: of `bound`, or where that is NULL what
 * is found without loading anything that is not loaded yet; "" if that is not known. To find it takes the
 * loader's lock: not for constructors, nor for threads that one may wait for. */
void learned_model_host(const char *bound, char *path, size_t room);

/* The devices beside the first: the next one's waking, and the turns of calls on all.
 *
 * They are those that MUBLAS_DEVICE names, or by default candidates (gpu/device.h). One that is named is woken
 * beside the program with the first call that waits for those in use, or would gain by one more, and used as soon
 * as it is there. A candidate is woken once calls would have gained all that this takes; the call that has paid for
 * its use waits until it is there, if need be, and none uses it before (policy.h): which one is the first depends
 * on the calls, not on how long waking takes. When those in use have failed, it is woken and used as soon as may
 * be; in always mode at once. Any thread may call these. */

/* Devices follow in the order of device_choose, each by an attempt of its own that calls pay for. Once a
 * device is in use: */

/* Is there a next one that was not tried? False while no device is in use. */
bool next_device_may_come(void);

/* Its memory's bandwidth beside the first one's; 0: there is none, or it is not known. */
double next_device_bandwidth(void);

/* The bytes that mirrors may fill on all that may come. */
size_t next_devices_bytes(void);

/* None of those in use is usable any more: wake another in their place, if one is left. True: there is one
 * now. */
bool next_device_replace(void);

/* Why the one at `place` of those that were chosen is not in use: one line for the report, in static storage.
 * NULL: it is, or no device is. At the end of the process. */
const char *next_device_unused(int place);

/* A call that begins its turn goes to the device that will have done it first, or where its matrices are.
 * With one device a turn costs nothing. */

/* The offer that a call would find on a device, but for the wait. */
typedef struct device_offer device_offer_of(const void *call, const struct device_use *use);

struct device_turn {
    struct device_use *use;
    int64_t pending_us;
};

/* False: no device is usable. Otherwise device_turn_end must follow, with the counter of `use` for the call;
 * NULL: it did not run there. */
bool device_turn_begin(struct device_turn *turn, device_offer_of *offer_of, const void *call);
void device_turn_end(struct device_turn *turn, _Atomic uint64_t *calls);

/* A call would gain so much if one more device, as fast as the first, were in use. */
void other_devices_want(double gain_us);

/* Is more than one in use, or may one still come? */
bool other_devices_are_possible(void);

#endif
