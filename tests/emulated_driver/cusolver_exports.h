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
int cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, int uplo, int64_t n, int64_t nrhs,
                     int type_a, const void *a, int64_t lda, int type_b, void *b, int64_t ldb, int *info);
int cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, int uplo, int diag, int64_t n, int type_a, void *a,
                                int64_t lda, size_t *device_bytes, size_t *host_bytes);
int cusolverDnXtrtri(cusolverDnHandle_t handle, int uplo, int diag, int64_t n, int type_a, void *a,
                     int64_t lda, void *device_buffer, size_t device_bytes, void *host_buffer,
                     size_t host_bytes, int *info);
int cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                int type_a, const void *a, int64_t lda, int type_compute,
                                size_t *device_bytes, size_t *host_bytes);
int cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, int type_a,
                     void *a, int64_t lda, int64_t *pivots, int type_compute, void *device_buffer,
                     size_t device_bytes, void *host_buffer, size_t host_bytes, int *info);
int cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, int trans, int64_t n, int64_t nrhs,
                     int type_a, const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b,
                     int64_t ldb, int *info);
int cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                int type_a, const void *a, int64_t lda, int type_tau, const void *tau,
                                int type_compute, size_t *device_bytes, size_t *host_bytes);
int cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, int type_a,
                     void *a, int64_t lda, int type_tau, void *tau, int type_compute, void *device_buffer,
                     size_t device_bytes, void *host_buffer, size_t host_bytes, int *info);
int cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int econ,
                                 int64_t m, int64_t n, int type_a, const void *a, int64_t lda, int type_s,
                                 const void *s, int type_u, const void *u, int64_t ldu, int type_v,
                                 const void *v, int64_t ldv, int type_compute, size_t *device_bytes,
                                 size_t *host_bytes);
int cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int econ, int64_t m,
                      int64_t n, int type_a, void *a, int64_t lda, int type_s, void *s, int type_u, void *u,
                      int64_t ldu, int type_v, void *v, int64_t ldv, int type_compute, void *device_buffer,
                      size_t device_bytes, void *host_buffer, size_t host_bytes, int *info,
                      double *error_sigma);
int cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobvl, int jobvr,
                               int64_t n, int type_a, const void *a, int64_t lda, int type_w, const void *w,
                               int type_vl, const void *vl, int64_t ldvl, int type_vr, const void *vr,
                               int64_t ldvr, int type_compute, size_t *device_bytes, size_t *host_bytes);
int cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobvl, int jobvr, int64_t n,
                    int type_a, void *a, int64_t lda, int type_w, void *w, int type_vl, void *vl,
                    int64_t ldvl, int type_vr, void *vr, int64_t ldvr, int type_compute, void *device_buffer,
                    size_t device_bytes, void *host_buffer, size_t host_bytes, int *info);

#define REAL float
#define SYMMETRIC(name) cusolverDnSsy##name
#define ORTHOGONAL(name) cusolverDnSor##name
#define PLAIN(name) cusolverDnS##name
#include "emulated_driver/cusolver_exports32.h"

#define REAL double
#define SYMMETRIC(name) cusolverDnDsy##name
#define ORTHOGONAL(name) cusolverDnDor##name
#define PLAIN(name) cusolverDnD##name
#include "emulated_driver/cusolver_exports32.h"

#define REAL float
#define SYMMETRIC(name) cusolverDnChe##name
#define ORTHOGONAL(name) cusolverDnCun##name
#define PLAIN(name) cusolverDnC##name
#include "emulated_driver/cusolver_exports32.h"

#define REAL double
#define SYMMETRIC(name) cusolverDnZhe##name
#define ORTHOGONAL(name) cusolverDnZun##name
#define PLAIN(name) cusolverDnZ##name
#include "emulated_driver/cusolver_exports32.h"

#endif
