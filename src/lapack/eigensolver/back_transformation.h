/* back_transformation.h - products with Q of a reduction to tridiagonal form, as LAPACK's ormtr and unmtr:
 * eigenvectors of the tridiagonal matrix become those of A. Reflectors are taken together by
 * BACK_WIDTH (block_reflector.h), so that nearly all of it is cuBLAS' products. Bits depend on the operands, and
 * on cuBLAS. */
#ifndef MUBLAS_LAPACK_BACK_TRANSFORMATION_H
#define MUBLAS_LAPACK_BACK_TRANSFORMATION_H

#include "lapack/eigensolver/block_reflector.h"

struct back_transformation {
    enum blas_type type; /* S, D, C or Z */
    enum blas_uplo uplo;
    int64_t n;           /* the order of Q, 1 or more */
    CUdeviceptr a, tau;  /* as tridiagonalisation.h leaves them; they are read */
    int64_t lda;
    struct block_reflector_side side; /* of C, n rows or columns */
};

size_t back_transformation_workspace(const struct back_transformation *work);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. Inside device_enter. */
enum status back_transformation_queue(const struct solver_handle *handle,
                                      const struct back_transformation *work, CUdeviceptr workspace);

#endif
