/* waking.h - the device, woken once calls make that worth while, and the model of the machine
 * by which they are judged before and after.
 *
 * Waking takes a third of a second, for which calls need not wait: once they would have gained part
 * of its price (policy_wake), a thread of ours begins it (background.h) while they stay on the host.
 * Once calls would have gained more, and taken about that long meanwhile, the next waits for it if need
 * be, and goes by it: which call that is depends on the calls alone. Where there can be no such thread
 * that call wakes the device itself.
 *
 * Any thread may call these at once; the first that finds the price paid waits or wakes while the
 * others go on on the host, or wait too in always mode. What was woken stays for the life of the process. */
#ifndef MUBLAS_WAKING_H
#define MUBLAS_WAKING_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "interpose/stats.h"
#include "mirror/operands.h"
#include "tuner/online/crossover.h"

/* Once, before all others. */
void waking_begin(void);

/* What a recipe says of calls, from the first on that may be worth a device. Cheap after that. */
void waking_learn(void);

/* The reference device's model, after waking_learn with what it says; once a device is awake its own,
 * likewise. */
const struct machine_model *waking_model(void);

/* Has waking_learn made that model, with a recipe or without one, or what came after it? */
bool waking_has_learned(const struct machine_model *model);

/* Is that model of the device in use, on which operands may be? */
bool waking_is_of_device(const struct machine_model *model);

/* The device, waking it when this call makes that worth while. NULL: host, for *reason.
 * *credit_us, once for each matrix: what earlier calls on it would have saved; left alone otherwise. */
struct device *waking_find_device(const struct blas_call *call, enum host_reason *reason, double *credit_us);

/* The same for a route of LAPACK, which would save `gain_us` on it. */
struct device *waking_find_device_for_route(double gain_us, enum host_reason *reason);

/* The mirrors of the device that waking_find_device gave. */
struct mirror_table *waking_mirrors(void);

/* The same for any thread at any time: NULL as long as there are none. */
struct mirror_table *waking_mirrors_in_use(void);

/* Leave the device alone for good, if there is one; logged once. Any thread. */
void waking_give_up(const char *reason);
bool waking_is_given_up(void); /* a load; locks of what wakes may be held for good then */

/* Device and state of residency in one line, for the report: what was used, or why
 * nothing was. Static storage; never wakes a device. */
const char *waking_description(void);

/* For the report. 0: did not wake. Where it woke beside the program, what was paid is what a call
 * waited for that. */
struct waking_times {
    uint64_t nanoseconds, waited_nanoseconds;
    bool beside;
};
struct waking_times waking_times(void);

#endif
