/* cublas_handles.h - cuBLAS' handles of a device: a thread has one alone while it queues a call.
 *
 * A handle that works in several streams at once gives other bits from call to call: its workspace is in use, and it
 * takes another algorithm (H200, cuBLAS 13, tests/gpu/test_product_streams 300 4096 200: 2578 of 3200 results differ).
 * So every stream has a handle of its own, made with its first call: 0.2 ms and 64 MiB on an H200. A service, which has
 * many streams, shares a few: each has a workspace as large as cuBLAS' own, and does what it does for a stream behind what
 * it did for the one before. On an H200 both ways give the same bits. Thread-safe. Source: cuBLAS documentation,
 * "Results reproducibility". */
#ifndef MUBLAS_GPU_VENDOR_CUBLAS_HANDLES_H
#define MUBLAS_GPU_VENDOR_CUBLAS_HANDLES_H

#include "gpu/driver.h"

#include <stdbool.h>

typedef struct cublasContext *cublasHandle_t;

/* cublasCreate, cublasSetStream and cublasSetWorkspace; the last may be NULL. */
struct cublas_makers {
    int (*create)(cublasHandle_t *);
    int (*set_stream)(cublasHandle_t, CUstream);
    int (*set_workspace)(cublasHandle_t, void *, size_t bytes);
};

/* Streams are to share handles from now on, on every device. Before the first is made. */
void cublas_handles_share(void);

/* The first of the device at `place` (device.h), inside its context: cuBLAS' status, 0 for success. One thread at a
 * time; not again after success. */
int cublas_handles_begin(int place, const struct cublas_makers *makers);

/* Queue a call in the stream, by a handle that no other thread has meanwhile. Returns cuBLAS' status: the call's, or 3 or
 * 13 where the driver has no memory or fails. May wait until others have queued theirs. One thread at a time for a
 * stream. Inside device_enter, after cublas_handles_begin. */
int cublas_handles_run(int place, CUstream stream, int call(cublasHandle_t, const void *), const void *argument);

#endif
