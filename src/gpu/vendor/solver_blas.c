#include "gpu/vendor/solver_blas.h"

#include <limits.h>

/* All of them. */
static bool fit(int64_t first, int64_t second, int64_t third, int64_t fourth, int64_t fifth, int64_t sixth)
{
    return first <= INT_MAX && second <= INT_MAX && third <= INT_MAX && fourth <= INT_MAX &&
           fifth <= INT_MAX && sixth <= INT_MAX;
}

int solver_gemm(const struct solver_handle *handle, enum blas_type type, int trans_a, int trans_b, int64_t m,
                int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, const void *beta, void *c, int64_t ldc)
{
    const struct solver_library *library = handle->library;
    if (library->wide.gemm[type])
        return library->wide.gemm[type](handle->cublas, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb,
                                        beta, c, ldc);
    if (!fit(m, n, k, lda, ldb, ldc))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return library->narrow.gemm[type](handle->cublas, trans_a, trans_b, (int)m, (int)n, (int)k, alpha, a,
                                      (int)lda, b, (int)ldb, beta, c, (int)ldc);
}

int solver_her2k(const struct solver_handle *handle, enum blas_type type, int uplo, int trans, int64_t n,
                 int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                 const void *beta, void *c, int64_t ldc)
{
    const struct solver_library *library = handle->library;
    if (library->wide.her2k[type])
        return library->wide.her2k[type](handle->cublas, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c,
                                         ldc);
    if (!fit(n, k, lda, ldb, ldc, 0))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return library->narrow.her2k[type](handle->cublas, uplo, trans, (int)n, (int)k, alpha, a, (int)lda, b,
                                       (int)ldb, beta, c, (int)ldc);
}

int solver_trmm(const struct solver_handle *handle, enum blas_type type, int side, int uplo, int trans,
                int diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, void *c, int64_t ldc)
{
    const struct solver_library *library = handle->library;
    if (library->wide.trmm[type])
        return library->wide.trmm[type](handle->cublas, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb,
                                        c, ldc);
    if (!fit(m, n, lda, ldb, ldc, 0))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return library->narrow.trmm[type](handle->cublas, side, uplo, trans, diag, (int)m, (int)n, alpha, a,
                                      (int)lda, b, (int)ldb, c, (int)ldc);
}

int solver_trsm(const struct solver_handle *handle, enum blas_type type, int side, int uplo, int trans,
                int diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b,
                int64_t ldb)
{
    const struct solver_library *library = handle->library;
    if (library->wide.trsm[type])
        return library->wide.trsm[type](handle->cublas, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
    if (!fit(m, n, lda, ldb, 0, 0))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return library->narrow.trsm[type](handle->cublas, side, uplo, trans, diag, (int)m, (int)n, alpha, a,
                                      (int)lda, b, (int)ldb);
}
