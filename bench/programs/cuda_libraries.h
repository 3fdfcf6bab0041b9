/* cuda_libraries.h - cuSOLVER and what it needs of the CUDA runtime, opened at run time, so
 * that the peer is built where no CUDA is installed. Types are those of the C interface
 * with its enumerations as int and handles as void *. */
#ifndef MUBLAS_BENCH_CUDA_LIBRARIES_H
#define MUBLAS_BENCH_CUDA_LIBRARIES_H

#include <stddef.h>
#include <stdint.h>

enum {
    NOT_THERE = 3, /* exit status */
    CUDA_TO_DEVICE = 1,
    CUDA_TO_HOST = 2,
    CUDA_REAL_64 = 1, /* CUDA_R_64F */
    CUSOLVER_VECTORS = 1,
    CUSOLVER_RANGE_INDICES = 1002,
    CUBLAS_LOWER = 0
};

struct cuda_libraries {
    int (*malloc)(void **memory, size_t bytes);
    int (*free)(void *memory);
    int (*memcpy)(void *to, const void *from, size_t bytes, int kind);

    int (*create)(void **handle);
    int (*create_params)(void **params);
    int (*dsytrd_size)(void *, int, int, const double *, int, const double *, const double *, const double *,
                       int *);
    int (*dsytrd)(void *, int, int, double *, int, double *, double *, double *, double *, int, int *);
    int (*dsyevd_size)(void *, int, int, int, const double *, int, const double *, int *);
    int (*dsyevd)(void *, int, int, int, double *, int, double *, double *, int, int *);
    int (*dsyevdx_size)(void *, int, int, int, int, const double *, int, double, double, int, int, int *,
                        const double *, int *);
    int (*dsyevdx)(void *, int, int, int, int, double *, int, double, double, int, int, int *, double *,
                   double *, int, int *);
    int (*zheevd_size)(void *, int, int, int, const double *, int, const double *, int *);
    int (*zheevd)(void *, int, int, int, double *, int, double *, double *, int, int *);
    int (*dpotrf_size)(void *, int, int, double *, int, int *);
    int (*dpotrf)(void *, int, int, double *, int, double *, int, int *);
    int (*dpotrs)(void *, int, int, int, const double *, int, double *, int, int *);
    int (*dgels_size)(void *, int, int, int, double *, int, double *, int, double *, int, void *, size_t *);
    int (*dgels)(void *, int, int, int, double *, int, double *, int, double *, int, void *, size_t, int *,
                 int *);
    int (*gesvdp_size)(void *, void *, int, int, int64_t, int64_t, int, const void *, int64_t, int,
                       const void *, int, const void *, int64_t, int, const void *, int64_t, int, size_t *,
                       size_t *);
    int (*gesvdp)(void *, void *, int, int, int64_t, int64_t, int, void *, int64_t, int, void *, int, void *,
                  int64_t, int, void *, int64_t, int, void *, size_t, void *, size_t, int *, double *);
};

/* Exits with NOT_THERE and a line that says what is missing. */
void cuda_libraries_open(struct cuda_libraries *libraries);

#endif
