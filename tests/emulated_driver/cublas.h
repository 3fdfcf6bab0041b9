/* cublas.h - what the files of the emulated cuBLAS share. */
#ifndef MUBLAS_EMULATED_CUBLAS_H
#define MUBLAS_EMULATED_CUBLAS_H

#include "emulated_driver/emulated.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct cublasContext *cublasHandle_t;
enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_VERSION_13 = 130000
};

/* Count the call; what a fault script injected. */
int cublas_enter(const char *function);

#define ENTER(handle)                             \
    do {                                          \
        int entered = cublas_enter(__func__);     \
        if (entered)                              \
            return entered;                       \
        if (!(handle))                            \
            return CUBLAS_STATUS_NOT_INITIALIZED; \
    } while (0)

/* A routine of the host BLAS, from its own handle: never the preloaded shim's. */
void *cublas_host_routine(const char *name);

/* The real cuBLAS reads a scalar of 16 bytes at once and faults where it is not at a multiple of
 * them (seen with cuBLAS 13.1): aborts. NULL passes. */
void cublas_check_scalar(const char *routine, const void *scalar, size_t bytes);

/* Queue a function that gets a copy of its arguments. */
int cublas_enqueue(cublasHandle_t handle, void (*function)(void *), const void *arguments, size_t bytes);

#endif
