/* cusolver_exports.h - what the emulated libcusolver exports, with NVIDIA's parameters: enumerations are
 * int, operands without type. Tests take the types of functions from here. */
#ifndef MUBLAS_EMULATED_CUSOLVER_EXPORTS_H
#define MUBLAS_EMULATED_CUSOLVER_EXPORTS_H

#include "gpu/driver.h"

#include <stddef.h>
#include <stdint.h>

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;

int cusolverGetVersion(int *version);
int cusolverDnCreate(cusolverDnHandle_t *handle);
int cusolverDnDestroy(cusolverDnHandle_t handle);
int cusolverDnSetStream(cusolverDnHandle_t handle, CUstream stream);
int cusolverDnGetStream(cusolverDnHandle_t handle, CUstream *stream);
int cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, int mode);
int cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, int *mode);
int cusolverDnCreateParams(cusolverDnParams_t *params);
int cusolverDnDestroyParams(cusolverDnParams_t params);
int cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int uplo,
                                       int64_t n, int type_a, const void *a, int64_t lda, int type_w, const void *w,
                                       int type_compute, size_t *device_bytes, size_t *host_bytes);
int cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int uplo, int64_t n,
                            int type_a, void *a, int64_t lda, int type_w, void *w, int type_compute,
                            void *device_buffer, size_t device_bytes, void *host_buffer, size_t host_bytes,
                            int *info);
int cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int range,
                                        int uplo, int64_t n, int type_a, const void *a, int64_t lda, void *vl,
                                        void *vu, int64_t il, int64_t iu, int64_t *found, int type_w, const void *w,
                                        int type_compute, size_t *device_bytes, size_t *host_bytes);
int cusolverDnXsyevdx(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int range, int uplo,
                             int64_t n, int type_a, void *a, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu,
                             int64_t *found, int type_w, void *w, int type_compute, void *device_buffer,
                             size_t device_bytes, void *host_buffer, size_t host_bytes, int *info);
int cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo, int64_t n,
                                       int type_a, const void *a, int64_t lda, int type_compute,
                                       size_t *device_bytes, size_t *host_bytes);
int cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo, int64_t n, int type_a,
                            void *a, int64_t lda, int type_compute, void *device_buffer, size_t device_bytes,
                            void *host_buffer, size_t host_bytes, int *info);

#define REAL float
#define SYMMETRIC(name) cusolverDnSsy##name
#include "emulated_driver/cusolver_exports32.h"

#define REAL double
#define SYMMETRIC(name) cusolverDnDsy##name
#include "emulated_driver/cusolver_exports32.h"

#define REAL float
#define SYMMETRIC(name) cusolverDnChe##name
#include "emulated_driver/cusolver_exports32.h"

#define REAL double
#define SYMMETRIC(name) cusolverDnZhe##name
#include "emulated_driver/cusolver_exports32.h"

#endif
