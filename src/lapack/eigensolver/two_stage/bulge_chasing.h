/* bulge_chasing.h - the second stage of the two-stage eigensolver: a symmetric band matrix becomes
 * tridiagonal (LAPACK's sytrd_sb2st), by one kernel (kernels/two_stage/band_chase.cu). Bits depend on the
 * operand alone. */
#ifndef MUBLAS_TWO_STAGE_BULGE_CHASING_H
#define MUBLAS_TWO_STAGE_BULGE_CHASING_H

#include "common/blas_call.h"
#include "gpu/kernels/two_stage/band_arguments.h"
#include "gpu/vendor/solver_library.h"

struct bulge_chasing {
    enum blas_type type; /* TYPE_S or TYPE_D */
    int64_t n;           /* 1 or more */
    CUdeviceptr band;    /* as band_reduction leaves it; is used */
    CUdeviceptr inverse; /* a real number: what the result is multiplied by */
    CUdeviceptr d, e;    /* n and n - 1 real numbers */
    CUdeviceptr kept;    /* 0, or bulge_chasing_kept_bytes: the reflectors, for the way back */
};

size_t bulge_chasing_kept_bytes(const struct bulge_chasing *work);

/* Where they lie there. */
struct band_reflectors bulge_chasing_kept(const struct bulge_chasing *work);

/* Bytes of workspace for it. STATUS_UNSUPPORTED: the device has no cooperative launches. */
enum status bulge_chasing_workspace(const struct solver_handle *handle, const struct bulge_chasing *work,
                                    size_t *bytes);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. Inside device_enter. */
enum status bulge_chasing_queue(const struct solver_handle *handle, const struct bulge_chasing *work,
                                CUdeviceptr workspace);

#endif
