/* level3.h - level 3 through cuBLAS, opened at run time. */
#ifndef MUBLAS_LEVEL3_H
#define MUBLAS_LEVEL3_H

#include "common/blas_call.h"
#include "gpu/lane.h"

/* Open libcublas on first use. False (logged once) when there is none or a
 * function is missing: level 3 then stays on the host. */
bool level3_available(struct device *device);

/* Queue the call on the lane's stream; pointers are device addresses, sizes and
 * leading dimensions must fit 32 bits (else STATUS_UNSUPPORTED, nothing done). */
enum status level3_run(struct lane *lane, const struct blas_call *call);

#endif
