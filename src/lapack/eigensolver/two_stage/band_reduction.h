/* band_reduction.h - the first stage of the two-stage eigensolver: a real symmetric matrix becomes a band
 * matrix of 64 diagonals beside the main one, by products of matrices (LAPACK's sytrd_sy2sb).
 *
 * Panels of 64 columns below the band are factored by a kernel of our own (kernels/two_stage/band_panel.cu);
 * the rest of the matrix, its whole square, is updated from both sides by cuBLAS: 2 n^3 operations, twice the
 * symmetric half's, which are the faster ones. Bits depend on the operand, and on cuBLAS. */
#ifndef MUBLAS_TWO_STAGE_BAND_REDUCTION_H
#define MUBLAS_TWO_STAGE_BAND_REDUCTION_H

#include "common/blas_call.h"
#include "gpu/vendor/solver_library.h"

struct band_reduction {
    enum blas_type type; /* TYPE_S or TYPE_D */
    enum blas_uplo uplo;
    int64_t n;     /* 1 or more */
    CUdeviceptr a; /* the triangle is read; the whole square is used */
    int64_t lda;
    CUdeviceptr
        band; /* n columns of BAND_STORED elements: the band matrix (kernels/two_stage/band_arguments.h) */
    CUdeviceptr inverse; /* a real number: A's band matrix is this power of two times `band` */
    CUdeviceptr t; /* 0, or band_reduction_t_bytes: T of each panel's I - V T V'; V stays in A below R */
};

size_t band_reduction_t_bytes(const struct band_reduction *work);

/* Bytes of workspace for it. STATUS_UNSUPPORTED: the device has no cooperative launches, or too little shared
 * memory, or the order is too large. */
enum status band_reduction_workspace(const struct solver_handle *handle, const struct band_reduction *work,
                                     size_t *bytes);

/* Panels: of number i, the first column is number i * BAND_WIDTH, and the first row is BAND_WIDTH behind. */
int64_t band_reduction_panels(int64_t n);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. What is not finite makes NaN of it.
 * Inside device_enter. */
enum status band_reduction_queue(const struct solver_handle *handle, const struct band_reduction *work,
                                 CUdeviceptr workspace);

#endif
