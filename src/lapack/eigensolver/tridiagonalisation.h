/* tridiagonalisation.h - mublas' own reduction of a symmetric or Hermitian matrix to tridiagonal form on
 * the device: Q' A Q = T, as LAPACK's sytrd and hetrd leave it (doc/eigensolver.md).
 *
 * While the matrix is large it is reduced by panels, each one kernel that reads the rest of the matrix once
 * a column (kernels/tridiagonal/tridiagonal_panel.cu), with an update of the rest by cuBLAS behind it; what
 * fits into the multiprocessors' shared memory is finished there (tridiagonal_chip.cu). A chip_plan says
 * how: by a cluster of a few blocks, which exchange through each other's shared memory, or by a block on
 * each multiprocessor, which exchange through the device's. The bits of both are the same; they depend on
 * the operand, and on cuBLAS. */
#ifndef MUBLAS_TRIDIAGONALISATION_H
#define MUBLAS_TRIDIAGONALISATION_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"

/* A launch in blocks of TRIDIAGONAL_THREADS threads. */
struct chip_plan {
    enum kernel kernel;
    unsigned blocks;
    size_t shared_bytes; /* of each */
    bool is_cluster;
};

/* The largest order whose rows, dealt to all multiprocessors, fit into their shared memory. */
int64_t chip_order_most(struct device *device, enum blas_type type);

/* Plans for a cluster. STATUS_UNSUPPORTED: the order is too large, the device has none of that size, or it is
 * not to get kernels any more whose blocks wait for each other (cooperative.h). Inside device_enter. */
enum status chip_plan_cluster(struct device *device, enum blas_type type, int64_t order,
                              struct chip_plan *plan);

/* Up to which order clusters of so many blocks, 16 or 8, are faster than all multiprocessors: as built in. */
int64_t chip_cluster_to(enum blas_type type, unsigned blocks);

struct tridiagonalisation {
    enum blas_type type; /* S, D, C or Z */
    enum blas_uplo uplo;
    int64_t n;           /* 1 or more */
    CUdeviceptr a;       /* the triangle is read; T's elements and the reflectors' vectors come into it */
    int64_t lda;
    CUdeviceptr d, e, tau; /* n and n - 1 real numbers, n - 1 elements */
    int64_t cluster_to;    /* up to this order by a cluster alone, if one holds it; 0: as built in */
};

/* Bytes of workspace for it. STATUS_UNSUPPORTED: the device has too little shared memory, or no cooperative
 * launches, which a cluster does not need. */
enum status tridiagonalisation_workspace(const struct solver_handle *handle,
                                         const struct tridiagonalisation *work, size_t *bytes);

/* Queue it on the handle's stream. Elements must be finite, of moduli that LAPACK's eigensolvers do not
 * scale. The workspace, aligned to 256 bytes, stays until the stream was waited for. STATUS_UNSUPPORTED: it
 * has become too small. Inside device_enter. */
enum status tridiagonalisation_queue(const struct solver_handle *handle,
                                     const struct tridiagonalisation *work, CUdeviceptr workspace,
                                     size_t bytes);

#endif
