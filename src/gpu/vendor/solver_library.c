#include "gpu/vendor/solver_library.h"
#include "common/interruption.h"
#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "gpu/vendor/vendor_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Failed execution need not be the device's: where it is, the next wait for the stream says so. */
static enum status translate(const struct solver_library *library, const char *name, int result,
                             int alloc_failed, int not_supported, const char *what)
{
    if (result == 0) /* success, in either library */
        return STATUS_OK;
    if (result == alloc_failed)
        return STATUS_OUT_OF_MEMORY;
    if (result == not_supported)
        return STATUS_UNSUPPORTED;
    log_message(LOG_WARNING, "%s: %s failed (status %d)", name, what, result);
    return device_is_usable(library->device) ? STATUS_DEVICE_ERROR : STATUS_DEVICE_LOST;
}

enum status solver_status(const struct solver_library *library, int result, const char *what)
{
    return translate(library, "cuSOLVER", result, CUSOLVER_STATUS_ALLOC_FAILED,
                     CUSOLVER_STATUS_NOT_SUPPORTED, what);
}

enum status solver_blas_status(const struct solver_library *library, int result, const char *what)
{
    return translate(library, "cuBLAS", result, CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_NOT_SUPPORTED,
                     what);
}

static int make_deterministic(const struct solver_library *library, cusolverDnHandle_t solver)
{
    int mode = 0;
    const int result = library->set_deterministic_mode(solver, CUSOLVER_DETERMINISTIC_RESULTS);
    if (result != CUSOLVER_STATUS_SUCCESS)
        return result;
    const int asked = library->get_deterministic_mode(solver, &mode);
    return asked != CUSOLVER_STATUS_SUCCESS           ? asked
           : mode == CUSOLVER_DETERMINISTIC_RESULTS ? CUSOLVER_STATUS_SUCCESS
                                                      : CUSOLVER_STATUS_NOT_SUPPORTED;
}

static int make_solver(struct solver_handle *handle, const char **step)
{
    const struct solver_library *library = handle->library;
    *step = "its handle cannot be created";
    int result = library->create(&handle->solver);
    if (result == CUSOLVER_STATUS_SUCCESS) {
        *step = "its stream cannot be set";
        result = library->set_stream(handle->solver, handle->stream);
    }
    if (result == CUSOLVER_STATUS_SUCCESS) {
        *step = "its results cannot be made deterministic";
        result = make_deterministic(library, handle->solver);
    }
    if (result == CUSOLVER_STATUS_SUCCESS) {
        *step = "its parameters cannot be created";
        result = library->create_params(&handle->params);
    }
    return result;
}

static int make_cublas(struct solver_handle *handle, const char **step)
{
    const struct solver_library *library = handle->library;
    *step = "the handle of its cuBLAS cannot be created";
    int result = library->blas_create(&handle->cublas);
    if (result != CUBLAS_STATUS_SUCCESS)
        return result;
    *step = "its cuBLAS cannot be set up";
    result = library->blas_set_stream(handle->cublas, handle->stream);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = library->blas_set_pointer_mode(handle->cublas, CUBLAS_POINTER_MODE_HOST);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = library->blas_set_atomics_mode(handle->cublas, CUBLAS_ATOMICS_NOT_ALLOWED);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = library->blas_set_math_mode(handle->cublas, CUBLAS_DEFAULT_MATH);
    return result;
}

enum status solver_handle_make(const struct solver_library *library, CUstream stream,
                               struct solver_handle *handle, char fault[SOLVER_FAULT_BYTES])
{
    const char *step;
    *handle = (struct solver_handle){.library = library, .stream = stream};
    int result = make_solver(handle, &step);
    bool is_short = result == CUSOLVER_STATUS_ALLOC_FAILED;
    if (result == CUSOLVER_STATUS_SUCCESS) {
        result = make_cublas(handle, &step);
        is_short = result == CUBLAS_STATUS_ALLOC_FAILED;
    }
    exit_gate_install(); /* they may have registered more */
    if (result == 0)
        return STATUS_OK;
    snprintf(fault, SOLVER_FAULT_BYTES, "%s (status %d)", step, result);
    solver_handle_destroy(handle);
    return is_short                              ? STATUS_OUT_OF_MEMORY
           : device_is_usable(library->device) ? STATUS_DEVICE_ERROR
                                                 : STATUS_DEVICE_LOST;
}

enum status solver_handle_create(const struct solver_library *library, CUstream stream,
                                 struct solver_handle *handle)
{
    char fault[SOLVER_FAULT_BYTES];
    const enum status status = solver_handle_make(library, stream, handle, fault);
    if (status != STATUS_OK)
        log_message(status == STATUS_OUT_OF_MEMORY ? LOG_INFO : LOG_WARNING, "cuSOLVER: %s", fault);
    return status;
}

void solver_handle_destroy(struct solver_handle *handle)
{
    const struct solver_library *library = handle->library;
    if (library && device_is_usable(library->device)) {
        if (handle->params)
            library->destroy_params(handle->params);
        if (handle->cublas)
            library->blas_destroy(handle->cublas);
        if (handle->solver)
            library->destroy(handle->solver);
    }
    memset(handle, 0, sizeof *handle);
}

int solver_data_type(enum blas_type type)
{
    static const int types[SOLVER_TYPES] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    return types[type];
}

int solver_real_type(enum blas_type type)
{
    static const int types[SOLVER_TYPES] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_32F, CUDA_R_64F};
    return types[type];
}

/* All of them. */
static bool fit(int64_t first, int64_t second, int64_t third, int64_t fourth, int64_t fifth, int64_t sixth)
{
    return first <= INT_MAX && second <= INT_MAX && third <= INT_MAX && fourth <= INT_MAX &&
           fifth <= INT_MAX && sixth <= INT_MAX;
}

/* Goes by the wide interface where there is one, else by the narrow one, if all numbers fit. */
#define LEVEL3(routine, fits, ...)                                                                           \
    (handle->library->wide.routine[type] ? handle->library->wide.routine[type](handle->cublas, __VA_ARGS__)  \
     : (fits) ? handle->library->narrow.routine[type](handle->cublas, __VA_ARGS__)                           \
              : CUBLAS_STATUS_NOT_SUPPORTED)

int solver_gemm(const struct solver_handle *handle, enum blas_type type, int trans_a, int trans_b, int64_t m,
                int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, const void *beta, void *c, int64_t ldc)
{
    return LEVEL3(gemm, fit(m, n, k, lda, ldb, ldc), trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta,
                  c, ldc);
}

int solver_her2k(const struct solver_handle *handle, enum blas_type type, int uplo, int trans, int64_t n,
                 int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                 const void *beta, void *c, int64_t ldc)
{
    return LEVEL3(her2k, fit(n, k, lda, ldb, ldc, 0), uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

int solver_trmm(const struct solver_handle *handle, enum blas_type type, int side, int uplo, int trans,
                int diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, void *c, int64_t ldc)
{
    return LEVEL3(trmm, fit(m, n, lda, ldb, ldc, 0), side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c,
                  ldc);
}

int solver_trsm(const struct solver_handle *handle, enum blas_type type, int side, int uplo, int trans,
                int diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b,
                int64_t ldb)
{
    return LEVEL3(trsm, fit(m, n, lda, ldb, 0, 0), side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}
