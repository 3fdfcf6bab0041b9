/* cooperative.h - launches whose blocks work together, and the wait for a stream that has them. Inside
 * device_enter.
 *
 * All blocks of a cooperative launch are on the device at once, so that they may wait for each other
 * (kernels/grid_ops.h). Such a kernel never ends if a block does not arrive: one that is not given room, or
 * that another error has stopped. So the thread that queues one waits for it, asleep, until a deadline.
 * Past that the abort word is set, at which all waiting blocks leave. The word is in pinned memory, which
 * kernels read where it is: the host's write needs no driver call, and queues behind nothing. A stream's
 * watch belongs to one thread at a time, as its stream does. */
#ifndef MUBLAS_COOPERATIVE_H
#define MUBLAS_COOPERATIVE_H

#include "gpu/device.h"

/* A device gets no cooperative launches for the rest of the process once its driver has refused one that it
 * should have had room for, or one did not end. The refusal is thread-safe. */
void cooperative_refuse(const struct device *device);
bool cooperative_is_refused(const struct device *device);

struct grid_gate;

/* The deadline is so many times the expected time, no sooner than this, and no sooner than the host would
 * have been done: what is expected was measured on another device, maybe, and by one program alone. */
#define STREAM_WATCH_TIMES 10.0
#define STREAM_WATCH_LEAST_SECONDS 10.0
#define STREAM_WATCH_TURN_SECONDS 600.0

struct stream_watch {
    struct device *device;
    CUstream stream;
    CUevent done;            /* the plain wait for it sleeps */
    CUevent begun;           /* the first launch since the last wait has its turn: the deadline's clock runs */
    struct grid_gate *gate;  /* what a gate is before a launch; pinned, and behind it the abort word */
    int *number;             /* pinned, for one that comes home: a copy to ordinary memory may wait, awake */
    double expected_seconds; /* of what is waited for; 0: not known */
    double host_seconds;     /* which the host would take for it; 0: not known */
    bool has_deadline;       /* set by who queues kernels that may need it, cleared by a wait */
};

enum status stream_watch_create(struct device *device, CUstream stream, struct stream_watch *watch);
/* The stream is idle, or the device was lost; all zero: nothing. */
void stream_watch_destroy(struct stream_watch *watch);

/* Seconds from the beginning of a wait, or of the first launch that it is for, whichever is later; finite, whatever is
 * expected. A launch waits for its turn, where others have the device, for STREAM_WATCH_TURN_SECONDS at most. */
double stream_watch_deadline(const struct stream_watch *watch);

/* Waits, asleep, for everything queued on the stream, and lets a long call tell how it gets on (log.h).
 * STATUS_DEVICE_ERROR: the deadline has passed, all of the stream has ended since then, and what it computed
 * means nothing; the device gets no cooperative launches any more. STATUS_DEVICE_LOST, too, where it has not
 * ended within as long again: the device is left alone, with all memory that the stream may still use. */
enum status stream_watch_wait(struct stream_watch *watch, const char *what);

/* A launch of which all blocks are on the device at once. */
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
 * (cooperative_refuse). */
enum status cooperative_room(struct device *device, const struct cooperative_launch *launch,
                             unsigned *blocks);

/* Queue on the stream that the gate is made anew, then the kernel with a copy of its arguments, in the
 * blocks wanted or as many as there is room for. Returns without waiting; the wait by the watch has a
 * deadline. STATUS_UNSUPPORTED as above, also where the driver finds less room; that is remembered. */
enum status cooperative_launch(struct device *device, CUstream stream, struct cooperative_launch *launch,
                               void *arguments);

/* A cluster is a few blocks that the device begins together, and that reach each other's shared memory
 * (kernels/cluster_ops.h). They wait for no other block, so they need no deadline. */
struct cluster_launch {
    enum kernel kernel;
    unsigned threads;    /* of a block */
    size_t shared_bytes; /* dynamic, per block */
    unsigned blocks;
};

/* STATUS_UNSUPPORTED: the device or its driver has no clusters, or none of so many such blocks; this build
 * has no kernels for devices with clusters; the driver has refused one. */
enum status cluster_room(struct device *device, const struct cluster_launch *launch);

/* Queue a kernel that cluster_room has room for on the stream, with a copy of its arguments. Returns
 * without waiting. STATUS_UNSUPPORTED: the driver refuses it, now or before; that is remembered. */
enum status cluster_launch(struct device *device, CUstream stream, const struct cluster_launch *launch,
                           void *arguments);

#endif
