/* level3.h - level 3 through cuBLAS, opened at run time. */
#ifndef MUBLAS_LEVEL3_H
#define MUBLAS_LEVEL3_H

#include "common/blas_call.h"
#include "gpu/lane.h"

/* True for a level 3 call (gemm, symm, hemm, syrk, herk, syr2k, her2k, trmm, trsm) whose sizes
 * and leading dimensions fit 32 bits, where cuBLAS has the routine: it is opened on first
 * use, and what is missing is logged once. */
bool level3_supported(struct device *device, const struct blas_call *call);

/* Look for cuBLAS without opening it, unless that was done. Needs no device. */
void level3_find(void);

/* True once it is known that no cuBLAS can be had: no level 3 call is supported. */
bool level3_is_missing(void);

/* Open cuBLAS now, unless that was done or tried. */
void level3_open(struct device *device);

/* True once cuBLAS was opened, or was found to be missing: asking level3_supported costs nothing. */
bool level3_is_open(void);

/* What the device addresses of a level 3 call's matrices must be multiples of: an element, for
 * cuBLAS. 0 for other calls. */
size_t level3_alignment(const struct blas_call *call);

/* Queue a supported call on the lane's stream; pointers are device addresses.
 * STATUS_UNSUPPORTED, and nothing done, for another. */
enum status level3_run(struct lane *lane, const struct blas_call *call);

/* The same on another stream of the device, inside device_enter. After a failure what is queued there is not
 * to be relied upon. */
enum status level3_queue(struct device *device, CUstream stream, const struct blas_call *call);

#endif
