/* openings.h - cuBLAS and cuSOLVER, opened once calls of level 3 and of LAPACK make that worth while.
 *
 * Opening cuBLAS takes as long as thousands of small calls, and so does each routine's first use, in
 * which cuBLAS loads its kernels. Both libraries are purchases (purchase.h). Any thread may call these at
 * once. */
#ifndef MUBLAS_OPENINGS_H
#define MUBLAS_OPENINGS_H

#include "gpu/vendor/solver_library.h"
#include "interpose/policy.h"
#include "interpose/call/program_call.h"
#include "interpose/purchase/purchase.h"

/* Whether cuBLAS can be had at all. */
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
