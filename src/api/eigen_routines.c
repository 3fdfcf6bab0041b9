/* The exported routines for eigenproblems, each a struct eigen_call. */
#include "api/eigen_call.h"

#define SYTRD(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n,         \
                                     element *a, int64_t lda, real *d, real *e, element *tau,                \
                                     void *workspace, size_t workspace_bytes)                                \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_SYTRD, the_type,                                                              \
                         .uplo = uplo, .n = n, .a = a, .lda = lda, .d = d, .e = e, .tau = tau);              \
    }

#define ORMTR(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_side side,                    \
                                     enum mublas_uplo uplo, enum mublas_trans trans, int64_t m, int64_t n,   \
                                     const element *a, int64_t lda, const element *tau, element *c,          \
                                     int64_t ldc, void *workspace, size_t workspace_bytes)                   \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_ORMTR, the_type,                                                              \
                         .side = side, .uplo = uplo, .trans = trans, .m = m, .n = n,                         \
                         .a = (void *)(uintptr_t)a, .lda = lda, .tau = (void *)(uintptr_t)tau,               \
                         .c = c, .ldc = ldc);                                                                \
    }

#define STEDC(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_compz compz, int64_t n,       \
                                     real *d, const real *e, element *z, int64_t ldz, void *workspace,       \
                                     size_t workspace_bytes, int *info)                                      \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_STEDC, the_type,                                                              \
                         .compz = compz, .n = n, .d = d, .e = (void *)(uintptr_t)e, .c = z,                  \
                         .ldc = ldz, .info = info);                                                          \
    }

#define SYEVD(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_vectors vectors,              \
                                     enum mublas_uplo uplo, int64_t n, element *a, int64_t lda, real *w,     \
                                     void *workspace, size_t workspace_bytes, int *info)                     \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_SYEVD, the_type,                                                              \
                         .vectors = vectors, .uplo = uplo, .n = n, .a = a, .lda = lda, .d = w,               \
                         .info = info);                                                                      \
    }

#define SYEVDX(name, the_type, element, real)                                                                \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_vectors vectors,              \
                                     enum mublas_range range, enum mublas_uplo uplo, int64_t n, element *a,  \
                                     int64_t lda, real vl, real vu, int64_t il, int64_t iu, int *m, real *w, \
                                     void *workspace, size_t workspace_bytes, int *info)                     \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_SYEVDX, the_type,                                                             \
                         .vectors = vectors, .range = range, .uplo = uplo, .n = n, .a = a,                   \
                         .lda = lda, .vl = (double)vl, .vu = (double)vu, .il = il, .iu = iu,                 \
                         .found = m, .d = w, .info = info);                                                  \
    }

EIGEN_OF_EVERY_TYPE(SYTRD, sytrd, hetrd)
EIGEN_OF_EVERY_TYPE(ORMTR, ormtr, unmtr)
EIGEN_OF_EVERY_TYPE(STEDC, stedc, stedc)
EIGEN_OF_EVERY_TYPE(SYEVD, syevd, heevd)
EIGEN_OF_EVERY_TYPE(SYEVDX, syevdx, heevdx)

enum mublas_status mublas_sytrd_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_uplo uplo, int64_t n, int64_t lda, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_SYTRD, .uplo = uplo, .n = n, .lda = lda);
}

enum mublas_status mublas_ormtr_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_side side, enum mublas_uplo uplo,
                                          enum mublas_trans trans, int64_t m, int64_t n, int64_t lda,
                                          int64_t ldc, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_ORMTR,
                     .side = side, .uplo = uplo, .trans = trans, .m = m, .n = n, .lda = lda, .ldc = ldc);
}

enum mublas_status mublas_stedc_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_compz compz, int64_t n, int64_t ldz, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_STEDC, .compz = compz, .n = n, .ldc = ldz);
}

enum mublas_status mublas_syevd_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_vectors vectors, enum mublas_uplo uplo, int64_t n,
                                          int64_t lda, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_SYEVD, .vectors = vectors, .uplo = uplo, .n = n, .lda = lda);
}

enum mublas_status mublas_syevdx_workspace(struct mublas_handle *handle, enum mublas_type type,
                                           enum mublas_vectors vectors, enum mublas_range range,
                                           enum mublas_uplo uplo, int64_t n, int64_t lda, int64_t il,
                                           int64_t iu, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_SYEVDX,
                     .vectors = vectors, .range = range, .uplo = uplo, .n = n, .lda = lda, .il = il,
                     .iu = iu);
}
