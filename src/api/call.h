/* call.h - one call of the native API, its routine and type erased. The exported routines fill it in and have it
 * checked and queued. */
#ifndef MUBLAS_CALL_H
#define MUBLAS_CALL_H

#include "api/handle.h"
#include "common/blas_call.h"

/* The arguments as given; those that the routine does not have are 0. axpy and trmv have no beta, trmv no
 * alpha and no y. */
struct native_call {
    const char *function; /* "mublas_dgemv" */
    enum blas_family family;
    enum blas_type type;
    enum mublas_uplo uplo;
    enum mublas_trans trans;
    enum mublas_diag diag;
    int64_t m, n;
    const void *alpha, *a, *x, *beta;
    int64_t lda, incx, incy;
    void *y;
};

#endif
