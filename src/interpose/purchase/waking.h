/* waking.h - the device, woken once calls make that worth while, and what the matrices that calls use would
 * have gained before it is there. */
#ifndef MUBLAS_WAKING_H
#define MUBLAS_WAKING_H

#include "interpose/program_call.h"
#include "interpose/purchase/purchase.h"
#include "mirror/ledger/account.h"
#include "mirror/operand.h"

/* The accounts of mirror/ledger/account.h begin when a device is awake, by which time a program that uses one
 * matrix has paid for its upload, and one that rewrites its matrix between calls has gained nothing. So
 * the early accounts (early_account.c) keep the same for the few matrices that would have gained most, by
 * calls that read one, until their first calls that find a device. They depend on the calls and their
 * operands' bytes alone. Callers hold a lock. */
enum { EARLY_ACCOUNTS_MAX = 8 };

/* All zero at first. */
struct early_accounts {
    struct early_account {
        struct byte_range hull; /* empty: unused */
        struct rewrite_samples samples;
        double saved_us; /* by calls on it so far, less what was lost */
        double owed_us;  /* by calls that wrote it since it was read, see early_accounts_lost_us */
        uint64_t used;   /* of the counter */
    } of[EARLY_ACCOUNTS_MAX];
    uint64_t uses;
};

/* To be asked once for each call, which is described: the time that it would take to send again the parts
 * that the program has rewritten of the matrices that the call reads, since they were used last. The device
 * would have written a matrix that a call has written: nothing is known of it. If it would have taken
 * longer to than the host, that much is lost, or the time to send the matrix again, whichever is less. 0
 * for calls with less than EARLY_BYTES_MIN of matrices, which are soon sent. */
double early_accounts_lost_us(struct early_accounts *accounts, const struct program_call *call);

/* That call would have saved so much, what was lost left out. */
void early_accounts_add(struct early_accounts *accounts, const struct program_call *call, double saved_us);

/* Savings of earlier calls on the matrix that this one reads, once; 0 for calls of level 3. */
double early_accounts_take_us(struct early_accounts *accounts, const struct program_call *call);

/* Is there anything left to take? */
bool early_accounts_are_left(const struct early_accounts *accounts);

/* The device is a purchase (purchase.h) that takes a third of a second. A call waits for it once calls would
 * have gained its price and a quarter more (policy_wake).
 *
 * Any thread may call these at once; the first that finds the price paid waits or wakes while the others
 * go on on the host, or wait too in always mode. A device that was woken stays for the life of the
 * process. */

/* Is there a device? Wakes the first when this call makes that worth while. False: host, for *reason. Sets
 * the call's early credit. Which device takes it is another matter (other_devices.h). */
bool waking_get_device(struct program_call *call, enum host_reason *reason);

/* The same for a route of LAPACK, which would save `gain_us` on it. */
bool waking_get_device_for_route(double gain_us, enum host_reason *reason);

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
