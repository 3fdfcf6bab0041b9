/* occupancy.h - how full a launch leaves a device: paper 000's three occupancies.
 *
 * Everything here is computed from figures that are given: those of a device that is
 * there (occupancy_shape.h) or the description of one that is not. Pure functions;
 * thread-safe. Warps have 32 threads. */
#ifndef MUBLAS_OCCUPANCY_H
#define MUBLAS_OCCUPANCY_H

#include <stdint.h>

enum { WARP_THREADS = 32, BLOCK_WARPS_MAX = 32 };

/* What the three occupancies are computed from, for blocks of 1..32 warps of one kernel
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

/* Of a launch of `items` work items in blocks of `threads` (1..1024), at most `most_active`
 * (0: any number) of them on a multiprocessor. Slots are the blocks active on the device at
 * once; a block per item or a stride over the items, the waves are the same. All 0 where no
 * block can be launched. */
struct occupancy occupancy_of(const struct occupancy_figures *figures, unsigned threads, unsigned most_active,
                              int64_t items);

#endif
