/* waking.h - the device, woken once calls make that worth while (ledger.h). */
#ifndef MUBLAS_WAKING_H
#define MUBLAS_WAKING_H

#include "interpose/call/program_call.h"
#include "interpose/purchase/purchase.h"

/* The device is a purchase (purchase.h) that takes a third of a second. A call waits for it once calls would
 * have gained its price and a quarter more (policy_wake).
 *
 * Any thread may call these at once; the first that finds the price paid waits or wakes while the others
 * go on on the host, or wait too in always mode. A device that was woken stays for the life of the
 * process. */

/* Is there a device? Wakes the first when this call, considered, makes that worth while. False: host, for
 * *reason. Sets the early credit of a call of BLAS. Which device takes it is another matter (other_devices.h). */
bool waking_get_device(struct program_call *call, enum host_reason *reason);

/* Under an estimate there is a device from the call on that would have woken it, and none is touched. Would
 * calls have woken it by now? */
bool waking_is_foretold(void);

/* The first device's mirrors, for any thread at any time: NULL as long as there are none. */
struct mirror_table *waking_mirrors_in_use(void);

/* Leave all devices alone for good, if there are any; logged once. Any thread. */
void waking_give_up(const char *reason);
void waking_give_up_in_handler(void); /* the same, to be said later */
bool waking_is_given_up(void); /* a load; locks of what wakes may be held for good then */

/* The first device and its state in one line, for the report: what was used, or why
 * nothing was. Static storage; never wakes a device. */
const char *waking_description(void);

/* The same for a program: what became of the device. */
enum waking_end { WAKING_USED, WAKING_ASLEEP, WAKING_UNUSED, WAKING_NONE, WAKING_LOST };
enum waking_end waking_end(void);

/* For the report. */
struct purchase_times waking_times(void);

#endif
