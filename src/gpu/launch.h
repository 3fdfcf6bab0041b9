/* launch.h - runs a level-1/2 call in mublas' own kernels.
 *
 * launch() does it on a lane. Callers with streams and memory of their own do it in two steps: a plan tells
 * the memory that it needs, then launch_queue launches it. Plans hold no resources; making one touches no
 * device.
 *
 * The call's pointers are device addresses and its result bits are those of the numerical contract
 * (kernels/contract.h), whatever shape is chosen here.
 *
 *   axpy, gemv, symv, hemv  y is updated in place
 *   trmv                    x is read, y is written: the same vector or one that does not overlap x
 *
 * With alpha == 0 A and x are not read (their pointers may be anything). Zero sizes never come here. */
#ifndef MUBLAS_LAUNCH_H
#define MUBLAS_LAUNCH_H

#include "common/blas_call.h"
#include "common/log.h"
#include "gpu/device.h"
#include "gpu/kernels/arguments.h"
#include "gpu/lane.h"
#include "gpu/launch_shape.h"

/* The first of the two steps. */
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

/* The target of a launch. One launch at a time may use the workspace and the counters:
 * those of one stream follow each other, so a stream may keep its own. */
struct launch_target {
    struct kernel_set *kernels;
    CUstream stream;
    CUdeviceptr workspace; /* 256-byte aligned; contents do not matter */
    CUdeviceptr counters;  /* all zero between launches; unknown once a launch failed */
};

/* Plan a call (pointers as for launch()). STATUS_UNSUPPORTED: no kernel does it. */
enum status launch_plan_make(const struct blas_call *call, struct launch_plan *plan);
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

/* True when a kernel exists for this family, type and flags at this size. */
bool launch_supported(const struct blas_call *call);

/* Queue the call on the lane's stream (reserving workspace first). Returns
 * without waiting; an error of the kernel itself shows at lane_synchronise. */
enum status launch(struct lane *lane, const struct blas_call *call);

#endif
