/* solver_eigen.h - calls cuSOLVER's eigensolvers for any type. */
#ifndef MUBLAS_LAPACK_SOLVER_EIGEN_H
#define MUBLAS_LAPACK_SOLVER_EIGEN_H

#include "common/blas_call.h"
#include "gpu/vendor/solver_library.h"

/* Device addresses; itype 0: no B. */
struct solver_eigen_call {
    enum blas_type type;
    int itype;
    bool vectors;
    enum blas_uplo uplo;
    int64_t n, lda, ldb;
    CUdeviceptr a, b, w, info;
};

/* STATUS_UNSUPPORTED: cuSOLVER lacks the routine, refuses the size or answers with a negative number. */
enum status solver_eigen_workspace(const struct solver_handle *handle, const struct solver_eigen_call *call,
                                   size_t *device_bytes, size_t *host_bytes);

/* Queues it on the handle's stream. The workspaces are as large as asked for, and stay until the stream has
 * been waited for. */
enum status solver_eigen_run(const struct solver_handle *handle, const struct solver_eigen_call *call,
                             CUdeviceptr workspace, size_t device_bytes, void *host_workspace,
                             size_t host_bytes);

#endif
