/* The exported routines for eigenproblems, each a struct eigen_call. */
#include "api/eigen_call.h"

#define SYTRD(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n,         \
                                     element *a, int64_t lda, real *d, real *e, element *tau,                \
                                     void *workspace, size_t workspace_bytes)                                \
    {                                                                                                        \
        return eigen_call_run(handle,                                                                        \
                              &(struct eigen_call){.function = __func__,                                     \
                                                   .routine = EIGEN_SYTRD,                                   \
                                                   .type = the_type,                                         \
                                                   .uplo = uplo,                                             \
                                                   .n = n,                                                   \
                                                   .a = a,                                                   \
                                                   .lda = lda,                                               \
                                                   .d = d,                                                   \
                                                   .e = e,                                                   \
                                                   .tau = tau},                                              \
                              workspace, workspace_bytes);                                                   \
    }

#define ORMTR(name, the_type, element)                                                                       \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_side side,                    \
                                     enum mublas_uplo uplo, enum mublas_trans trans, int64_t m, int64_t n,   \
                                     const element *a, int64_t lda, const element *tau, element *c,          \
                                     int64_t ldc, void *workspace, size_t workspace_bytes)                   \
    {                                                                                                        \
        return eigen_call_run(handle,                                                                        \
                              &(struct eigen_call){.function = __func__,                                     \
                                                   .routine = EIGEN_ORMTR,                                   \
                                                   .type = the_type,                                         \
                                                   .side = side,                                             \
                                                   .uplo = uplo,                                             \
                                                   .trans = trans,                                           \
                                                   .m = m,                                                   \
                                                   .n = n,                                                   \
                                                   .a = (void *)(uintptr_t)a,                                \
                                                   .lda = lda,                                               \
                                                   .tau = (void *)(uintptr_t)tau,                            \
                                                   .c = c,                                                   \
                                                   .ldc = ldc},                                              \
                              workspace, workspace_bytes);                                                   \
    }

#define STEDC(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_compz compz, int64_t n,       \
                                     real *d, const real *e, element *z, int64_t ldz, void *workspace,       \
                                     size_t workspace_bytes, int *info)                                      \
    {                                                                                                        \
        return eigen_call_run(handle,                                                                        \
                              &(struct eigen_call){.function = __func__,                                     \
                                                   .routine = EIGEN_STEDC,                                   \
                                                   .type = the_type,                                         \
                                                   .compz = compz,                                           \
                                                   .n = n,                                                   \
                                                   .d = d,                                                   \
                                                   .e = (void *)(uintptr_t)e,                                \
                                                   .c = z,                                                   \
                                                   .ldc = ldz,                                               \
                                                   .info = info},                                            \
                              workspace, workspace_bytes);                                                   \
    }

#define SYEVD(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_vectors vectors,              \
                                     enum mublas_uplo uplo, int64_t n, element *a, int64_t lda, real *w,     \
                                     void *workspace, size_t workspace_bytes, int *info)                     \
    {                                                                                                        \
        return eigen_call_run(handle,                                                                        \
                              &(struct eigen_call){.function = __func__,                                     \
                                                   .routine = EIGEN_SYEVD,                                   \
                                                   .type = the_type,                                         \
                                                   .vectors = vectors,                                       \
                                                   .uplo = uplo,                                             \
                                                   .n = n,                                                   \
                                                   .a = a,                                                   \
                                                   .lda = lda,                                               \
                                                   .d = w,                                                   \
                                                   .info = info},                                            \
                              workspace, workspace_bytes);                                                   \
    }

#define SYEVDX(name, the_type, element, real)                                                                \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_vectors vectors,              \
                                     enum mublas_range range, enum mublas_uplo uplo, int64_t n, element *a,  \
                                     int64_t lda, real vl, real vu, int64_t il, int64_t iu, int *m, real *w, \
                                     void *workspace, size_t workspace_bytes, int *info)                     \
    {                                                                                                        \
        return eigen_call_run(handle,                                                                        \
                              &(struct eigen_call){.function = __func__,                                     \
                                                   .routine = EIGEN_SYEVDX,                                  \
                                                   .type = the_type,                                         \
                                                   .vectors = vectors,                                       \
                                                   .range = range,                                           \
                                                   .uplo = uplo,                                             \
                                                   .n = n,                                                   \
                                                   .a = a,                                                   \
                                                   .lda = lda,                                               \
                                                   .vl = (double)vl,                                         \
                                                   .vu = (double)vu,                                         \
                                                   .il = il,                                                 \
                                                   .iu = iu,                                                 \
                                                   .found = m,                                               \
                                                   .d = w,                                                   \
                                                   .info = info},                                            \
                              workspace, workspace_bytes);                                                   \
    }

SYTRD(ssytrd, MUBLAS_SINGLE, float, float)
SYTRD(dsytrd, MUBLAS_DOUBLE, double, double)
SYTRD(chetrd, MUBLAS_COMPLEX, void, float)
SYTRD(zhetrd, MUBLAS_DOUBLE_COMPLEX, void, double)
ORMTR(sormtr, MUBLAS_SINGLE, float)
ORMTR(dormtr, MUBLAS_DOUBLE, double)
ORMTR(cunmtr, MUBLAS_COMPLEX, void)
ORMTR(zunmtr, MUBLAS_DOUBLE_COMPLEX, void)
STEDC(sstedc, MUBLAS_SINGLE, float, float)
STEDC(dstedc, MUBLAS_DOUBLE, double, double)
STEDC(cstedc, MUBLAS_COMPLEX, void, float)
STEDC(zstedc, MUBLAS_DOUBLE_COMPLEX, void, double)
SYEVD(ssyevd, MUBLAS_SINGLE, float, float)
SYEVD(dsyevd, MUBLAS_DOUBLE, double, double)
SYEVD(cheevd, MUBLAS_COMPLEX, void, float)
SYEVD(zheevd, MUBLAS_DOUBLE_COMPLEX, void, double)
SYEVDX(ssyevdx, MUBLAS_SINGLE, float, float)
SYEVDX(dsyevdx, MUBLAS_DOUBLE, double, double)
SYEVDX(cheevdx, MUBLAS_COMPLEX, void, float)
SYEVDX(zheevdx, MUBLAS_DOUBLE_COMPLEX, void, double)

enum mublas_status mublas_sytrd_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_uplo uplo, int64_t n, int64_t lda, size_t *bytes)
{
    return eigen_call_ask(
        handle,
        &(struct eigen_call){
            .function = __func__, .routine = EIGEN_SYTRD, .type = type, .uplo = uplo, .n = n, .lda = lda},
        bytes);
}

enum mublas_status mublas_ormtr_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_side side, enum mublas_uplo uplo,
                                          enum mublas_trans trans, int64_t m, int64_t n, int64_t lda,
                                          int64_t ldc, size_t *bytes)
{
    return eigen_call_ask(handle,
                          &(struct eigen_call){.function = __func__,
                                               .routine = EIGEN_ORMTR,
                                               .type = type,
                                               .side = side,
                                               .uplo = uplo,
                                               .trans = trans,
                                               .m = m,
                                               .n = n,
                                               .lda = lda,
                                               .ldc = ldc},
                          bytes);
}

enum mublas_status mublas_stedc_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_compz compz, int64_t n, int64_t ldz, size_t *bytes)
{
    return eigen_call_ask(
        handle,
        &(struct eigen_call){
            .function = __func__, .routine = EIGEN_STEDC, .type = type, .compz = compz, .n = n, .ldc = ldz},
        bytes);
}

enum mublas_status mublas_syevd_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_vectors vectors, enum mublas_uplo uplo, int64_t n,
                                          int64_t lda, size_t *bytes)
{
    return eigen_call_ask(handle,
                          &(struct eigen_call){.function = __func__,
                                               .routine = EIGEN_SYEVD,
                                               .type = type,
                                               .vectors = vectors,
                                               .uplo = uplo,
                                               .n = n,
                                               .lda = lda},
                          bytes);
}

enum mublas_status mublas_syevdx_workspace(struct mublas_handle *handle, enum mublas_type type,
                                           enum mublas_vectors vectors, enum mublas_range range,
                                           enum mublas_uplo uplo, int64_t n, int64_t lda, int64_t il,
                                           int64_t iu, size_t *bytes)
{
    return eigen_call_ask(handle,
                          &(struct eigen_call){.function = __func__,
                                               .routine = EIGEN_SYEVDX,
                                               .type = type,
                                               .vectors = vectors,
                                               .range = range,
                                               .uplo = uplo,
                                               .n = n,
                                               .lda = lda,
                                               .il = il,
                                               .iu = iu},
                          bytes);
}
