/* A small libcublas over the host's reference BLAS, in stream order; levels 1 and 2 are in
 * cublas_level2.c. To add a routine: a line in cublas.def, its arguments in a struct, run_X and
 * cublasX_v2. */
#include "emulated_driver/cublas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MUBLAS_DEFAULT_HOST_BLAS
#define MUBLAS_DEFAULT_HOST_BLAS "libblas.so.3"
#endif

struct cublasContext {
    CUstream stream;
};

/* Prototypes for the exports. */
EXPORT int cublasCreate_v2(cublasHandle_t *handle);
EXPORT int cublasDestroy_v2(cublasHandle_t handle);
EXPORT int cublasSetStream_v2(cublasHandle_t handle, CUstream stream);
EXPORT int cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
EXPORT int cublasGetVersion_v2(cublasHandle_t handle, int *version);
EXPORT int cublasSetPointerMode_v2(cublasHandle_t handle, int mode);
EXPORT int cublasSetMathMode(cublasHandle_t handle, int mode);
EXPORT int cublasDsyr2k_v2(cublasHandle_t handle, int uplo, int trans, int n, int k, const double *alpha,
                           const double *a, int lda, const double *b, int ldb, const double *beta, double *c,
                           int ldc);
EXPORT int cublasSsyr2k_v2(cublasHandle_t handle, int uplo, int trans, int n, int k, const float *alpha,
                           const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                           int ldc);

static void *host_library;
static pthread_once_t host_once = PTHREAD_ONCE_INIT;

static void open_host(void)
{
    const char *name = getenv("EMULATED_HOST_BLAS");
    if (!name || !*name)
        name = MUBLAS_DEFAULT_HOST_BLAS;
    host_library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!host_library) {
        fprintf(stderr, "emulated cuBLAS: %s\n", dlerror());
        abort();
    }
}

void *cublas_host_routine(const char *name)
{
    pthread_once(&host_once, open_host);
    void *routine = dlsym(host_library, name);
    if (!routine) {
        fprintf(stderr, "emulated cuBLAS: %s\n", dlerror());
        abort();
    }
    return routine;
}

/* A lost device shows as failed execution. */
int cublas_enter(const char *function)
{
    int result = emulated_enter(function);
    return result > CUBLAS_STATUS_NOT_SUPPORTED ? CUBLAS_STATUS_EXECUTION_FAILED : result;
}

int cublasCreate_v2(cublasHandle_t *handle)
{
    ENTER(handle);
    if (!(*handle = calloc(1, sizeof **handle)))
        abort();
    cublas_host_routine("dsyr2k_"); /* no host BLAS shows here and not in the middle of a run */
    return CUBLAS_STATUS_SUCCESS;
}

int cublasDestroy_v2(cublasHandle_t handle)
{
    ENTER(handle);
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

int cublasSetStream_v2(cublasHandle_t handle, CUstream stream)
{
    ENTER(handle);
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

int cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    ENTER(handle);
    (void)workspace;
    (void)bytes;
    return CUBLAS_STATUS_SUCCESS;
}

int cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    ENTER(handle);
    *version = CUBLAS_VERSION_13;
    return CUBLAS_STATUS_SUCCESS;
}

int cublasSetPointerMode_v2(cublasHandle_t handle, int mode)
{
    ENTER(handle);
    return mode == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED; /* host pointers only */
}

int cublasSetMathMode(cublasHandle_t handle, int mode)
{
    ENTER(handle);
    (void)mode;
    return CUBLAS_STATUS_SUCCESS;
}

int cublas_enqueue(cublasHandle_t handle, void (*function)(void *), const void *arguments, size_t bytes)
{
    return emulated_enqueue(handle->stream, function, arguments, bytes) == CUDA_SUCCESS
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* --- syr2k: both types in one struct, scalars as they are in memory --- */

struct syr2k {
    const char *routine;
    char uplo, trans;
    int n, k, lda, ldb, ldc;
    double alpha, beta; /* the first bytes, for float */
    const void *a, *b;
    void *c;
};

static void run_syr2k(void *argument)
{
    struct syr2k *call = argument;
    void (*routine)(const char *, const char *, const int *, const int *, const void *, const void *,
                    const int *, const void *, const int *, const void *, void *, const int *, size_t,
                    size_t);
    void *address = cublas_host_routine(call->routine);
    memcpy(&routine, &address, sizeof routine);
    routine(&call->uplo, &call->trans, &call->n, &call->k, &call->alpha, call->a, &call->lda, call->b,
            &call->ldb, &call->beta, call->c, &call->ldc, 1, 1);
}

static int at_least_one(int value)
{
    return value > 1 ? value : 1;
}

static int queue_syr2k(cublasHandle_t handle, struct syr2k call, int uplo, int trans, const void *alpha,
                       const void *beta, size_t element_bytes)
{
    int rows = trans == 0 ? call.n : call.k;
    if (uplo < 0 || uplo > 1 || trans < 0 || trans > 2 || call.n < 0 || call.k < 0 || !alpha || !beta ||
        call.lda < at_least_one(rows) || call.ldb < at_least_one(rows) || call.ldc < at_least_one(call.n))
        return CUBLAS_STATUS_INVALID_VALUE;
    call.uplo = uplo == 0 ? 'L' : 'U';
    call.trans = trans == 0 ? 'N' : 'T';
    memcpy(&call.alpha, alpha, element_bytes);
    memcpy(&call.beta, beta, element_bytes);
    return cublas_enqueue(handle, run_syr2k, &call, sizeof call);
}

int cublasDsyr2k_v2(cublasHandle_t handle, int uplo, int trans, int n, int k, const double *alpha,
                    const double *a, int lda, const double *b, int ldb, const double *beta, double *c,
                    int ldc)
{
    ENTER(handle);
    return queue_syr2k(handle, (struct syr2k){"dsyr2k_", 0, 0, n, k, lda, ldb, ldc, 0, 0, a, b, c}, uplo,
                       trans, alpha, beta, sizeof *alpha);
}

int cublasSsyr2k_v2(cublasHandle_t handle, int uplo, int trans, int n, int k, const float *alpha,
                    const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc)
{
    ENTER(handle);
    return queue_syr2k(handle, (struct syr2k){"ssyr2k_", 0, 0, n, k, lda, ldb, ldc, 0, 0, a, b, c}, uplo,
                       trans, alpha, beta, sizeof *alpha);
}
