#include "common/blas_call.h"
#include "common/interruption.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/vendor/cublas_handles.h"
#include "gpu/vendor/vendor_library.h"

#include <limits.h>
#include <pthread.h>

static cublas_function *create_handle, *set_stream, *set_workspace;
static cublas_function *routines[FAMILY_COUNT][TYPE_COUNT];

#define ROUTINE(family, type, name) \
    {"cublas" #type #name "_v2", &routines[FAMILY_##family][TYPE_##type], false}
#define COMPLEX(family, name) ROUTINE(family, C, name), ROUTINE(family, Z, name)
#define EVERY(family, name) ROUTINE(family, S, name), ROUTINE(family, D, name), COMPLEX(family, name)

static const struct vendor_symbol symbols[] = {
    {"cublasCreate_v2", &create_handle, false}, {"cublasSetStream_v2", &set_stream, false},
    {"cublasSetWorkspace_v2", &set_workspace, true},
#define FAMILY(...)
#define LEVEL3_FAMILY(NAME, name, types, ...) types(NAME, name),
#include "common/routines.def"
    {NULL, NULL, false},
};

static const char *const candidates[] = {
    "libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
    "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12",
    "/usr/local/cuda/lib64/libcublas.so.11", NULL,
};

/* Devices by their places. The first handle of one takes a tenth of a second. */
static struct device_handles {
    bool is_made, was_refused; /* under opening */
} devices[DEVICES_MAX];

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static struct once find_once = ONCE_INIT;
static const char *found;
static bool available, opened, missing;
static int opening_place;

static int create(void)
{
    const struct cublas_makers makers = {(int (*)(cublasHandle_t *))create_handle,
                                         (int (*)(cublasHandle_t, CUstream))set_stream,
                                         (int (*)(cublasHandle_t, void *, size_t))set_workspace};
    const int result = cublas_handles_begin(opening_place, &makers);
    __atomic_store_n(&devices[opening_place].is_made, result == CUBLAS_STATUS_SUCCESS, __ATOMIC_RELEASE);
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
    const struct vendor_provider *const provider = vendor_library_provider();
    available = provider ? provider->open(cublas.name)
                         : cublas_library_find() && vendor_library_open(&cublas, settings()->cublas);
    if (!available)
        __atomic_store_n(&missing, true, __ATOMIC_RELEASE);
    __atomic_store_n(&opened, true, __ATOMIC_RELEASE);
}

static void make_handle(struct device_handles *own, int place)
{
    opening_place = place;
    if (!opened)
        open_cublas();
    if (!available || own->is_made || own->was_refused)
        return;
    if (vendor_library_provider()) {
        __atomic_store_n(&own->is_made, true, __ATOMIC_RELEASE); /* the handle is there, too */
        return;
    }
    const int result = create();
    own->was_refused = result != CUBLAS_STATUS_SUCCESS;
    if (own->was_refused)
        log_message(LOG_WARNING, "cuBLAS makes no handle on another device (status %d); level 3 does not go there",
                    result);
}

bool cublas_library_open(int place)
{
    struct device_handles *const own = &devices[place];
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

static bool fits_int(int64_t value)
{
    return value <= INT_MAX;
}

static bool is_known(const struct blas_call *call)
{
    return call->family >= FAMILY_GEMM && call->family < FAMILY_COUNT && call->type < TYPE_W &&
           fits_int(call->m) && fits_int(call->n) && fits_int(call->k) && fits_int(call->a.ld) &&
           fits_int(call->b.ld) && fits_int(call->c.ld);
}

size_t level3_alignment(const struct blas_call *call)
{
    return call->family >= FAMILY_GEMM ? blas_element_bytes(call->type) : 0;
}

/* Nobody is inside yet: to enter takes several calls of the driver. */
static bool open_from_outside(struct device *device)
{
    struct device_scope scope;
    if (__atomic_load_n(&devices[device_place(device)].is_made, __ATOMIC_ACQUIRE))
        return true;
    if (device_enter(device, &scope) != STATUS_OK)
        return false;
    const bool is_available = cublas_library_open(device_place(device));
    device_leave(device, &scope);
    return is_available;
}

bool level3_supported(struct device *device, const struct blas_call *call)
{
    return is_known(call) && open_from_outside(device) &&
           (vendor_library_provider() || routines[call->family][call->type] != NULL);
}

void level3_load(void)
{
    const char *const file = cublas_library_find();
    if (file)
        vendor_library_load(file);
}

bool level3_is_missing(void)
{
    return __atomic_load_n(&missing, __ATOMIC_ACQUIRE);
}

void level3_open(struct device *device)
{
    struct device_scope scope;
    if (device_enter(device, &scope) != STATUS_OK)
        return;
    cublas_library_open(device_place(device));
    device_leave(device, &scope);
}

bool level3_is_open(void)
{
    return __atomic_load_n(&opened, __ATOMIC_ACQUIRE);
}

static int transposition(enum blas_trans trans)
{
    return trans == TRANS_NONE ? CUBLAS_OP_N : trans == TRANS_TRANSPOSE ? CUBLAS_OP_T : CUBLAS_OP_C;
}

/* An argument as cuBLAS takes it, in a word; a real scalar is the first half of a complex one. */
static uintptr_t argument_word(const struct blas_call *call, enum blas_argument argument)
{
    switch (argument) {
    case ARGUMENT_SIDE: return call->side == SIDE_LEFT ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
    case ARGUMENT_UPLO: return call->uplo == UPLO_LOWER ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    case ARGUMENT_TRANS: return transposition(call->trans);
    case ARGUMENT_TRANS_B: return transposition(call->trans_b);
    case ARGUMENT_DIAG: return call->diag == DIAG_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    case ARGUMENT_M: return (uintptr_t)call->m;
    case ARGUMENT_N: return (uintptr_t)call->n;
    case ARGUMENT_K: return (uintptr_t)call->k;
    case ARGUMENT_ALPHA: return (uintptr_t)&call->alpha;
    case ARGUMENT_BETA: return (uintptr_t)&call->beta;
    case ARGUMENT_A: return (uintptr_t)call->a.pointer;
    case ARGUMENT_B: return (uintptr_t)call->b.pointer;
    case ARGUMENT_C: return (uintptr_t)call->c.pointer;
    case ARGUMENT_LDA: return (uintptr_t)call->a.ld;
    case ARGUMENT_LDB: return (uintptr_t)call->b.ld;
    case ARGUMENT_LDC: return (uintptr_t)call->c.ld;
    case ARGUMENT_X:
    case ARGUMENT_Y:
    case ARGUMENT_INCX:
    case ARGUMENT_INCY: break; /* of other levels */
    }
    return 0;
}

/* Integers of 32 bits are the lower halves of words, and more words than a routine takes do not matter to it.
 * trmm alone has its result behind, which may be its B. */
static int run(cublasHandle_t handle, const void *argument)
{
    const struct blas_call *const call = argument;
    cublas_function *const routine = routines[call->family][call->type];
    const struct blas_signature *signature = &blas_families[call->family].signature;
    uintptr_t w[BLAS_ARGUMENTS_MOST + 2] = {0};
    for (int i = 0; i < signature->argument_count; i++)
        w[i] = argument_word(call, (enum blas_argument)signature->arguments[i]);
    if (call->family == FAMILY_TRMM) {
        w[signature->argument_count] = argument_word(call, ARGUMENT_C);
        w[signature->argument_count + 1] = argument_word(call, ARGUMENT_LDC);
    }
    return ((cublas_level3 *)routine)(handle, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9],
                                      w[10], w[11], w[12]);
}

static enum status translate(struct device *device, int result)
{
    if (result == CUBLAS_STATUS_SUCCESS)
        return STATUS_OK;
    if (result == CUBLAS_STATUS_ALLOC_FAILED)
        return STATUS_OUT_OF_MEMORY;
    if (result == CUBLAS_STATUS_EXECUTION_FAILED) {
        device_disable(device, "cuBLAS could not execute");
        return STATUS_DEVICE_LOST;
    }
    log_message(LOG_WARNING, "cuBLAS call failed (status %d)", result);
    return STATUS_DEVICE_ERROR;
}

/* Zeros for the imaginary parts of a Hermitian C's diagonal, which BLAS does not read: the
 * cher2k of cuBLAS 13 multiplies them by beta, and what is not a number there spreads. */
static enum status clear_imaginary_diagonal(struct device *device, CUstream stream,
                                            const struct blas_call *call)
{
    const size_t element = blas_element_bytes(call->type), half = element / 2;
    if ((call->family != FAMILY_HER2K && call->family != FAMILY_HERK) ||
        blas_scalar_is_zero(call->type, call->beta))
        return STATUS_OK;
    return device_check(device,
                        driver()->words_set_2d_async((uintptr_t)call->c.pointer + half,
                                                     ((size_t)call->c.ld + 1) * element, 0,
                                                     half / sizeof(unsigned), (size_t)call->n, stream),
                        "clearing a Hermitian diagonal's imaginary parts");
}

enum status level3_queue(struct device *device, CUstream stream, const struct blas_call *call)
{
    if (!is_known(call))
        return STATUS_UNSUPPORTED;
    enum status status = clear_imaginary_diagonal(device, stream, call);
    if (status != STATUS_OK)
        return status;
    if (vendor_library_provider())
        return device_check(device, vendor_library_provider()->level3(stream, call), "calling cuBLAS");
    return translate(device, cublas_handles_run(device_place(device), stream, run, call));
}

enum status level3_run(struct lane *lane, const struct blas_call *call)
{
    const enum status status = level3_queue(lane->device, lane->stream, call);
    lane->broken = lane->broken || status == STATUS_DEVICE_LOST || status == STATUS_DEVICE_ERROR;
    return status;
}
