#include "gpu/cublas_library.h"
#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/exit_gate.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
    int (*create)(cublasHandle_t *);
    int (*set_stream)(cublasHandle_t, CUstream);
} cublas;

static cublas_function *routines[FAMILY_COUNT][TYPE_COUNT];

static const struct {
    enum blas_family family;
    const char *name, *types;
} level3[] = {
    {FAMILY_GEMM, "gemm", "SDCZ"},   {FAMILY_SYMM, "symm", "SDCZ"}, {FAMILY_HEMM, "hemm", "CZ"},
    {FAMILY_SYRK, "syrk", "SDCZ"},   {FAMILY_HERK, "herk", "CZ"},   {FAMILY_SYR2K, "syr2k", "SDCZ"},
    {FAMILY_HER2K, "her2k", "CZ"},   {FAMILY_TRMM, "trmm", "SDCZ"}, {FAMILY_TRSM, "trsm", "SDCZ"},
};

static cublasHandle_t the_handle;
static pthread_mutex_t handle_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static bool available, opened;

static void *open_library(void)
{
    static const char *const names[] = {
        "libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
        "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12",
        "/usr/local/cuda/lib64/libcublas.so.11",
    };
    const char *chosen = settings()->cublas, *error;
    void *library = NULL;
    if (*chosen) {
        library = loader_open_or_why(chosen, RTLD_NOW | RTLD_LOCAL, &error);
        if (!library)
            log_message(LOG_ERROR, "MUBLAS_CUBLAS: cannot open '%s': %s; level 3 stays on the host", chosen, error);
        return library;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = loader_open(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        log_message(LOG_WARNING, "cuBLAS was not found (libcublas.so.13, .12 or .11; MUBLAS_CUBLAS names another); "
                                 "level 3 stays on the host");
    return library;
}

static bool look_up_one(void *library, const char *symbol, void *member)
{
    void *address = loader_symbol(library, symbol);
    if (!address)
        log_message(LOG_WARNING, "cuBLAS: %s is missing; what needs it stays on the host", symbol);
    else
        memcpy(member, &address, sizeof address);
    return address != NULL;
}

static bool look_up(void *library)
{
    static const char letters[] = "SDCZ"; /* in the order of enum blas_type */
    if (!look_up_one(library, "cublasCreate_v2", &cublas.create) ||
        !look_up_one(library, "cublasSetStream_v2", &cublas.set_stream))
        return false;
    for (size_t i = 0; i < sizeof level3 / sizeof *level3; i++) {
        for (const char *letter = level3[i].types; *letter; letter++) {
            char symbol[32];
            snprintf(symbol, sizeof symbol, "cublas%c%s_v2", *letter, level3[i].name);
            look_up_one(library, symbol, &routines[level3[i].family][strchr(letters, *letter) - letters]);
        }
    }
    return true;
}

static void open_library_and_handle(void)
{
    void *library = open_library();
    if (!library || !look_up(library))
        return;
    exit_gate_install(); /* to be before what it has registered */
    if (exit_gate_is_closed())
        return;
    int result = cublas.create(&the_handle);
    if (result != CUBLAS_STATUS_SUCCESS) {
        log_message(LOG_WARNING, "creating a cuBLAS handle failed (status %d); level 3 stays on the host", result);
        return;
    }
    exit_gate_install(); /* again: it may have registered more */
    available = true;
}

static void open_cublas(void)
{
    open_library_and_handle();
    loader_forget_error(); /* of what it opens and looks for itself */
    __atomic_store_n(&opened, true, __ATOMIC_RELEASE);
}

bool cublas_library_open(void)
{
    pthread_once(&open_once, open_cublas);
    return available;
}

bool cublas_library_was_opened(void)
{
    return __atomic_load_n(&opened, __ATOMIC_ACQUIRE);
}

cublas_function *cublas_library_routine(enum blas_family family, enum blas_type type)
{
    return routines[family][type];
}

int cublas_library_acquire(CUstream stream, cublasHandle_t *handle)
{
    pthread_mutex_lock(&handle_lock);
    *handle = the_handle;
    return cublas.set_stream(the_handle, stream);
}

void cublas_library_release(void)
{
    pthread_mutex_unlock(&handle_lock);
}
