/* early_account.h - what the matrices that calls use would have gained, before a device is there.
 *
 * The accounts of mirror/ledger/account.h begin when a device is awake, by which time a program that uses one
 * matrix has paid for its upload, and one that rewrites its matrix between calls has gained nothing. So
 * of the few matrices that would have gained most, by calls that read one, the same is kept here, until
 * their first calls that find a device. Depends on the calls and their operands' bytes alone. Callers
 * hold a lock. */
#ifndef MUBLAS_EARLY_ACCOUNT_H
#define MUBLAS_EARLY_ACCOUNT_H

#include "interpose/program_call.h"
#include "mirror/ledger/rewrite_samples.h"
#include "mirror/ranges.h"

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

/* Of calls that are described. To be asked once for each: what it would take to send again what the
 * program has rewritten of the matrices that it reads since they were used last. Of one that a call has
 * written nothing is known: the device would have written it. Where it would have taken longer to than the
 * host, that much is lost, or what it takes to send the matrix again, whichever is less. 0 for calls with
 * less than EARLY_BYTES_MIN of matrices, which are soon sent. */
double early_accounts_lost_us(struct early_accounts *accounts, const struct program_call *call);

/* That call would have saved so much, what was lost left out. */
void early_accounts_add(struct early_accounts *accounts, const struct program_call *call, double saved_us);

/* What calls would have saved on the matrix that this one reads, once; 0 for calls of level 3. */
double early_accounts_take_us(struct early_accounts *accounts, const struct program_call *call);

/* Is there anything left to take? */
bool early_accounts_are_left(const struct early_accounts *accounts);

#endif
