#include "common/log.h"
#include "gpu/exit_gate.h"
#include "gpu/vendor/solver_trial.h"

#include <stdio.h>
#include <string.h>

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
