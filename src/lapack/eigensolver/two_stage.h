/* two_stage.h - eigenvalues, and some or all eigenvectors, of a real symmetric matrix on the device by way
 * of a band matrix.
 *
 * The first stage makes a band matrix of 64 diagonals beside the main one, by products of matrices
 * (LAPACK's sytrd_sy2sb). Panels of 64 columns below the band are factored by a kernel of our own
 * (kernels/two_stage/band_panel.cu); the rest of the matrix, its whole square, is updated from both sides
 * by cuBLAS: 2 n^3 operations, twice the symmetric half's, which are the faster ones. The second stage
 * makes that tridiagonal (LAPACK's sytrd_sb2st), by one kernel (kernels/two_stage/band_chase.cu), whose
 * bits depend on the operand alone. Values alone come by bisection (tridiagonal_solver.c).
 *
 * With vectors the caller solves the tridiagonal problem, and two_stage_back brings its vectors back, by
 * the reflectors of bulge chasing (kernels/two_stage/band_back.cu) and by those of the band reduction's
 * panels, which are applied by products of matrices. The one-stage reduction reads half of the matrix for
 * each column; this one works by products of matrices, but has two ways back. Bits depend on the operand,
 * and on cuBLAS. */
#ifndef MUBLAS_TWO_STAGE_H
#define MUBLAS_TWO_STAGE_H

#include "common/blas_call.h"
#include "gpu/kernels/two_stage/band_arguments.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/eigensolver/own_eigen.h"

/* The first stage. */
struct band_reduction {
    enum blas_type type; /* TYPE_S or TYPE_D */
    enum blas_uplo uplo;
    int64_t n;     /* 1 or more */
    CUdeviceptr a; /* the triangle is read; the whole square is used */
    int64_t lda;
    CUdeviceptr band; /* n columns of BAND_STORED elements: the band matrix (two_stage/band_arguments.h) */
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

/* Queue it on the handle's stream, with a workspace at a multiple of 256. An element that is not finite makes
 * NaN of the results. Inside device_enter. */
enum status band_reduction_queue(const struct solver_handle *handle, const struct band_reduction *work,
                                 CUdeviceptr workspace);

/* The second stage. */
struct bulge_chasing {
    enum blas_type type; /* TYPE_S or TYPE_D */
    int64_t n;           /* 1 or more */
    CUdeviceptr band;    /* as band_reduction leaves it; is used */
    CUdeviceptr inverse; /* a real number: what the result is multiplied by */
    CUdeviceptr d, e;    /* n and n - 1 real numbers */
    CUdeviceptr kept;    /* 0, or bulge_chasing_kept_bytes: the reflectors, for the way back */
};

size_t bulge_chasing_kept_bytes(const struct bulge_chasing *work);

/* Addresses of the reflectors in `kept`. */
struct band_reflectors bulge_chasing_kept(const struct bulge_chasing *work);

/* Bytes of workspace for it. STATUS_UNSUPPORTED: the device has no cooperative launches. */
enum status bulge_chasing_workspace(const struct solver_handle *handle, const struct bulge_chasing *work,
                                    size_t *bytes);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. Inside device_enter. */
enum status bulge_chasing_queue(const struct solver_handle *handle, const struct bulge_chasing *work,
                                CUdeviceptr workspace);

/* The way back. */
struct two_stage_back {
    const struct band_reduction *reduction; /* after it, with t */
    const struct bulge_chasing *chasing;    /* after it, with kept */
    CUdeviceptr c;                          /* n rows: vectors of the tridiagonal matrix, then of A */
    int64_t ldc, columns;                   /* columns: 1 or more */
};

/* Both stages, for values alone or, with the way back, for vectors. */
struct two_stage {
    enum blas_type type; /* TYPE_S or TYPE_D */
    enum blas_uplo uplo;
    int64_t n;     /* 1 or more */
    CUdeviceptr a; /* the triangle is read; the whole square is used, with vectors until two_stage_back */
    int64_t lda;
    CUdeviceptr w; /* n real numbers: ascending eigenvalues; with vectors the tridiagonal matrix's diagonal */
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

/* The steps to be queued, each with the scratch: for a caller that queues them one by one, and lets A be
 * used. */
struct two_stage_steps two_stage_steps_of(const struct two_stage *work, CUdeviceptr workspace);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. An element that is not finite makes
 * NaN of the results. Inside device_enter. */
enum status two_stage_queue(const struct solver_handle *handle, const struct two_stage *work,
                            CUdeviceptr workspace);

/* Queue the way back for these vectors of the tridiagonal matrix, one or more, in n rows. The workspace is
 * another one than two_stage_queue's. */
size_t two_stage_vectors_workspace(const struct two_stage *work, int64_t columns);
enum status two_stage_vectors_queue(const struct solver_handle *handle, const struct two_stage *work,
                                    CUdeviceptr c, int64_t ldc, int64_t columns, CUdeviceptr workspace);

#endif
