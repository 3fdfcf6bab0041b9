/* The emulated cuSOLVER: handles, parameters, version, determinism, and the codes of flags and types. */
#include "emulated_driver/cusolver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLE_MARK = 0x50150001, PARAMS_MARK = 0x50150002 };

struct cusolverDnContext {
    int mark, mode;
    CUstream stream;
    int device;
};
struct cusolverDnParams {
    int mark;
};

void solver_abort(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("emulated cuSOLVER: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* A lost device shows as failed execution. */
int solver_enter(const char *function)
{
    const int result = emulated_enter(function);
    return result > CUSOLVER_STATUS_INVALID_WORKSPACE ? CUSOLVER_STATUS_EXECUTION_FAILED : result;
}

void solver_check_handle(const char *function, cusolverDnHandle_t handle)
{
    if (handle->mark != HANDLE_MARK)
        solver_abort("%s: %p is no handle", function, (void *)handle);
}

void solver_check_params(const char *function, cusolverDnParams_t params)
{
    if (params->mark != PARAMS_MARK)
        solver_abort("%s: %p is no params", function, (void *)params);
}

CUstream solver_stream(cusolverDnHandle_t handle)
{
    emulated_check_device("cuSOLVER", handle->device);
    return handle->stream;
}

int cusolverGetVersion(int *version)
{
    const int entered = solver_enter(__func__);
    if (!entered)
        *version = CUSOLVER_VERSION_12;
    return entered;
}

int cusolverDnCreate(cusolverDnHandle_t *handle)
{
    const int entered = solver_enter(__func__);
    if (entered)
        return entered;
    emulated_hold("EMULATED_CUSOLVER_HOLD");
    solver_open_lapack(); /* no host LAPACK shows here and not in the middle of a run */
    if (!(*handle = calloc(1, sizeof **handle)))
        abort();
    (*handle)->mark = HANDLE_MARK;
    (*handle)->device = emulated_current_device();
    (*handle)->mode = CUSOLVER_DETERMINISTIC_RESULTS;
    return CUSOLVER_STATUS_SUCCESS;
}

int cusolverDnDestroy(cusolverDnHandle_t handle)
{
    ENTER(handle);
    handle->mark = 0;
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

int cusolverDnSetStream(cusolverDnHandle_t handle, CUstream stream)
{
    ENTER(handle);
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}

int cusolverDnGetStream(cusolverDnHandle_t handle, CUstream *stream)
{
    ENTER(handle);
    *stream = handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}

static int set_mode(cusolverDnHandle_t handle, int mode)
{
    ENTER_AS("cusolverDnSetDeterministicMode", handle);
    if (solver_determinism() == DETERMINISM_REFUSED)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    if (mode != CUSOLVER_DETERMINISTIC_RESULTS && mode != CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS)
        return CUSOLVER_STATUS_INVALID_VALUE;
    handle->mode = mode;
    return CUSOLVER_STATUS_SUCCESS;
}

/* Asked by each dlsym: a library without the function answers NULL. */
static __typeof(set_mode) *find_set_mode(void)
{
    return solver_determinism() == DETERMINISM_MISSING ? NULL : set_mode;
}
int cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, int mode) __attribute__((ifunc("find_set_mode")));

static int get_mode(cusolverDnHandle_t handle, int *mode)
{
    ENTER_AS("cusolverDnGetDeterministicMode", handle);
    *mode = handle->mode;
    return CUSOLVER_STATUS_SUCCESS;
}

static __typeof(get_mode) *find_get_mode(void)
{
    return solver_determinism() == DETERMINISM_MISSING ? NULL : get_mode;
}
int cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, int *mode) __attribute__((ifunc("find_get_mode")));

int cusolverDnCreateParams(cusolverDnParams_t *params)
{
    const int entered = solver_enter(__func__);
    if (entered)
        return entered;
    if (!(*params = calloc(1, sizeof **params)))
        abort();
    (*params)->mark = PARAMS_MARK;
    return CUSOLVER_STATUS_SUCCESS;
}

int cusolverDnDestroyParams(cusolverDnParams_t params)
{
    const int entered = solver_enter(__func__);
    if (entered)
        return entered;
    if (!params)
        return CUSOLVER_STATUS_INVALID_VALUE;
    solver_check_params(__func__, params);
    params->mark = 0;
    free(params);
    return CUSOLVER_STATUS_SUCCESS;
}

static char letter_of(const char *function, const char *what, const char *letters, int code)
{
    if (code < 0 || code >= (int)strlen(letters))
        solver_abort("%s: %s is %d", function, what, code);
    return letters[code];
}

char solver_uplo(const char *function, int uplo)
{
    return letter_of(function, "uplo", "LU", uplo);
}

char solver_trans(const char *function, int trans)
{
    return letter_of(function, "trans", "NTC", trans);
}

char solver_jobz(const char *function, int jobz)
{
    return letter_of(function, "jobz", "NV", jobz);
}

char solver_side(const char *function, int side)
{
    return letter_of(function, "side", "LR", side);
}

char solver_diag(const char *function, int diag)
{
    return letter_of(function, "diag", "NU", diag);
}

enum part solver_triangle(int uplo)
{
    return uplo == 0 ? LOWER : UPPER;
}

char solver_type(const char *function, int data_type)
{
    switch (data_type) {
    case CUDA_R_32F: return 's';
    case CUDA_R_64F: return 'd';
    case CUDA_C_32F: return 'c';
    case CUDA_C_64F: return 'z';
    default: solver_abort("%s: a data type of %d", function, data_type);
    }
}

void solver_match(const char *function, char type, int data_type, bool real)
{
    if (solver_type(function, data_type) != (real ? solver_real(type) : type))
        solver_abort("%s: a data type of %d beside A of '%c'", function, data_type, type);
}
