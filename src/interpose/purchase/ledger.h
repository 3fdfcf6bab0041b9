/* ledger.h - the one ledger of what calls would have saved on a device that is not there or not ready: for the
 * device itself, for cuBLAS and its routines, for cuSOLVER, and for one device more; and whether that pays the
 * price of each (policy.h has the prices' rules).
 *
 * It depends on the calls and their operands' bytes alone, so that decisions repeat. All functions are
 * thread-safe but those of early accounts, which are the ledger's own and tests'. */
#ifndef MUBLAS_LEDGER_H
#define MUBLAS_LEDGER_H

#include "interpose/call/program_call.h"
#include "mirror/ledger/account.h"

/* The device. A call that is considered saves on it what is not lost again: is its price paid, with what
 * calls before have saved? *reason says so where nothing is saved because of the program's writes. */
bool ledger_pays_for_device(struct program_call *call, enum host_reason *reason);

/* Calls of level 3, calls of LAPACK have saved a part of it so far. */
bool ledger_has_level3_savings(void);

/* There is no cuBLAS, no cuSOLVER: such calls have saved nothing. */
void ledger_void_level3(void);
void ledger_void_routes(void);

/* The savings of calls before on the matrix that this one reads, once. It has paid for the device that takes
 * `wake_us`: of all that was paid a part counts as gained by its matrices at least. 0: others have, and as a rule
 * this is a load. */
double ledger_take_early_credit(const struct program_call *call, double wake_us);

/* cuBLAS, and the kernels of one of its routines, for a call of level 3 that is decided for the device. */
enum purchase_time ledger_pays_for_level3(const struct program_call *call);

/* Have calls saved so much that it will be wanted once the device is there? */
bool ledger_expects_level3(const struct machine_model *model);

/* For the estimate and the report. */
struct level3_accounts ledger_level3(void);

/* cuSOLVER: a route would gain so much, now or if a device were there; and is its price paid? */
void ledger_credit_solver(double gain_us);
enum purchase_time ledger_pays_for_solver(const struct machine_model *model);

/* One device more, which would have saved a call so much, and costs `price_us`. The purchase spends what was
 * saved. */
enum purchase_time ledger_pays_for_next_device(double gain_us, double price_us, bool is_candidate);
double ledger_next_device_us(void);

/* The accounts of mirror/ledger/account.h begin when a device is awake, by which time a program that uses one
 * matrix has paid for its upload, and one that rewrites its matrix between calls has gained nothing. So
 * the early accounts (early_account.c) keep the same for the few matrices that would have gained most, by
 * calls that read one, until their first calls that find a device. */
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

#endif
