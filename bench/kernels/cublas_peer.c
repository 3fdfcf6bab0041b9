#include "cublas_peer.h"

#include "common/settings.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* cuBLAS's binary interface, restated (cuBLAS documentation, v2 API, 11 to 13), with void
 * for the element types. Its enumerations: CUBLAS_OP_N, T, C are 0, 1, 2 as enum blas_trans;
 * CUBLAS_FILL_MODE_LOWER, UPPER 0, 1 as enum blas_uplo; CUBLAS_DIAG_NON_UNIT, UNIT 0, 1 as
 * enum blas_diag; CUBLAS_ATOMICS_ALLOWED is 1. */
typedef struct cublasContext *cublasHandle_t;
typedef int axpy_function(cublasHandle_t, int n, const void *alpha, const void *x, int incx, void *y,
                          int incy);
typedef int gemv_function(cublasHandle_t, int trans, int m, int n, const void *alpha, const void *a, int lda,
                          const void *x, int incx, const void *beta, void *y, int incy);
typedef int symv_function(cublasHandle_t, int uplo, int n, const void *alpha, const void *a, int lda,
                          const void *x, int incx, const void *beta, void *y, int incy);
typedef int trmv_function(cublasHandle_t, int uplo, int trans, int diag, int n, const void *a, int lda,
                          void *x, int incx);

enum { WORKSPACE_BYTES = 32 << 20, TYPES = 4 };

static struct {
    int (*create)(cublasHandle_t *);
    int (*version)(cublasHandle_t, int *);
    int (*set_stream)(cublasHandle_t, CUstream);
    int (*set_workspace)(cublasHandle_t, void *, size_t);
    int (*set_atomics)(cublasHandle_t, int);
    axpy_function *axpy[TYPES];
    gemv_function *gemv[TYPES];
    symv_function *symv[TYPES]; /* hemv of the complex types */
    trmv_function *trmv[TYPES];
} cublas;

static cublasHandle_t handle;
static int version;

static const struct {
    const char *symbol;
    void *member;
} symbols[] = {
    {"cublasCreate_v2", &cublas.create},
    {"cublasGetVersion_v2", &cublas.version},
    {"cublasSetStream_v2", &cublas.set_stream},
    {"cublasSetWorkspace_v2", &cublas.set_workspace},
    {"cublasSetAtomicsMode", &cublas.set_atomics},
    {"cublasSaxpy_v2", &cublas.axpy[TYPE_S]}, {"cublasDaxpy_v2", &cublas.axpy[TYPE_D]},
    {"cublasCaxpy_v2", &cublas.axpy[TYPE_C]}, {"cublasZaxpy_v2", &cublas.axpy[TYPE_Z]},
    {"cublasSgemv_v2", &cublas.gemv[TYPE_S]}, {"cublasDgemv_v2", &cublas.gemv[TYPE_D]},
    {"cublasCgemv_v2", &cublas.gemv[TYPE_C]}, {"cublasZgemv_v2", &cublas.gemv[TYPE_Z]},
    {"cublasSsymv_v2", &cublas.symv[TYPE_S]}, {"cublasDsymv_v2", &cublas.symv[TYPE_D]},
    {"cublasChemv_v2", &cublas.symv[TYPE_C]}, {"cublasZhemv_v2", &cublas.symv[TYPE_Z]},
    {"cublasStrmv_v2", &cublas.trmv[TYPE_S]}, {"cublasDtrmv_v2", &cublas.trmv[TYPE_D]},
    {"cublasCtrmv_v2", &cublas.trmv[TYPE_C]}, {"cublasZtrmv_v2", &cublas.trmv[TYPE_Z]},
};

static void *open_library(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12",
                                        "/usr/local/cuda/lib64/libcublas.so.13",
                                        "/usr/local/cuda/lib64/libcublas.so.12"};
    const char *chosen = settings()->cublas;
    void *library = NULL;
    if (*chosen)
        library = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof names / sizeof *names && !library && !*chosen; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "measure: no cuBLAS, so no peers: %s\n", dlerror());
    return library;
}

static bool cublas_check(int result, const char *what)
{
    if (result)
        fprintf(stderr, "measure: cuBLAS: %s failed with status %d\n", what, result);
    return result == 0;
}

bool cublas_peer_open(struct lane *lane)
{
    CUdeviceptr workspace;
    void *library = open_library();
    if (!library)
        return false;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(library, symbols[i].symbol);
        if (!address) {
            fprintf(stderr, "measure: this cuBLAS has no %s, so no peers\n", symbols[i].symbol);
            return false;
        }
        memcpy(symbols[i].member, &address, sizeof address);
    }
    if (device_allocate(lane->device, WORKSPACE_BYTES, &workspace) != STATUS_OK)
        return false;
    if (!cublas_check(cublas.create(&handle), "cublasCreate"))
        return false;
    /* The workspace after the stream: setting a stream takes the workspace away. */
    return cublas_check(cublas.version(handle, &version), "cublasGetVersion") &&
           cublas_check(cublas.set_stream(handle, lane->stream), "cublasSetStream") &&
           cublas_check(cublas.set_workspace(handle, (void *)(uintptr_t)workspace, WORKSPACE_BYTES),
                        "cublasSetWorkspace");
}

int cublas_peer_version(void)
{
    return version;
}

bool cublas_peer_supports(const struct blas_call *call)
{
    const size_t element = blas_element_bytes(call->type);
    if ((int)call->type >= TYPES || call->m > INT_MAX || call->n > INT_MAX || call->a.ld > INT_MAX)
        return false;
    return ((uintptr_t)call->a.pointer | (uintptr_t)call->x.pointer | (uintptr_t)call->y.pointer) % element ==
           0;
}

enum status cublas_peer_set_atomics(bool allowed)
{
    return cublas_check(cublas.set_atomics(handle, allowed), "cublasSetAtomicsMode") ? STATUS_OK
                                                                                     : STATUS_DEVICE_ERROR;
}

enum status cublas_peer_queue(const struct blas_call *call)
{
    const int m = (int)call->m, n = (int)call->n, lda = (int)call->a.ld;
    const int incx = (int)call->x.increment, incy = (int)call->y.increment;
    const int trans = (int)call->trans, uplo = (int)call->uplo, diag = (int)call->diag;
    const void *a = call->a.pointer, *x = call->x.pointer, *alpha = &call->alpha, *beta = &call->beta;
    void *y = call->y.pointer;
    int result;
    switch (call->family) {
    case FAMILY_AXPY: result = cublas.axpy[call->type](handle, n, alpha, x, incx, y, incy); break;
    case FAMILY_GEMV:
        result = cublas.gemv[call->type](handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
        break;
    case FAMILY_SYMV:
    case FAMILY_HEMV:
        result = cublas.symv[call->type](handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy);
        break;
    case FAMILY_TRMV:
        result = cublas.trmv[call->type](handle, uplo, trans, diag, n, a, lda, call->x.pointer, incx);
        break;
    default: return STATUS_UNSUPPORTED;
    }
    return cublas_check(result, "a level 1 or 2 call") ? STATUS_OK : STATUS_UNSUPPORTED;
}
