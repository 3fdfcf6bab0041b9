/* level3.h - level 3 through cuBLAS, opened at run time. */
#ifndef MUBLAS_LEVEL3_H
#define MUBLAS_LEVEL3_H

#include "common/blas_call.h"
#include "gpu/lane.h"

/* True for syr2k of S and D whose sizes and leading dimensions fit 32 bits, where there is
 * cuBLAS: opened on first use, logged once when there is none or a function is missing. */
bool level3_supported(struct device *device, const struct blas_call *call);

/* Queue a supported call on the lane's stream; pointers are device addresses.
 * STATUS_UNSUPPORTED, and nothing done, for another. */
enum status level3_run(struct lane *lane, const struct blas_call *call);

#endif
