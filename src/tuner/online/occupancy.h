/* occupancy.h - how full a launch leaves a device: paper 000's three occupancies.
 *
 * Everything here is computed from figures that are given: those of a device that is
 * there (occupancy_driver.h) or the description of one that is not. Pure functions;
 * thread-safe. Warps have 32 threads. */
#ifndef MUBLAS_OCCUPANCY_H
#define MUBLAS_OCCUPANCY_H

#include <stddef.h>
#include <stdint.h>

enum { WARP_THREADS = 32, BLOCK_WARPS_MAX = 32 };

/* A device, as the programming guide's table of technical specifications has it. */
struct device_limits {
    int multiprocessors;
    int threads;       /* of a block, at most */
    int warps, blocks; /* resident on a multiprocessor, at most */
    int registers;     /* 32-bit ones of a multiprocessor, split evenly over: */
    int partitions;    /* a warp takes all its registers from one */
    int register_unit; /* a warp's registers are rounded up to a multiple */
    size_t shared_bytes, shared_unit; /* of a multiprocessor; a block's are rounded up to a multiple */
    size_t shared_reserved;           /* taken by the system of each block */
};

struct kernel_resources {
    int registers;       /* of a thread */
    size_t shared_bytes; /* of a block, static and dynamic */
};

/* Blocks of `threads` that are resident on a multiprocessor at once; 0: not one can be launched. */
int occupancy_active_blocks(const struct device_limits *limits, const struct kernel_resources *resources,
                            unsigned threads);

/* Most threads that a block of the kernel may have: a multiple of 32, what the driver's
 * CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK says. */
unsigned occupancy_most_threads(const struct device_limits *limits, const struct kernel_resources *resources);

/* What the three occupancies are computed from, for blocks of 1..32 warps of one kernel
 * and one size of shared memory; threads of a last, broken warp count as a whole one. */
struct occupancy_figures {
    int multiprocessors;
    int warps, blocks; /* as in device_limits */
    unsigned char active[BLOCK_WARPS_MAX + 1]; /* blocks on a multiprocessor, by warps of a block; 0: none */
};
struct occupancy_figures occupancy_figures_of(const struct device_limits *limits,
                                              const struct kernel_resources *resources);

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
