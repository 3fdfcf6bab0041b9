/* own_eigen.h - the symmetric and Hermitian eigensolver of mublas' own kernels: reduction to tridiagonal form
 * (tridiagonalisation.h), divide and conquer (tridiagonal_solver.h), and back (back_transformation.h). A
 * large real matrix is reduced in two stages (two_stage.h), the earlier the fewer vectors are wanted. A
 * generalised problem becomes a standard one by cuSOLVER's potrf and cuBLAS. Only the vectors that are wanted
 * are computed. */
#ifndef MUBLAS_LAPACK_OWN_EIGEN_H
#define MUBLAS_LAPACK_OWN_EIGEN_H

#include "lapack/device_matrix.h"
#include "lapack/eigensolver/two_stage_borders.h"

/* Two stages are for real matrices; by the order, unless the caller knows better. */
enum own_eigen_way { OWN_EIGEN_BY_ORDER, OWN_EIGEN_ONE_STAGE, OWN_EIGEN_TWO_STAGES };

/* The work of device_matrix.h. All values are computed, but only `count` vectors from `first` on, which come
 * into A's columns of these numbers. INFO is an int for the eigensolver, and behind it one for B's
 * factor where there is a B. */
struct own_eigen {
    struct solver_eigen_call call;
    int64_t first, count; /* count: 0 without vectors */
    enum own_eigen_way way;
    struct two_stage_borders borders; /* for OWN_EIGEN_BY_ORDER; all 0: as built in */
    int64_t cluster_to;               /* of one stage (tridiagonalisation.h); 0: as built in */
    bool keeps_other_triangle; /* of A, without vectors; else two stages need less memory, and destroy it */
};

/* STATUS_UNSUPPORTED: the device is not able to do it, or ITYPE is 2 or 3: a product of A and B may be so small
 * that LAPACK would scale it. */
enum status own_eigen_workspace(const struct solver_handle *handle, const struct own_eigen *work,
                                size_t *device_bytes, size_t *host_bytes);

/* Queue it on the handle's stream. As solver_eigen_run. */
enum status own_eigen_run(const struct solver_handle *handle, const struct own_eigen *work,
                          CUdeviceptr workspace, size_t device_bytes, void *host_workspace,
                          size_t host_bytes);

#endif
