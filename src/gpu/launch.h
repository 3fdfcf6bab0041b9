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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The launch shape of the kernels: how their work is dealt to thread blocks (launch_shape.c). Others than the
 * tuner and the tests leave it to launch.c: a shape never changes result bits, and one that cannot be had is
 * an error.
 *
 * The work items of a matrix-vector call are super-tiles of `edge` rows and columns,
 * each made of leaf tiles of 32 x 32; a team of one or four groups of 8 threads does a leaf
 * tile. A block of threads_x * threads_y threads (Tx, Ty) has max(1, Tx / 8) teams, but no
 * more than a super-tile has leaf rows, side by side down the rows, and as many such rows of
 * teams across the columns as its threads allow. Threads that do not fill a team help with
 * partial sums only.
 *
 * VARIANT_STRIPS has no tiles: a block sums `edge` elements of y alone. A leaf of gemv's
 * rows takes `edge` of the block's threads, one of the columns (transposed) a team, and one of
 * symv and hemv 8 threads. Only Tx * Ty matters of these; U and M do not matter. */

enum { LAUNCH_THREADS_MIN = 8, LAUNCH_THREADS_MAX = 512 };

struct launch_shape {
    unsigned edge;         /* of a super-tile: 64, 128 or 256; of a strip: 8, of gemv also 16, 32, not
                            * transposed also these */
    unsigned threads_x;    /* Tx: a multiple of launch_shape_unit */
    unsigned threads_y;    /* Ty: 1 or more, with Tx * Ty in LAUNCH_THREADS_MIN..LAUNCH_THREADS_MAX */
    unsigned leaf_columns; /* U: leaf tiles along a row that a team takes one after another, 1..edge / 32 */
    /* m: 0: a block for each work item; otherwise at most m blocks for each multiprocessor
     * of the device, which go over the items with a stride. */
    unsigned blocks_per_multiprocessor;
    enum leaf_order order; /* M */
    /* 1, or 4, which takes at least 32 threads: a leaf tile is read by a whole warp at once. */
    unsigned team_groups;
    enum symv_variant variant; /* gemv: the first or VARIANT_STRIPS; trmv: the first */
};

/* Threads that read 128 bytes, a memory transaction, at four elements each. */
unsigned launch_shape_unit(enum blas_type type);

/* NULL when `shape` can run `call`; otherwise what is wrong with it, a static phrase.
 * Only the threads, the blocks per multiprocessor and U of axpy's shape matter: a thread has U
 * times 16 bytes of each vector under way, U being 1, 2 or 4 (3 counts as 2, more as 4). */
const char *launch_shape_fault(const struct blas_call *call, const struct launch_shape *shape);

/* Will launch() take it for the call where it is chosen? If not, the built-in shape. */
bool launch_shape_can(const struct blas_call *call, const struct launch_shape *shape);

/* The shape that launch() takes for this axpy, gemv, symv, hemv or trmv call on the device at `place`
 * (gpu/device.h); and on the first device that is in use. */
struct launch_shape launch_shape_choose_at(int place, const struct blas_call *call);
struct launch_shape launch_shape_choose(const struct blas_call *call);

enum { LAUNCH_PLACE_FIRST = -1 };

/* Choose for a call of that kind, by what was learned for the device: pure and thread-safe. False: nothing
 * was, and the built-in rules choose, as they do where what was chosen cannot run the call. */
typedef bool launch_shape_chooser(int place, const struct blas_call *call, struct launch_shape *shape);
/* NULL: the built-in rules choose. Thread-safe; the chooser must stay. */
void launch_shape_choose_by(launch_shape_chooser *chooser);
/* The built-in rules alone. */
struct launch_shape launch_shape_built_in(const struct blas_call *call);

/* From now on take `shape` for every call; edge 0 goes back to choosing. For
 * tests and measurements: not thread-safe. */
void launch_shape_override(struct launch_shape shape);

/* The tiles of a matrix-vector call: `segments` of y, at most `children` tiles feeding
 * each, for which `kept` times `edge` elements of workspace are wanted and `counters`;
 * `items` to do in all: the blocks of a grid where blocks_per_multiprocessor is 0. */
struct launch_tiling {
    int64_t segments, children, kept, counters, items;
};
struct launch_tiling launch_shape_tiling(const struct blas_call *call, const struct launch_shape *shape);

/* The work items of axpy: chunks that a block has under way at once. */
int64_t launch_shape_vector_items(const struct blas_call *call, const struct launch_shape *shape);

/* Dynamic shared memory of a block of a matrix-vector call. */
size_t launch_shape_shared_bytes(const struct blas_call *call, const struct launch_shape *shape);

/* The block's mapping, which kernels are given. */
struct block_mapping launch_shape_mapping(const struct launch_shape *shape);

/* The alignment of A's columns in bytes, up to 2^12. */
size_t launch_shape_column_alignment(const struct blas_call *call);

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
