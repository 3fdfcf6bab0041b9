/* two_stage.h - eigenvalues of a real symmetric matrix on the device, without vectors, by way of a band
 * matrix: to the band (band_reduction.h), to tridiagonal form (bulge_chasing.h), values by bisection
 * (bisection.h). The one-stage reduction reads half of the matrix for each column; this one works by products
 * of matrices. */
#ifndef MUBLAS_TWO_STAGE_H
#define MUBLAS_TWO_STAGE_H

#include "lapack/eigensolver/two_stage/band_reduction.h"
#include "lapack/eigensolver/two_stage/bisection.h"
#include "lapack/eigensolver/two_stage/bulge_chasing.h"

struct two_stage {
    enum blas_type type; /* TYPE_S or TYPE_D */
    enum blas_uplo uplo;
    int64_t n;     /* 1 or more */
    CUdeviceptr a; /* the triangle is read; the whole square is used */
    int64_t lda;
    CUdeviceptr w;             /* n real numbers: eigenvalues, ascending */
    bool keeps_other_triangle; /* a copy in the workspace is used in A's place */
};

/* The three steps of it, with their operands in one workspace, and `scratch` of theirs. */
struct two_stage_steps {
    struct band_reduction reduction;
    struct bulge_chasing chasing;
    struct bisection bisection;
    CUdeviceptr scratch;
};

/* Bytes of workspace for it. STATUS_UNSUPPORTED: the device is not able to do it, or the program uses CUDA
 * itself. */
enum status two_stage_workspace(const struct solver_handle *handle, const struct two_stage *work,
                                size_t *bytes);

/* What is to be queued, each with the scratch: for who does it one by one, and lets A be used. */
struct two_stage_steps two_stage_steps_of(const struct two_stage *work, CUdeviceptr workspace);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. What is not finite makes NaN of it.
 * Inside device_enter. */
enum status two_stage_queue(const struct solver_handle *handle, const struct two_stage *work,
                            CUdeviceptr workspace);

#endif
