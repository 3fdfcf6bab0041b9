/* occupancy_shape.h - a thread block for a problem size by the occupancies, the online part of paper 000,
 * its figure 3, and by that a launch shape for a call of any kernel but axpy's.
 *
 * The caller gives the figures by which occupancies are computed: those of a device that is there or the
 * description of one that is not. Warps have 32 threads. All functions but those that read a device are
 * pure and allocate nothing, so callers may keep a result by class and size. Thread-safe. */
#ifndef MUBLAS_OCCUPANCY_SHAPE_H
#define MUBLAS_OCCUPANCY_SHAPE_H

#include "gpu/kernel_set.h"
#include "gpu/launch_shape.h"

#include <stdbool.h>
#include <stdint.h>

/* Figure 3's walk.
 *
 * The walk goes over the candidates from large Tx to small, Ty ascending, and keeps one whose
 * Grid-Occupancy is strictly above the best so far while its Warp- and Block-Occupancy are strictly above
 * min(best so far, recipe's minimum).
 *
 * Reading taken: a candidate has Tx = step, 2 step, ...; Tx * Ty from the recipe's ThMin (none given: step)
 * to the kernel's maximum, and Ty <= TyPerTxMax * Tx. Figure 3 as printed starts at TxMin = ThMin and
 * rounds ThMin / Tx down; but then Tx * Ty may lie below ThMin, which section 3.1.2 excludes, and the
 * counts are not those of table 4, which this reading gives (tests/unit/test_optimizer.c says where the
 * table determines them). */
enum { WARP_THREADS = 32, BLOCK_WARPS_MAX = 32 };

/* Figures that the three occupancies are computed from, for blocks of 1..32 warps of one kernel
 * and one size of shared memory; threads of a last, broken warp count as a whole one. */
struct occupancy_figures {
    int multiprocessors;
    int warps, blocks; /* resident on a multiprocessor, at most */
    unsigned char active[BLOCK_WARPS_MAX + 1]; /* blocks on a multiprocessor, by warps of a block; 0: none */
};

struct occupancy {
    double warp;  /* active warps / most resident warps */
    double block; /* active blocks / most resident blocks */
    double grid;  /* items / the slots of all waves that they take: 1 when no slot stays empty */
};

/* The occupancies of a launch of `items` work items in blocks of `threads` (1..1024), at most `most_active`
 * (0: any number) of them on a multiprocessor. Slots are the blocks active on the device at
 * once; a block per item or a stride over the items, the waves are the same. All 0 where no
 * block can be launched. */
struct occupancy occupancy_of(const struct occupancy_figures *figures, unsigned threads, unsigned most_active,
                              int64_t items);

/* Learned by the analyzer from the shapes within 98% of the best at a large size: the
 * least occupancies and threads, and the largest Ty / Tx among them. 0: no such bound. */
struct occupancy_recipe {
    double warp_min, block_min;
    unsigned threads_min;
    double ty_per_tx_max;
};

struct block_shape {
    unsigned x, y; /* Tx, Ty; x = 0: no candidate */
};

struct optimizer_space {
    unsigned step;        /* of Tx, >= 1: the threads of a memory transaction, or what the kernel demands */
    unsigned threads_max; /* of a block, 1024 at most */
    bool one_dimensional; /* Ty = 1 only */
    unsigned most_active; /* blocks on a multiprocessor, 0: as many as fit */
};

/* Work items of the problem when done in such blocks: the figure's BlkPerGrd. NULL stands
 * for a `problem` that is an int64_t, so many items whatever the block. */
typedef int64_t optimizer_items(const void *problem, struct block_shape block);

/* The walk. It may go on from an earlier one: `best`, all zero at first, is what was kept,
 * and the result says whether something better came. Some tens of microseconds. */
struct optimizer_best {
    struct block_shape block;
    struct occupancy occupancy;
};
bool optimizer_walk(const struct optimizer_space *space, const struct occupancy_recipe *recipe,
                    const struct occupancy_figures *figures, optimizer_items *items, const void *problem,
                    struct optimizer_best *best);

/* The super-tile's edge decides how many work items there are, Tx * Ty how many of them are active at once:
 * so figure 3's walk goes over the edges, large ones first, and goes on from edge to edge with the best so
 * far until its Grid-Occupancy is 98%. Everything else of the shape is the recipe's. */
enum { SHAPE_EDGES = 3 };
static const unsigned shape_edges[SHAPE_EDGES] = {256, 128, 64};

/* Figures of one kernel, by edge in the order of shape_edges. */
struct shape_figures {
    struct occupancy_figures of_edge[SHAPE_EDGES];
};

/* `base` gives leaf_columns (no more than an edge has are taken), blocks_per_multiprocessor,
 * order, team_groups and variant; its edge and threads are not looked at. The result can run
 * `call`; edge 0: no candidate fits. Pure. */
struct launch_shape occupancy_shape(const struct blas_call *call, const struct launch_shape *base,
                                    const struct occupancy_recipe *recipe,
                                    const struct shape_figures *figures);

/* All but the active blocks, of the device that is there. Inside device_enter; the driver's result, not
 * logged. */
CUresult occupancy_read_limits(struct occupancy_figures *figures);

/* Reads figures of the kernel that would do `call` (whose addresses and leading dimension decide between
 * wide and narrow loads), for every edge. CUDA_ERROR_NOT_SUPPORTED: no kernel does it. */
CUresult occupancy_read_shapes(struct kernel_set *set, const struct blas_call *call,
                               struct shape_figures *figures);

#endif
