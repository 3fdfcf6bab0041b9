#include "gpu/vendor/cublas_library.h"
#include "common/device_list.h"
#include "common/log.h"
#include "common/settings.h"
#include "common/threads/held_signals.h"
#include "common/threads/once.h"
#include "gpu/vendor/vendor_library.h"

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

/* Of each device, by its place. */
static struct device_handle {
    cublasHandle_t handle;
    pthread_mutex_t lock;       /* for the use of the handle */
    bool is_made, was_refused;  /* under opening */
} handles[DEVICES_MAX] = {[0 ... DEVICES_MAX - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static struct once find_once = ONCE_INIT;
static const char *found;
static bool available, opened, missing;
static int opening_place;

static int create(void)
{
    struct device_handle *const own = &handles[opening_place];
    const int result = ((int (*)(cublasHandle_t *))create_handle)(&own->handle);
    __atomic_store_n(&own->is_made, result == CUBLAS_STATUS_SUCCESS, __ATOMIC_RELEASE);
    return result;
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
    once_run(&find_once, find_cublas);
    return found;
}

/* In the context of the first device that wants it. Under `opening`, as is the next. */
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

static void make_handle(struct device_handle *own, int place)
{
    opening_place = place;
    if (!opened)
        open_cublas();
    if (!available || own->is_made || own->was_refused)
        return;
    const int result = create();
    own->was_refused = result != CUBLAS_STATUS_SUCCESS;
    if (own->was_refused)
        log_message(LOG_WARNING, "cuBLAS makes no handle on another device (status %d); level 3 does not go there",
                    result);
}

bool cublas_library_open(int place)
{
    struct device_handle *const own = &handles[place];
    if (__atomic_load_n(&own->is_made, __ATOMIC_ACQUIRE))
        return true;
    struct held_signals before;
    held_signals_hold(&before);
    pthread_mutex_lock(&opening);
    make_handle(own, place);
    pthread_mutex_unlock(&opening);
    held_signals_return(&before);
    return own->is_made;
}

bool cublas_library_was_opened(void)
{
    return __atomic_load_n(&opened, __ATOMIC_ACQUIRE);
}

cublas_function *cublas_library_routine(enum blas_family family, enum blas_type type)
{
    return routines[family][type];
}

int cublas_library_acquire(int place, CUstream stream, cublasHandle_t *handle)
{
    pthread_mutex_lock(&handles[place].lock);
    *handle = handles[place].handle;
    return ((int (*)(cublasHandle_t, CUstream))set_stream)(*handle, stream);
}

void cublas_library_release(int place)
{
    pthread_mutex_unlock(&handles[place].lock);
}
