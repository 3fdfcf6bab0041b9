/* solver_opening.h - cuSOLVER, a purchase of calls of LAPACK. Any thread may call these at once. */
#ifndef MUBLAS_SOLVER_OPENING_H
#define MUBLAS_SOLVER_OPENING_H

#include "gpu/vendor/solver_library.h"
#include "interpose/host_reason.h"
#include "interpose/purchase/purchase.h"

/* Is there a file? Looked for once, beside the program, for which the caller waits some microseconds; true
 * as long as that is not known. */
bool solver_opening_may_come(void);

/* A call would gain so much on the device, now or if it were there. */
void solver_opening_credit(double gain_us);

/* The library, opened if what calls have gained covers it, in always mode at once; one call waits for all.
 * NULL: for *reason. */
const struct solver_library *solver_opening_find(struct device *device, enum host_reason *reason);

/* For the report. */
struct purchase_times solver_opening_times(void);

#endif
