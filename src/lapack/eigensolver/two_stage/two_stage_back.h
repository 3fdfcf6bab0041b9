/* two_stage_back.h - the way back of the two-stage eigensolver: eigenvectors of the tridiagonal matrix become
 * those of A, by the reflectors of bulge chasing (kernels/two_stage/band_back.cu) and by those of the band
 * reduction's panels, which are applied by products of matrices. Bits of a vector depend on the operands, and
 * on cuBLAS. */
#ifndef MUBLAS_TWO_STAGE_BACK_H
#define MUBLAS_TWO_STAGE_BACK_H

#include "lapack/eigensolver/two_stage/band_reduction.h"
#include "lapack/eigensolver/two_stage/bulge_chasing.h"

struct two_stage_back {
    const struct band_reduction *reduction; /* after it, with t */
    const struct bulge_chasing *chasing;    /* after it, with kept */
    CUdeviceptr c;                          /* n rows: vectors of the tridiagonal matrix, then of A */
    int64_t ldc, columns;                   /* columns: 1 or more */
};

/* Has a block of the device the shared memory that it takes? */
bool two_stage_back_fits(const struct device *device);

size_t two_stage_back_workspace(const struct two_stage_back *back);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. Inside device_enter. */
enum status two_stage_back_queue(const struct solver_handle *handle, const struct two_stage_back *back,
                                 CUdeviceptr workspace);

#endif
