/* early_account.h - what the matrix that calls use would have gained, before a device is there.
 *
 * The accounts of mirror/account.h begin when a device is awake, by which time a program that uses one
 * matrix has paid for its upload, and one that rewrites its matrix between calls has gained nothing. So
 * of the matrix that was used last, by calls that read one, the same is kept here. Depends on the calls
 * and their operands' bytes alone. Callers hold a lock. */
#ifndef MUBLAS_EARLY_ACCOUNT_H
#define MUBLAS_EARLY_ACCOUNT_H

#include "common/blas_call.h"
#include "mirror/footprint.h"
#include "mirror/samples.h"
#include "tuner/crossover.h"

/* All zero at first. */
struct early_account {
    struct byte_range hull;
    struct samples samples;
    double saved_us; /* by calls on it so far, less what was lost */
};

/* To be asked once for each call: what it would take to send again what the program has rewritten since the
 * last one. 0 for calls of level 3, after which nothing is known: the device would have written it. */
double early_account_lost_us(struct early_account *account, const struct machine_model *model,
                             const struct blas_call *call);

/* That call would have saved so much, what was lost left out. */
void early_account_add(struct early_account *account, const struct blas_call *call, double saved_us);

/* What calls up to this one would have saved on its matrix; 0 for calls of level 3. */
double early_account_saved_us(const struct early_account *account, const struct blas_call *call);

#endif
