/* The exported routines, each a struct native_call. */
#include "api/call.h"

#define AXPY(prefix, the_type, element)                                                                            \
    enum mublas_status mublas_##prefix##axpy(struct mublas_handle *handle, int64_t n, const element *alpha,        \
                                             const element *x, int64_t incx, element *y, int64_t incy)             \
    {                                                                                                              \
        return call_run(handle, &(struct native_call){.function = __func__, .family = FAMILY_AXPY,                 \
                                                      .type = the_type, .n = n, .alpha = alpha, .x = x,            \
                                                      .incx = incx, .y = y, .incy = incy});                        \
    }

#define GEMV(prefix, the_type, element)                                                                            \
    enum mublas_status mublas_##prefix##gemv(                                                                      \
        struct mublas_handle *handle, enum mublas_trans trans, int64_t m, int64_t n, const element *alpha,         \
        const element *a, int64_t lda, const element *x, int64_t incx, const element *beta, element *y,            \
        int64_t incy)                                                                                              \
    {                                                                                                              \
        return call_run(handle,                                                                                    \
                        &(struct native_call){.function = __func__, .family = FAMILY_GEMV, .type = the_type,       \
                                              .trans = trans, .m = m, .n = n, .alpha = alpha, .a = a, .lda = lda,  \
                                              .x = x, .incx = incx, .beta = beta, .y = y, .incy = incy});          \
    }

#define SYMMETRIC(name, the_family, the_type, element)                                                             \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n,               \
                                     const element *alpha, const element *a, int64_t lda, const element *x,        \
                                     int64_t incx, const element *beta, element *y, int64_t incy)                  \
    {                                                                                                              \
        return call_run(handle,                                                                                    \
                        &(struct native_call){.function = __func__, .family = the_family, .type = the_type,        \
                                              .uplo = uplo, .n = n, .alpha = alpha, .a = a, .lda = lda, .x = x,    \
                                              .incx = incx, .beta = beta, .y = y, .incy = incy});                  \
    }

#define TRMV(prefix, the_type, element)                                                                            \
    enum mublas_status mublas_##prefix##trmv(struct mublas_handle *handle, enum mublas_uplo uplo,                  \
                                             enum mublas_trans trans, enum mublas_diag diag, int64_t n,            \
                                             const element *a, int64_t lda, element *x, int64_t incx)              \
    {                                                                                                              \
        return call_run(handle, &(struct native_call){.function = __func__, .family = FAMILY_TRMV,                 \
                                                      .type = the_type, .uplo = uplo, .trans = trans,              \
                                                      .diag = diag, .n = n, .a = a, .lda = lda, .x = x,            \
                                                      .incx = incx});                                              \
    }

#define EACH_TYPE(ROUTINE)    \
    ROUTINE(s, TYPE_S, float) \
    ROUTINE(d, TYPE_D, double) \
    ROUTINE(c, TYPE_C, void)  \
    ROUTINE(z, TYPE_Z, void)

EACH_TYPE(AXPY)
EACH_TYPE(GEMV)
EACH_TYPE(TRMV)
SYMMETRIC(ssymv, FAMILY_SYMV, TYPE_S, float)
SYMMETRIC(dsymv, FAMILY_SYMV, TYPE_D, double)
SYMMETRIC(wsymv, FAMILY_SYMV, TYPE_W, struct mublas_double_double)
SYMMETRIC(chemv, FAMILY_HEMV, TYPE_C, void)
SYMMETRIC(zhemv, FAMILY_HEMV, TYPE_Z, void)
