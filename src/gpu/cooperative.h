/* cooperative.h - launches of which all blocks are on the device at once, so that they may wait for each
 * other (kernels/grid_ops.h). Inside device_enter. */
#ifndef MUBLAS_COOPERATIVE_H
#define MUBLAS_COOPERATIVE_H

#include "gpu/device.h"
#include "gpu/kernel_set.h"

struct cooperative_launch {
    enum kernel kernel;
    unsigned threads;    /* of a block */
    size_t shared_bytes; /* dynamic, per block */
    unsigned blocks;     /* wanted; afterwards those that there are */
    CUdeviceptr gate;    /* struct grid_gate in device memory, which the kernel's arguments name, too */
};

/* The most blocks of this kernel, with these threads and that shared memory, that the device holds at once.
 * STATUS_UNSUPPORTED: it holds none, or has no cooperative launches. */
enum status cooperative_room(struct device *device, const struct cooperative_launch *launch,
                             unsigned *blocks);

/* Queue on the stream that the gate is zeroed, then the kernel with a copy of its arguments, in the
 * blocks wanted or as many as there is room for. Returns without waiting. STATUS_UNSUPPORTED as above, also
 * where the driver finds less room. */
enum status cooperative_launch(struct device *device, CUstream stream, struct cooperative_launch *launch,
                               void *arguments);

#endif
