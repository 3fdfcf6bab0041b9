/* Levels 1 and 2 of the emulated cuBLAS, for the kernel bench: one struct serves every routine. */
#include "emulated_driver/cublas.h"

#include <stdio.h>
#include <string.h>

enum family { AXPY, GEMV, SYMV, TRMV };

struct call {
    enum family family;
    char routine[8];
    char uplo, trans, diag;
    int m, n, lda, incx, incy;
    double alpha[2], beta[2]; /* the first bytes, for smaller types */
    const void *a;
    void *x, *y;
};

EXPORT int cublasSetAtomicsMode(cublasHandle_t handle, int mode);

static void run(void *argument)
{
    struct call *call = argument;
    void *address = cublas_host_routine(call->routine);
    void (*axpy)(const int *, const void *, const void *, const int *, void *, const int *);
    void (*gemv)(const char *, const int *, const int *, const void *, const void *, const int *,
                 const void *, const int *, const void *, void *, const int *, size_t);
    void (*symv)(const char *, const int *, const void *, const void *, const int *, const void *,
                 const int *, const void *, void *, const int *, size_t);
    void (*trmv)(const char *, const char *, const char *, const int *, const void *, const int *, void *,
                 const int *, size_t, size_t, size_t);
    memcpy(&axpy, &address, sizeof axpy);
    memcpy(&gemv, &address, sizeof gemv);
    memcpy(&symv, &address, sizeof symv);
    memcpy(&trmv, &address, sizeof trmv);
    switch (call->family) {
    case AXPY: axpy(&call->n, call->alpha, call->x, &call->incx, call->y, &call->incy); break;
    case GEMV:
        gemv(&call->trans, &call->m, &call->n, call->alpha, call->a, &call->lda, call->x, &call->incx,
             call->beta, call->y, &call->incy, 1);
        break;
    case SYMV:
        symv(&call->uplo, &call->n, call->alpha, call->a, &call->lda, call->x, &call->incx, call->beta,
             call->y, &call->incy, 1);
        break;
    case TRMV:
        trmv(&call->uplo, &call->trans, &call->diag, &call->n, call->a, &call->lda, call->x, &call->incx, 1,
             1, 1);
        break;
    }
}

/* cuBLAS's codes for the flags; the scalars' and matrix's addresses must be a whole element's. */
static int queue(cublasHandle_t handle, struct call call, char type, const char *name, const void *alpha,
                 const void *beta, size_t element, int uplo, int trans, int diag)
{
    if (call.m < 0 || call.n < 0 || uplo < 0 || uplo > 1 || trans < 0 || trans > 2 || diag < 0 || diag > 1 ||
        ((size_t)call.a | (size_t)call.x | (size_t)call.y) % element)
        return CUBLAS_STATUS_INVALID_VALUE;
    snprintf(call.routine, sizeof call.routine, "%c%s_", type, name);
    cublas_check_scalar(call.routine, alpha, element);
    cublas_check_scalar(call.routine, beta, element);
    call.uplo = "LU"[uplo], call.trans = "NTC"[trans], call.diag = "NU"[diag];
    if (alpha)
        memcpy(call.alpha, alpha, element);
    if (beta)
        memcpy(call.beta, beta, element);
    return cublas_enqueue(handle, run, &call, sizeof call);
}

int cublasSetAtomicsMode(cublasHandle_t handle, int mode)
{
    ENTER(handle);
    return mode == 0 || mode == 1 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

#define ROUTINES(LETTER, letter, symv, element)                                                                     \
    EXPORT int cublas##LETTER##axpy_v2(cublasHandle_t, int, const void *, void *, int, void *, int);                \
    EXPORT int cublas##LETTER##gemv_v2(cublasHandle_t, int, int, int, const void *, const void *, int, void *, int, \
                                       const void *, void *, int);                                                  \
    EXPORT int cublas##LETTER##symv##_v2(cublasHandle_t, int, int, const void *, const void *, int, void *, int,    \
                                         const void *, void *, int);                                                \
    EXPORT int cublas##LETTER##trmv_v2(cublasHandle_t, int, int, int, int, const void *, int, void *, int);         \
    int cublas##LETTER##axpy_v2(cublasHandle_t handle, int n, const void *alpha, void *x, int incx, void *y,        \
                                int incy)                                                                           \
    {                                                                                                               \
        ENTER(handle);                                                                                              \
        return queue(handle, (struct call){.family = AXPY, .n = n, .incx = incx, .incy = incy, .x = x, .y = y},     \
                     letter, "axpy", alpha, NULL, element, 0, 0, 0);                                                \
    }                                                                                                               \
    int cublas##LETTER##gemv_v2(cublasHandle_t handle, int trans, int m, int n, const void *alpha, const void *a,   \
                                int lda, void *x, int incx, const void *beta, void *y, int incy)                    \
    {                                                                                                               \
        ENTER(handle);                                                                                              \
        return queue(handle, (struct call){GEMV, "", 0, 0, 0, m, n, lda, incx, incy, {0}, {0}, a, x, y}, letter,    \
                     "gemv", alpha, beta, element, 0, trans, 0);                                                    \
    }                                                                                                               \
    int cublas##LETTER##symv##_v2(cublasHandle_t handle, int uplo, int n, const void *alpha, const void *a,         \
                                  int lda, void *x, int incx, const void *beta, void *y, int incy)                  \
    {                                                                                                               \
        ENTER(handle);                                                                                              \
        return queue(handle, (struct call){SYMV, "", 0, 0, 0, 0, n, lda, incx, incy, {0}, {0}, a, x, y}, letter,    \
                     #symv, alpha, beta, element, uplo, 0, 0);                                                      \
    }                                                                                                               \
    int cublas##LETTER##trmv_v2(cublasHandle_t handle, int uplo, int trans, int diag, int n, const void *a,         \
                                int lda, void *x, int incx)                                                         \
    {                                                                                                               \
        ENTER(handle);                                                                                              \
        return queue(handle, (struct call){.family = TRMV, .n = n, .lda = lda, .incx = incx, .a = a, .x = x},       \
                     letter, "trmv", NULL, NULL, element, uplo, trans, diag);                                       \
    }

ROUTINES(S, 's', symv, 4)
ROUTINES(D, 'd', symv, 8)
ROUTINES(C, 'c', hemv, 8)
ROUTINES(Z, 'z', hemv, 16)
