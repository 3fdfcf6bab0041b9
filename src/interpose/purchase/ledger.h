/* ledger.h - the one ledger of what calls would have saved on a device that is not there or not ready: for the
 * device itself, for cuBLAS and its routines, for cuSOLVER, and for one device more; and whether that pays the
 * price of each.
 *
 * It depends on the calls and their operands' bytes alone, so that decisions repeat. The prices' rules and
 * the early accounts are pure functions of accounts, the ledger's own and tests'; the others are
 * thread-safe. */
#ifndef MUBLAS_LEDGER_H
#define MUBLAS_LEDGER_H

#include "interpose/call/program_call.h"
#include "mirror/ledger/account.h"

/* Is it time to get what takes long (purchase/purchase.h)? */
enum purchase_time {
    PURCHASE_NOT_YET,
    PURCHASE_SOON, /* part of the price is there: prepare it beside the program */
    PURCHASE_NOW
};

/* Accounts of what calls on the host would have saved on a device, and those of level 3 and routes of that:
 * as foretold. */
struct wake_account {
    double saved_us, level3_us, routes_us;
};

/* Is it time to wake the device, for which the call waits? That takes model->wake_us, and half as much
 * again at the process' end and for what first calls load. The time comes once a quarter more than the
 * price would have been saved, or by a call that saves the price alone, since others like it are likely: a
 * program that ends before has lost nothing. The device is not woken beside the program's calls: where
 * these keep all processors busy one more thread holds them up for as long as it takes. If other ranks
 * share the device, it is time once the price would have been saved. `sure_gain_us` is what the call would
 * save for sure (policy_sure_gain_us), without what would be lost again (early_accounts_lost_us). */
bool wake_is_paid(enum offload_mode mode, const struct machine_model *model, const struct blas_call *call,
                  double sure_gain_us, struct wake_account *account);

/* There is no cuBLAS: its calls have saved nothing. */
void wake_void_level3(struct wake_account *account);

/* As wake_is_paid, for a route that would save `gain_us`. */
bool wake_is_paid_by_route(enum offload_mode mode, const struct machine_model *model, double gain_us,
                           struct wake_account *account);

/* Is it time to open cuSOLVER, for which routes would have gained so much? */
enum purchase_time solver_is_paid(enum offload_mode mode, const struct machine_model *model,
                                  double gained_us);

/* The gains of level 3 calls that the device would have done, all and by routine, and what they paid for. */
struct level3_accounts {
    double all_us, routine_us[FAMILY_COUNT][TYPE_COUNT];
    bool is_open, used[FAMILY_COUNT][TYPE_COUNT];
};

/* Is it time for the first call of a level 3 routine, which the device would do now? A routine's first
 * use costs model->level3_first_us, which its own gains must cover, and the very first
 * model->level3_wake_us besides, for which the gains of all count. Likely gains of further calls
 * count as gained. */
enum purchase_time level3_is_paid(enum offload_mode mode, const struct machine_model *model,
                                  const struct blas_call *call, const struct policy_decision *decision,
                                  struct level3_accounts *accounts);

/* A call of level 3 gains, or would have gained before the device was in use, so much. */
void level3_credit(const struct blas_call *call, double gain_us, struct level3_accounts *accounts);

/* When a device is woken: have such calls gained a part of cuBLAS' price? */
bool level3_is_expected(const struct machine_model *model, const struct level3_accounts *accounts);

/* Is it time to wake another device, which takes `price_us`, for calls that would have gained `gained_us` by
 * it so far? One that the user named is prepared with the first such call. If nobody named it
 * (`is_candidate`), all of the price has to be covered for it to be prepared, and one and a half times the
 * price for it to be used: a program whose calls rarely meet never pays that. */
enum purchase_time next_device_is_paid(enum offload_mode mode, bool is_candidate, double price_us,
                                       double gained_us);

/* The ledger itself, first for the device. A call that is considered saves on it what is not lost again: is
 * its price paid, with what calls before have saved? *reason says so where nothing is saved because of the
 * program's writes. */
bool ledger_pays_for_device(struct program_call *call, enum host_reason *reason);

/* Calls of level 3, calls of LAPACK have saved a part of it so far. */
bool ledger_has_level3_savings(void);

/* There is no cuBLAS, no cuSOLVER: such calls have saved nothing. */
void ledger_void_level3(void);
void ledger_void_routes(void);

/* The savings of calls before on the matrix that this one reads, once. It has paid for the device that takes
 * `wake_us`: of all that was paid a part counts as gained by its matrices at least. 0: others have, and as a
 * rule this is a load. */
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
 * the early accounts keep the same for the few matrices that would have gained most, by
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
