/* cluster.h - launches that are one cluster: a few blocks that the device begins together, and that reach
 * each other's shared memory (kernels/cluster_ops.h). They wait for no other block, so they need no deadline.
 * Inside device_enter. */
#ifndef MUBLAS_CLUSTER_H
#define MUBLAS_CLUSTER_H

#include "gpu/device.h"
#include "gpu/kernel_set.h"

struct cluster_launch {
    enum kernel kernel;
    unsigned threads;    /* of a block */
    size_t shared_bytes; /* dynamic, per block */
    unsigned blocks;
};

/* STATUS_UNSUPPORTED: the device or its driver has no clusters, or none of so many such blocks; this build
 * has no kernels for devices with clusters; the driver has refused one. */
enum status cluster_room(struct device *device, const struct cluster_launch *launch);

/* What cluster_room has room for: queue the kernel on the stream, with a copy of its arguments. Returns
 * without waiting. STATUS_UNSUPPORTED: the driver refuses it, now or before; that is remembered. */
enum status cluster_launch(struct device *device, CUstream stream, const struct cluster_launch *launch,
                           void *arguments);

#endif
