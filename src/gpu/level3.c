#include "gpu/level3.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/exit_gate.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

/* The binary interface of cuBLAS, restated (cuBLAS documentation, v2 API; same in 11 to 13). */
typedef struct cublasContext *cublasHandle_t;
enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_EXECUTION_FAILED = 13 };
enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };

typedef int syr2k_s(cublasHandle_t, int uplo, int trans, int n, int k, const float *alpha, const float *a, int lda,
                    const float *b, int ldb, const float *beta, float *c, int ldc);
typedef int syr2k_d(cublasHandle_t, int uplo, int trans, int n, int k, const double *alpha, const double *a, int lda,
                    const double *b, int ldb, const double *beta, double *c, int ldc);

static struct {
    int (*create)(cublasHandle_t *);
    int (*set_stream)(cublasHandle_t, CUstream);
    syr2k_s *ssyr2k;
    syr2k_d *dsyr2k;
} cublas;

static const struct {
    const char *symbol;
    void *member;
} symbols[] = {
    {"cublasCreate_v2", &cublas.create},
    {"cublasSetStream_v2", &cublas.set_stream},
    {"cublasSsyr2k_v2", &cublas.ssyr2k},
    {"cublasDsyr2k_v2", &cublas.dsyr2k},
};

static cublasHandle_t handle; /* one for all lanes: a handle costs memory and a tenth of a second */
static pthread_mutex_t handle_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static bool available;

static void *open_library(void)
{
    static const char *const names[] = {
        "libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
        "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12",
        "/usr/local/cuda/lib64/libcublas.so.11",
    };
    const char *chosen = settings()->cublas;
    void *library = NULL;
    if (*chosen) {
        library = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            log_message(LOG_ERROR, "MUBLAS_CUBLAS: cannot open '%s': %s; level 3 stays on the host", chosen, dlerror());
        return library;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        log_message(LOG_WARNING, "cuBLAS was not found (libcublas.so.13, .12 or .11; MUBLAS_CUBLAS names another); "
                                 "level 3 stays on the host");
    return library;
}

static bool look_up(void *library)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(library, symbols[i].symbol);
        if (!address) {
            log_message(LOG_WARNING, "cuBLAS: %s is missing; level 3 stays on the host", symbols[i].symbol);
            return false;
        }
        memcpy(symbols[i].member, &address, sizeof address);
    }
    return true;
}

static void open_cublas(void)
{
    void *library = open_library();
    if (!library || !look_up(library))
        return;
    int result = cublas.create(&handle);
    if (result != CUBLAS_STATUS_SUCCESS) {
        log_message(LOG_WARNING, "creating a cuBLAS handle failed (status %d); level 3 stays on the host", result);
        return;
    }
    exit_gate_install(); /* again, to be before what it may have registered */
    available = true;
}

static bool fits_int(int64_t value)
{
    return value <= INT_MAX;
}

static bool is_known(const struct blas_call *call)
{
    return call->family == FAMILY_SYR2K && (call->type == TYPE_S || call->type == TYPE_D) && fits_int(call->n) &&
           fits_int(call->k) && fits_int(call->a.ld) && fits_int(call->b.ld) && fits_int(call->c.ld);
}

bool level3_supported(struct device *device, const struct blas_call *call)
{
    struct device_scope scope;
    if (!is_known(call) || device_enter(device, &scope) != STATUS_OK)
        return false;
    pthread_once(&open_once, open_cublas);
    device_leave(device, &scope);
    return available;
}

static int run_syr2k(const struct blas_call *call)
{
    int uplo = call->uplo == UPLO_LOWER ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    int trans = call->trans == TRANS_NONE ? CUBLAS_OP_N : CUBLAS_OP_T;
    int n = (int)call->n, k = (int)call->k;
    int lda = (int)call->a.ld, ldb = (int)call->b.ld, ldc = (int)call->c.ld;
    if (call->type == TYPE_S)
        return cublas.ssyr2k(handle, uplo, trans, n, k, &call->alpha.s, call->a.pointer, lda, call->b.pointer, ldb,
                             &call->beta.s, call->c.pointer, ldc);
    return cublas.dsyr2k(handle, uplo, trans, n, k, &call->alpha.d, call->a.pointer, lda, call->b.pointer, ldb,
                         &call->beta.d, call->c.pointer, ldc);
}

static enum status translate(struct lane *lane, int result)
{
    if (result == CUBLAS_STATUS_SUCCESS)
        return STATUS_OK;
    if (result == CUBLAS_STATUS_ALLOC_FAILED)
        return STATUS_OUT_OF_MEMORY;
    lane->broken = true;
    if (result == CUBLAS_STATUS_EXECUTION_FAILED) {
        device_disable(lane->device, "cuBLAS could not execute");
        return STATUS_DEVICE_LOST;
    }
    log_message(LOG_WARNING, "cuBLAS call failed (status %d)", result);
    return STATUS_DEVICE_ERROR;
}

enum status level3_run(struct lane *lane, const struct blas_call *call)
{
    if (!is_known(call))
        return STATUS_UNSUPPORTED;
    pthread_mutex_lock(&handle_lock);
    int result = cublas.set_stream(handle, lane->stream);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = run_syr2k(call);
    pthread_mutex_unlock(&handle_lock);
    return translate(lane, result);
}
