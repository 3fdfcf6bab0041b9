/* paper_devices.h - the devices of paper 000 and a present one, described by their limits
 * (CUDA C programming guide, compute capabilities 2.0, 3.5, 5.2 and 9.0), and what a driver would say of
 * them. */
#ifndef MUBLAS_TESTS_PAPER_DEVICES_H
#define MUBLAS_TESTS_PAPER_DEVICES_H

#include "tuner/online/tuning_class.h"

#include <limits.h>
#include <stddef.h>

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

static const struct device_limits gtx580 = {16, 1024, 48, 8, 32768, 2, 64, 48 << 10, 128, 0};
static const struct device_limits k20c = {13, 1024, 64, 16, 65536, 4, 256, 48 << 10, 256, 0};
static const struct device_limits gtx980 = {16, 1024, 64, 32, 65536, 4, 256, 96 << 10, 256, 0};
static const struct device_limits h100 = {132, 1024, 64, 32, 65536, 4, 256, 228 << 10, 128, 1024};

static inline size_t rounded_up(size_t value, size_t unit)
{
    return unit > 1 ? (value + unit - 1) / unit * unit : value;
}

static inline int smaller_of(int a, int b)
{
    return a < b ? a : b;
}

static inline int warps_by_registers(const struct device_limits *limits,
                                     const struct kernel_resources *resources)
{
    if (resources->registers <= 0)
        return INT_MAX;
    const int of_warp =
        (int)rounded_up((size_t)resources->registers * WARP_THREADS, (size_t)limits->register_unit);
    return limits->registers / limits->partitions / of_warp * limits->partitions;
}

static inline int blocks_by_shared_memory(const struct device_limits *limits,
                                   const struct kernel_resources *resources)
{
    const size_t of_block =
        rounded_up(resources->shared_bytes + limits->shared_reserved, limits->shared_unit);
    if (of_block == 0)
        return INT_MAX;
    return limits->shared_bytes / of_block < INT_MAX ? (int)(limits->shared_bytes / of_block) : INT_MAX;
}

/* Blocks of `threads` that are resident on a multiprocessor at once; 0: not one can be launched. */
static inline int occupancy_active_blocks(const struct device_limits *limits,
                                          const struct kernel_resources *resources, unsigned threads)
{
    if (threads == 0 || threads > (unsigned)limits->threads)
        return 0;
    const int warps = (int)((threads + WARP_THREADS - 1) / WARP_THREADS);
    const int by_warps = smaller_of(limits->warps, warps_by_registers(limits, resources)) / warps;
    return smaller_of(limits->blocks, smaller_of(by_warps, blocks_by_shared_memory(limits, resources)));
}

/* Most threads that a block of the kernel may have: a multiple of 32, what the driver's
 * CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK says. */
static inline unsigned occupancy_most_threads(const struct device_limits *limits,
                                              const struct kernel_resources *resources)
{
    const int warps = smaller_of(limits->threads / WARP_THREADS, warps_by_registers(limits, resources));
    return blocks_by_shared_memory(limits, resources) > 0 ? (unsigned)(warps * WARP_THREADS) : 0;
}

static inline struct occupancy_figures occupancy_figures_of(const struct device_limits *limits,
                                              const struct kernel_resources *resources)
{
    struct occupancy_figures figures = {limits->multiprocessors, limits->warps, limits->blocks, {0}};
    for (unsigned warps = 1; warps <= BLOCK_WARPS_MAX; warps++)
        figures.active[warps] = (unsigned char)smaller_of(
            UCHAR_MAX, occupancy_active_blocks(limits, resources, warps * WARP_THREADS));
    return figures;
}

#endif
