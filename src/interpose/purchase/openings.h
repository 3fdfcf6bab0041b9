/* openings.h - what calls open once they make that worth while (ledger.h): the device (waking.c), and cuBLAS and
 * cuSOLVER (openings.c). All are purchases (purchase.h). Any thread may call these at once. */
#ifndef MUBLAS_OPENINGS_H
#define MUBLAS_OPENINGS_H

#include "gpu/vendor/solver_library.h"
#include "interpose/call/program_call.h"
#include "interpose/policy.h"
#include "interpose/purchase/purchase.h"

/* The device takes a third of a second. A call waits for it once calls would have gained its price and a quarter
 * more (policy_wake). The first that finds the price paid waits or wakes while the others go on on the host, or
 * wait too in always mode. A device that was woken stays for the life of the process. */

/* Is there a device? Wakes the first when this call, considered, makes that worth while. False: host, for
 * *reason. Sets the early credit of a call of BLAS. Which device takes it is another matter (other_devices.c). */
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

/* Opening cuBLAS takes as long as thousands of small calls, and so does each routine's first use, in which cuBLAS
 * loads its kernels. Can it be had at all? */
enum level3_outlook {
    LEVEL3_UNKNOWN, /* another thread holds what is needed to look */
    LEVEL3_MAY_COME, /* there is a file, or it is open */
    LEVEL3_MISSING  /* no call of level 3 ever goes to the device, and none is a reason to wake one */
};

/* Under an estimate both libraries may come, and level3_opening_pays opens nothing.
 *
 * Look for cuBLAS without opening it, beside the program, once: some microseconds, for which the caller
 * waits. */
enum level3_outlook level3_opening_look(void);

/* False for a level 3 call, which the device would do now, that is not worth opening cuBLAS or
 * loading the routine for, so far. */
bool level3_opening_pays(struct device *device, const struct program_call *call);

/* Can the device do it? Opens cuBLAS for level 3, or waits until it is open, as one call does for all.
 * False: for *reason. */
bool level3_opening_supports(struct device *device, const struct blas_call *call, enum host_reason *reason);

/* For the report. */
struct purchase_times level3_opening_times(void);

/* Is there a file of cuSOLVER? Looked for once, beside the program, for which the caller waits some
 * microseconds; true as long as that is not known. */
bool solver_opening_may_come(void);

/* Around what takes long to make a device ready, in auto mode: load the files of the libraries that calls
 * have paid a part of, which needs no device, beside that. From the end on what opens them finds them
 * loaded in the same order, whatever the clock. */
void openings_begin_loading(void);
void openings_end_loading(void);

/* The library, opened if what calls have gained covers it, in always mode at once; one call waits for all.
 * NULL: for *reason. */
const struct solver_library *solver_opening_find(struct device *device, enum host_reason *reason);

/* For the report. */
struct purchase_times solver_opening_times(void);

#endif
