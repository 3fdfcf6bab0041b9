/* A small libcublas over the host's reference BLAS, in stream order: the handle. Levels 1 and 2
 * are in cublas_level2.c, level 3 in cublas_level3.c. */
#include "emulated_driver/cublas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MUBLAS_DEFAULT_HOST_BLAS
#define MUBLAS_DEFAULT_HOST_BLAS "libblas.so.3"
#endif

struct cublasContext {
    CUstream stream;
    int device;
};

/* Prototypes for the exports. */
EXPORT int cublasCreate_v2(cublasHandle_t *handle);
EXPORT int cublasDestroy_v2(cublasHandle_t handle);
EXPORT int cublasSetStream_v2(cublasHandle_t handle, CUstream stream);
EXPORT int cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
EXPORT int cublasGetVersion_v2(cublasHandle_t handle, int *version);
EXPORT int cublasSetPointerMode_v2(cublasHandle_t handle, int mode);
EXPORT int cublasSetMathMode(cublasHandle_t handle, int mode);

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

/* As cusolver_lapack.c's. */
void *cublas_host_routine(const char *name)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_once(&host_once, open_host);
    void *routine = dlsym(host_library, name);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!routine) {
        fprintf(stderr, "emulated cuBLAS: %s\n", dlerror());
        abort();
    }
    return routine;
}

/* As cuBLAS, whose routines set up what they need at their first use, and take it down in exit handlers. */
static atomic_bool is_gone;

static void take_down(void)
{
    is_gone = true;
}

static void set_up(void)
{
    atexit(take_down);
}

static void check_set_up(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    if (is_gone) {
        fprintf(stderr, "emulated cuBLAS: a routine after the exit handlers of its first use\n");
        abort();
    }
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
    emulated_hold("EMULATED_CUBLAS_HOLD");
    if (!(*handle = calloc(1, sizeof **handle)))
        abort();
    (*handle)->device = emulated_current_device();
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

void cublas_check_scalar(const char *routine, const void *scalar, size_t bytes)
{
    if (bytes < 16 || (size_t)scalar % 16 == 0)
        return;
    fprintf(stderr, "emulated cuBLAS: %s: a scalar of %zu bytes at %p\n", routine, bytes, scalar);
    abort();
}

int cublas_enqueue(cublasHandle_t handle, void (*function)(void *), const void *arguments, size_t bytes)
{
    emulated_check_device("cuBLAS", handle->device);
    check_set_up();
    const CUresult result = emulated_enqueue(handle->stream, function, arguments, bytes);
    check_set_up(); /* a call under way crashes, too */
    return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
