/* launch_plan.h - a launch in two steps, for callers with streams and memory of their
 * own: what it needs, then the launch itself. launch.h does both on a lane.
 *
 * Plans hold no resources; making one touches no device. */
#ifndef MUBLAS_LAUNCH_PLAN_H
#define MUBLAS_LAUNCH_PLAN_H

#include "common/blas_call.h"
#include "common/status.h"
#include "gpu/kernel_set.h"
#include "gpu/kernels/arguments.h"
#include "gpu/launch_shape.h"

struct launch_plan {
    enum blas_family family;
    struct launch_shape shape;
    enum kernel kernel;
    int64_t items;                          /* a block each, but for: */
    unsigned blocks_per_multiprocessor;     /* 0, or the most blocks there may be of one multiprocessor */
    unsigned threads;                       /* of a block */
    size_t shared_bytes;                    /* dynamic, per block */
    size_t workspace_bytes, counter_bytes;  /* what the target must bring, each may be 0 */
    union {
        struct vector_arguments vector;
        struct matrix_vector_arguments matrix_vector;
    } arguments;
};

/* Where a launch goes. One launch at a time may use the workspace and the counters:
 * those of one stream follow each other, so a stream may keep its own. */
struct launch_target {
    struct kernel_set *kernels;
    CUstream stream;
    CUdeviceptr workspace; /* 256-byte aligned; contents do not matter */
    CUdeviceptr counters;  /* all zero between launches; unknown once a launch failed */
};

/* Plan a call (pointers as for launch()). STATUS_UNSUPPORTED: no kernel does it. */
enum status launch_plan_make(const struct blas_call *call, struct launch_plan *plan);
/* The same by the shape that was learned for the device at this place. */
enum status launch_plan_make_at(int place, const struct blas_call *call, struct launch_plan *plan);
/* The same by this shape; STATUS_UNSUPPORTED also when it has a fault, which is logged. */
enum status launch_plan_make_by(const struct blas_call *call, const struct launch_shape *shape,
                                struct launch_plan *plan);

/* Read alpha and beta on the device when the kernel runs, instead of the call's: device
 * addresses of one element each, NULL for one that stays. */
void launch_plan_scalars(struct launch_plan *plan, const void *alpha, const void *beta);

/* The blocks of the grid on a device of so many multiprocessors. */
unsigned launch_plan_blocks(const struct launch_plan *plan, int multiprocessors);

/* Queue the launch, in the context of the target. The driver's result, not logged; after a
 * failure nothing was queued. */
CUresult launch_queue(struct launch_plan *plan, const struct launch_target *target);

#endif
