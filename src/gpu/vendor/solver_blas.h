/* solver_blas.h - level 3 of the cuBLAS that cuSOLVER depends on, for LAPACK routes: by the 64-bit interface
 * where there is one, else by the other where sizes and leading dimensions fit.
 *
 * Parameters are cuBLAS' own; operands are in device memory, scalars on the host, her2k's beta a real number.
 * her2k of the real types is syr2k. The result is cuBLAS' status (solver_blas_status):
 * CUBLAS_STATUS_NOT_SUPPORTED where a number does not fit. */
#ifndef MUBLAS_SOLVER_BLAS_H
#define MUBLAS_SOLVER_BLAS_H

#include "gpu/vendor/solver_library.h"

int solver_gemm(const struct solver_handle *handle, enum blas_type type, int trans_a, int trans_b, int64_t m,
                int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, const void *beta, void *c, int64_t ldc);
int solver_her2k(const struct solver_handle *handle, enum blas_type type, int uplo, int trans, int64_t n,
                 int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                 const void *beta, void *c, int64_t ldc);
/* c, which may be b, becomes the product. */
int solver_trmm(const struct solver_handle *handle, enum blas_type type, int side, int uplo, int trans,
                int diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, void *c, int64_t ldc);
int solver_trsm(const struct solver_handle *handle, enum blas_type type, int side, int uplo, int trans,
                int diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b,
                int64_t ldb);

#endif
