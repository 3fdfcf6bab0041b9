/* other_devices.h - the devices beside the first: the next one's waking, and the turns of calls on all.
 *
 * They are those that MUBLAS_DEVICE names, or by default candidates (gpu/device.h). One that is named is woken
 * beside the program with the first call that waits for those in use, or would gain by one more, and used as soon
 * as it is there. A candidate is woken once calls would have gained all that this takes; the call that has paid for
 * its use waits until it is there, if need be, and none uses it before (policy.h): which one is the first depends
 * on the calls, not on how long waking takes. When those in use have failed, it is woken and used as soon as may
 * be; in always mode at once. Any thread may call these. */
#ifndef MUBLAS_OTHER_DEVICES_H
#define MUBLAS_OTHER_DEVICES_H

#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"

#include <stdbool.h>
#include <stddef.h>

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
