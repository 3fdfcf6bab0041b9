#include "gpu/cublas_library.h"
#include "common/settings.h"
#include "gpu/vendor_library.h"

#include <pthread.h>

static cublas_function *create_handle, *set_stream;
static cublas_function *routines[FAMILY_COUNT][TYPE_COUNT];

#define ROUTINE(family, type, name) \
    {"cublas" #type #name "_v2", &routines[FAMILY_##family][TYPE_##type], false}
#define COMPLEX(family, name) ROUTINE(family, C, name), ROUTINE(family, Z, name)
#define EVERY(family, name) ROUTINE(family, S, name), ROUTINE(family, D, name), COMPLEX(family, name)

static const struct vendor_symbol symbols[] = {
    {"cublasCreate_v2", &create_handle, false}, {"cublasSetStream_v2", &set_stream, false},
#define FAMILY(...)
#define LEVEL3_FAMILY(NAME, name, types, ...) types(NAME, name),
#include "common/families.def"
    {NULL, NULL, false},
};

static const char *const candidates[] = {
    "libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
    "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12",
    "/usr/local/cuda/lib64/libcublas.so.11", NULL,
};

static cublasHandle_t the_handle;
static pthread_mutex_t handle_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t find_once = PTHREAD_ONCE_INIT, open_once = PTHREAD_ONCE_INIT;
static const char *found;
static bool available, opened, missing;

static int create(void)
{
    return ((int (*)(cublasHandle_t *))create_handle)(&the_handle);
}

static const struct vendor_library cublas = {
    .name = "cuBLAS", .consequence = "level 3 stays on the host", .setting = "MUBLAS_CUBLAS",
    .candidates = candidates, .symbols = symbols, .create = create,
};

static void find_cublas(void)
{
    found = vendor_library_find(&cublas, settings()->cublas);
    if (!found)
        __atomic_store_n(&missing, true, __ATOMIC_RELEASE);
}

const char *cublas_library_find(void)
{
    pthread_once(&find_once, find_cublas);
    return found;
}

static void open_cublas(void)
{
    available = cublas_library_find() && vendor_library_open(&cublas, settings()->cublas);
    if (!available)
        __atomic_store_n(&missing, true, __ATOMIC_RELEASE);
    __atomic_store_n(&opened, true, __ATOMIC_RELEASE);
}

bool cublas_library_is_missing(void)
{
    return __atomic_load_n(&missing, __ATOMIC_ACQUIRE);
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
    return ((int (*)(cublasHandle_t, CUstream))set_stream)(the_handle, stream);
}

void cublas_library_release(void)
{
    pthread_mutex_unlock(&handle_lock);
}
