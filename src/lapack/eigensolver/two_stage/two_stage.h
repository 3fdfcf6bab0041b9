/* two_stage.h - eigenvalues, and some or all eigenvectors, of a real symmetric matrix on the device by way of
 * a band matrix: to the band (band_reduction.h), to tridiagonal form (bulge_chasing.h); values alone by
 * bisection (bisection.h). With vectors the caller solves the tridiagonal problem, and two_stage_back brings
 * its vectors back. The one-stage reduction reads half of the matrix for each column; this one works by
 * products of matrices, but has two ways back. */
#ifndef MUBLAS_TWO_STAGE_H
#define MUBLAS_TWO_STAGE_H

#include "lapack/eigensolver/two_stage/band_reduction.h"
#include "lapack/eigensolver/two_stage/bisection.h"
#include "lapack/eigensolver/two_stage/bulge_chasing.h"
#include "lapack/eigensolver/two_stage/two_stage_back.h"

struct two_stage {
    enum blas_type type; /* TYPE_S or TYPE_D */
    enum blas_uplo uplo;
    int64_t n;     /* 1 or more */
    CUdeviceptr a; /* the triangle is read; the whole square is used, with vectors until two_stage_back */
    int64_t lda;
    CUdeviceptr w; /* n real numbers: eigenvalues, ascending; with vectors the tridiagonal matrix's diagonal */
    /* With vectors alone: n - 1 numbers beside that diagonal, and memory of two_stage_kept_bytes, which stays
     * as it is until the way back. */
    CUdeviceptr e, kept;
    bool with_vectors;
    bool keeps_other_triangle; /* without vectors: a copy in the workspace is used in A's place */
};

size_t two_stage_kept_bytes(const struct two_stage *work);

/* The steps of it, with their operands in one workspace, and `scratch` of theirs. */
struct two_stage_steps {
    struct band_reduction reduction;
    struct bulge_chasing chasing;
    struct bisection bisection; /* without vectors */
    CUdeviceptr scratch;
};

/* Bytes of workspace for two_stage_queue. STATUS_UNSUPPORTED: the device is not able to do it. */
enum status two_stage_workspace(const struct solver_handle *handle, const struct two_stage *work,
                                size_t *bytes);

/* What is to be queued, each with the scratch: for who does it one by one, and lets A be used. */
struct two_stage_steps two_stage_steps_of(const struct two_stage *work, CUdeviceptr workspace);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. What is not finite makes NaN of it.
 * Inside device_enter. */
enum status two_stage_queue(const struct solver_handle *handle, const struct two_stage *work,
                            CUdeviceptr workspace);

/* Queue the way back for these vectors of the tridiagonal matrix, one or more, in n rows. The workspace is
 * another one than two_stage_queue's. */
size_t two_stage_vectors_workspace(const struct two_stage *work, int64_t columns);
enum status two_stage_vectors_queue(const struct solver_handle *handle, const struct two_stage *work,
                                    CUdeviceptr c, int64_t ldc, int64_t columns, CUdeviceptr workspace);

#endif
