#include "gpu/vendor/solver_library.h"
#include "common/interruption.h"
#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "gpu/vendor/vendor_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* The library as opened for the first device, and each device's own copy of it. */
static struct solver_library the_library;
static struct own_library {
    struct solver_library library;
    bool is_good, is_tried;
    enum status eigensolvers; /* once they were tried: STATUS_OK or STATUS_UNSUPPORTED */
    struct own_library *next;
} *own_libraries; /* under open_lock */

#define NEEDED false
#define OPTIONAL true
#define FOUR(prefix, real, complex, suffix, array, need) \
    {prefix "S" real suffix, &(array)[TYPE_S], need}, {prefix "D" real suffix, &(array)[TYPE_D], need}, \
        {prefix "C" complex suffix, &(array)[TYPE_C], need}, \
        {prefix "Z" complex suffix, &(array)[TYPE_Z], need},
#define SOLVER_FUNCTION(member, symbol, need, parameters) {symbol, &the_library.member, need},
#define SOLVER_TYPED(member, real, complex, need, parameters) \
    FOUR("cusolverDn", real, complex, "", the_library.member, need)
#define SOLVER_BLAS(member, real, complex, parameters)                           \
    FOUR("cublas", real, complex, "_v2", the_library.narrow.member, NEEDED)      \
    FOUR("cublas", real, complex, "_v2_64", the_library.wide.member, OPTIONAL)
static const struct vendor_symbol symbols[] = {
#include "gpu/vendor/solver.def"
    {NULL, NULL, false},
};

static const char *const candidates[] = {
    "libcusolver.so.12", "libcusolver.so.11",
    "/usr/local/cuda/lib64/libcusolver.so.12", "/usr/local/cuda/lib64/libcusolver.so.11", NULL,
};

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct once find_once = ONCE_INIT;
static const char *found;
static bool available, opened, missing;
static char wrong[SOLVER_REASON_BYTES];

static const char *file_of(const void *function)
{
    Dl_info info;
    return loader_address(*(void *const *)function, &info) && info.dli_fname ? info.dli_fname : "an unknown file";
}

static const char *try_pair(void)
{
    const struct vendor_provider *const provider = vendor_library_provider();
    char fault[SOLVER_FAULT_BYTES];
    if (provider) {
        the_library.file = the_library.blas_file = "the service";
        the_library.version_number = provider->solver_version();
        return NULL;
    }
    the_library.file = file_of(&the_library.create);
    the_library.blas_file = file_of(&the_library.blas_create);
    if (the_library.version(&the_library.version_number) != CUSOLVER_STATUS_SUCCESS)
        the_library.version_number = 0;
    if (solver_trial_passes(&the_library, fault))
        return NULL;
    snprintf(wrong, sizeof wrong, "%s (%s with %s)", fault, the_library.file, the_library.blas_file);
    return wrong;
}

static const struct vendor_library cusolver = {
    .name = "cuSOLVER", .consequence = "LAPACK stays on the host", .setting = "MUBLAS_CUSOLVER",
    .candidates = candidates, .symbols = symbols, .trial = try_pair,
};

static void find_cusolver(void)
{
    found = vendor_library_find(&cusolver, settings()->cusolver);
    if (!found)
        __atomic_store_n(&missing, true, __ATOMIC_RELEASE);
}

const char *solver_library_find(void)
{
    once_run(&find_once, find_cusolver);
    return found;
}

/* Under open_lock, as are the next two. */
static void open_pair(struct device *device)
{
    the_library.device = device;
    const bool good = solver_library_find() && vendor_library_open(&cusolver, settings()->cusolver);
    if (good)
        log_message(LOG_INFO, "cuSOLVER %d is open: %s with %s", the_library.version_number, the_library.file,
                    the_library.blas_file);
    else if (!device_is_usable(device))
        return; /* it says nothing of other devices */
    else
        __atomic_store_n(&missing, true, __ATOMIC_RELEASE);
    __atomic_store_n(&available, good, __ATOMIC_RELEASE);
    __atomic_store_n(&opened, true, __ATOMIC_RELEASE);
}

/* On a device other than the one that it was opened for. */
static bool passes(const struct solver_library *library)
{
    char fault[SOLVER_FAULT_BYTES];
    if (library->device == the_library.device || solver_trial_passes(library, fault))
        return true;
    log_message(LOG_WARNING, "cuSOLVER is not used on device %d: %s",
                device_properties(library->device)->ordinal, fault);
    return false;
}

/* The device's own copy; NULL: there is none, or no memory. */
static const struct own_library *own_library_of(struct device *device)
{
    struct own_library *own = own_libraries;
    if (!opened)
        open_pair(device);
    while (own && own->library.device != device)
        own = own->next;
    if (!own && available && (own = malloc(sizeof *own))) {
        *own = (struct own_library){.library = the_library, .next = own_libraries};
        own->library.device = device;
        own->is_good = passes(&own->library);
        own_libraries = own;
    }
    return own;
}

enum status solver_library_open(struct device *device, const struct solver_library **library)
{
    struct device_scope scope;
    struct held_signals before;
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    held_signals_hold(&before);
    pthread_mutex_lock(&open_lock);
    const struct own_library *const own = own_library_of(device);
    pthread_mutex_unlock(&open_lock);
    held_signals_return(&before);
    device_leave(device, &scope);
    if (!own || !own->is_good)
        return device_is_usable(device) ? STATUS_UNSUPPORTED : STATUS_DEVICE_LOST;
    *library = &own->library;
    return STATUS_OK;
}

/* Under open_lock. */
static enum status try_eigensolvers(struct own_library *own)
{
    char fault[SOLVER_FAULT_BYTES];
    const struct vendor_provider *const provider = vendor_library_provider();
    const enum status status = !provider                     ? solver_trial_of_eigensolvers(&own->library, fault)
                               : provider->has_eigensolvers() ? STATUS_OK
                                                              : STATUS_UNSUPPORTED;
    if (status == STATUS_OUT_OF_MEMORY || !device_is_usable(own->library.device))
        return status;
    own->is_tried = true;
    own->eigensolvers = status == STATUS_OK ? STATUS_OK : STATUS_UNSUPPORTED;
    if (status != STATUS_OK && !provider)
        log_message(LOG_WARNING, "cuSOLVER's eigensolvers are not used: %s (%s with %s)", fault,
                    own->library.file, own->library.blas_file);
    return own->eigensolvers;
}

enum status solver_library_try_eigensolvers(const struct solver_library *library)
{
    struct own_library *const own = (struct own_library *)(uintptr_t)library; /* its first member */
    struct device_scope scope;
    struct held_signals before;
    enum status status = device_enter(library->device, &scope);
    if (status != STATUS_OK)
        return status;
    held_signals_hold(&before); /* NVIDIA's libraries open others with their handles */
    pthread_mutex_lock(&open_lock);
    status = own->is_tried ? own->eigensolvers : try_eigensolvers(own);
    pthread_mutex_unlock(&open_lock);
    held_signals_return(&before);
    device_leave(library->device, &scope);
    return status;
}

void solver_library_load(void)
{
    const char *const file = solver_library_find();
    if (file)
        vendor_library_load(file);
}

bool solver_library_was_opened(void)
{
    return __atomic_load_n(&opened, __ATOMIC_ACQUIRE);
}

bool solver_library_is_open(void)
{
    return __atomic_load_n(&available, __ATOMIC_ACQUIRE);
}

bool solver_library_is_missing(void)
{
    return __atomic_load_n(&missing, __ATOMIC_ACQUIRE);
}
