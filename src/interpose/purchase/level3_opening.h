/* level3_opening.h - cuBLAS, opened once level 3 calls make that worth while.
 *
 * Opening it takes as long as thousands of small calls, and so does each routine's first use, in
 * which cuBLAS loads its kernels: a purchase. Any thread may call these at once. */
#ifndef MUBLAS_LEVEL3_OPENING_H
#define MUBLAS_LEVEL3_OPENING_H

#include "interpose/program_call.h"
#include "interpose/purchase/purchase.h"

/* Whether cuBLAS can be had at all. */
enum level3_outlook {
    LEVEL3_UNKNOWN, /* another thread holds what is needed to look */
    LEVEL3_MAY_COME, /* there is a file, or it is open */
    LEVEL3_MISSING  /* no call of level 3 ever goes to the device, and none is a reason to wake one */
};

/* Look for it without opening it, beside the program, once: some microseconds, for which the caller waits. */
enum level3_outlook level3_opening_look(void);

/* A call that was made while the device was not in use yet would have gained so much; all of them
 * `paid_us` (policy_wake). Callers hold a lock, one for all. */
void level3_opening_expect(const struct machine_model *model, const struct blas_call *call, double gain_us,
                           double paid_us);

/* `device`, from now on awake, is where to open it. Begins that, if enough is expected of it. */
void level3_opening_prepare(struct device *device);

/* False for a level 3 call, which the device would do now, that is not worth opening cuBLAS or
 * loading the routine for, so far. */
bool level3_opening_pays(struct device *device, const struct program_call *call);

/* Can the device do it? Opens cuBLAS for level 3, or waits until it is open, as one call does for all.
 * False: for *reason. */
bool level3_opening_supports(struct device *device, const struct blas_call *call, enum host_reason *reason);

/* For the report. */
struct purchase_times level3_opening_times(void);

#endif
