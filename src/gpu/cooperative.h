/* cooperative.h - launches of which all blocks are on the device at once, so that they may wait for each
 * other (kernels/grid_ops.h). Inside device_enter. */
#ifndef MUBLAS_COOPERATIVE_H
#define MUBLAS_COOPERATIVE_H

#include "gpu/device.h"
#include "gpu/kernel_set.h"
#include "gpu/stream_watch.h"

struct cooperative_launch {
    enum kernel kernel;
    unsigned threads;    /* of a block */
    size_t shared_bytes; /* dynamic, per block */
    unsigned blocks;     /* wanted; afterwards those that there are */
    CUdeviceptr gate;    /* struct grid_gate in device memory, which the kernel's arguments name, too */
    struct stream_watch *watch; /* by which the stream is waited for; NULL: nobody ends the blocks' waits */
};

/* The most blocks of this kernel, with these threads and that shared memory, that the device holds at once.
 * STATUS_UNSUPPORTED: it holds none, has no cooperative launches, or is not to get any more
 * (cooperative_refusal.h). */
enum status cooperative_room(struct device *device, const struct cooperative_launch *launch,
                             unsigned *blocks);

/* Queue on the stream that the gate is made anew, then the kernel with a copy of its arguments, in the
 * blocks wanted or as many as there is room for. Returns without waiting; the wait by the watch has a
 * deadline. STATUS_UNSUPPORTED as above, also where the driver finds less room; that is remembered. */
enum status cooperative_launch(struct device *device, CUstream stream, struct cooperative_launch *launch,
                               void *arguments);

#endif
