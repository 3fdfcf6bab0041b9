/* A small libcublas over the host's reference BLAS, in stream order: the handle. Levels 1 and 2
 * are in cublas_level2.c, level 3 in cublas_level3.c. */
#include "emulated_driver/cublas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MUBLAS_DEFAULT_HOST_BLAS
#define MUBLAS_DEFAULT_HOST_BLAS "libblas.so.3"
#endif

enum { ARGUMENTS_MOST = 512 };

struct cublasContext {
    CUstream stream, last; /* of the next call; of the one before */
    int device;
    bool has_workspace;
    bool is_solvers; /* it goes from stream to stream with one of cuSOLVER's, behind its own work */
    atomic_int users; /* its owner, and calls that are queued */
    unsigned queued;
    atomic_uint next; /* of those, behind the last that ran; a failure may leave some out */
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
    (*handle)->users = 1;
    cublas_host_routine("dsyr2k_"); /* no host BLAS shows here and not in the middle of a run */
    return CUBLAS_STATUS_SUCCESS;
}

static void leave(cublasHandle_t handle)
{
    if (atomic_fetch_sub(&handle->users, 1) == 1)
        free(handle);
}

int cublasDestroy_v2(cublasHandle_t handle)
{
    ENTER(handle);
    leave(handle);
    return CUBLAS_STATUS_SUCCESS;
}

int cublasSetStream_v2(cublasHandle_t handle, CUstream stream)
{
    ENTER(handle);
    handle->stream = stream;
    handle->has_workspace = false;
    return CUBLAS_STATUS_SUCCESS;
}

int cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    ENTER(handle);
    handle->has_workspace = workspace && bytes > 0;
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
    handle->is_solvers = true;
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

/* A call as it is queued. */
struct queued {
    cublasHandle_t handle;
    void (*function)(void *);
    unsigned turn;
    alignas(16) unsigned char arguments[ARGUMENTS_MOST];
};

static void refuse(const char *what)
{
    fprintf(stderr, "emulated cuBLAS: %s: the bits of its results depend on time\n", what);
    abort();
}

/* Calls of one handle use one workspace. */
static void run(void *argument)
{
    struct queued *const queued = argument;
    if (atomic_exchange(&queued->handle->next, queued->turn + 1) > queued->turn)
        refuse("nothing orders two calls of a handle");
    queued->function(queued->arguments);
    leave(queued->handle);
}

/* As cuBLAS, which takes another algorithm while a handle's own workspace is in use in another stream. Whether it does
 * where the streams wait for each other is not known. */
static void check_streams(cublasHandle_t handle)
{
    if (handle->users > 1 && handle->last != handle->stream && !handle->has_workspace && !handle->is_solvers)
        refuse("a handle without a workspace of the program's works in two streams at once");
    handle->last = handle->stream;
}

static CUresult queue_once(cublasHandle_t handle, void (*function)(void *), const void *arguments, size_t bytes)
{
    struct queued queued = {.handle = handle, .function = function};
    check_streams(handle);
    if (bytes > sizeof queued.arguments)
        abort();
    memcpy(queued.arguments, arguments, bytes);
    atomic_fetch_add(&handle->users, 1);
    queued.turn = handle->queued++;
    const CUresult result = emulated_enqueue(handle->stream, run, &queued, sizeof queued);
    if (result != CUDA_SUCCESS) {
        handle->queued--;
        leave(handle);
    }
    return result;
}

/* A captured call runs as often as its graph does, with memory of the graph's own. */
int cublas_enqueue(cublasHandle_t handle, void (*function)(void *), const void *arguments, size_t bytes)
{
    emulated_check_device("cuBLAS", handle->device);
    check_set_up();
    const CUresult result = emulated_is_captured(handle->stream)
                                ? emulated_enqueue(handle->stream, function, arguments, bytes)
                                : queue_once(handle, function, arguments, bytes);
    check_set_up(); /* a call under way crashes, too */
    return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
