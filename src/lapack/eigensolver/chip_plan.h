/* chip_plan.h - how a matrix is reduced to tridiagonal form in the multiprocessors' shared memory
 * (kernels/tridiagonal/tridiagonal_chip.cu): by a cluster of a few blocks, which exchange through each
 * other's shared memory, or by a block on each multiprocessor, which exchange through the device's. The bits
 * are the same. */
#ifndef MUBLAS_LAPACK_CHIP_PLAN_H
#define MUBLAS_LAPACK_CHIP_PLAN_H

#include "common/blas_call.h"
#include "gpu/device.h"

/* Of blocks of TRIDIAGONAL_THREADS threads. */
struct chip_plan {
    enum kernel kernel;
    unsigned blocks;
    size_t shared_bytes; /* of each */
    bool is_cluster;
};

/* The largest order whose rows, dealt to all multiprocessors, fit into their shared memory. */
int64_t chip_order_most(struct device *device, enum blas_type type);

/* On all multiprocessors, for an order up to that. */
struct chip_plan chip_plan_wide(struct device *device, enum blas_type type, int64_t order);

/* By a cluster. STATUS_UNSUPPORTED: the order is too large, the device has none of that size, or it is not to
 * get kernels any more whose blocks wait for each other (cooperative_refusal.h). Inside device_enter. */
enum status chip_plan_cluster(struct device *device, enum blas_type type, int64_t order,
                              struct chip_plan *plan);

/* Up to which order clusters of so many blocks, 16 or 8, are faster than all multiprocessors: as built in. */
int64_t chip_cluster_to(enum blas_type type, unsigned blocks);

#endif
