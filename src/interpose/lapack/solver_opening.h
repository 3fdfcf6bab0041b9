/* solver_opening.h - cuSOLVER, opened once calls of LAPACK make that worth while: as level3_opening.h for cuBLAS.
 *
 * Opening begins beside the program once calls would have gained a part of the price; a call that gains the whole of it
 * opens it and waits. Which call is the first to use it depends on the calls alone. Any thread may call these at once. */
#ifndef MUBLAS_LAPACK_SOLVER_OPENING_H
#define MUBLAS_LAPACK_SOLVER_OPENING_H

#include "gpu/solver_library.h"
#include "interpose/stats.h"

/* Is there a file? Looked for once, beside the program, for which the caller waits some microseconds; true as long as that
 * is not known. */
bool solver_opening_may_come(void);

/* A call would gain so much on the device, now or if it were there. */
void solver_opening_credit(double gain_us);

/* The library, opened if what calls have gained covers it, in always mode at once; one call waits for all. NULL: for
 * *reason. */
const struct solver_library *solver_opening_find(struct device *device, enum host_reason *reason);

/* For the report. 0: was not opened. */
struct solver_opening_times {
    uint64_t nanoseconds, waited_nanoseconds;
    bool beside;
};
struct solver_opening_times solver_opening_times(void);

#endif
