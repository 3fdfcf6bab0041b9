#include "tuner/online/occupancy.h"

#include <limits.h>

static size_t rounded_up(size_t value, size_t unit)
{
    return unit > 1 ? (value + unit - 1) / unit * unit : value;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int warps_by_registers(const struct device_limits *limits, const struct kernel_resources *resources)
{
    if (resources->registers <= 0)
        return INT_MAX;
    const int of_warp =
        (int)rounded_up((size_t)resources->registers * WARP_THREADS, (size_t)limits->register_unit);
    return limits->registers / limits->partitions / of_warp * limits->partitions;
}

static int blocks_by_shared_memory(const struct device_limits *limits,
                                   const struct kernel_resources *resources)
{
    const size_t of_block =
        rounded_up(resources->shared_bytes + limits->shared_reserved, limits->shared_unit);
    if (of_block == 0)
        return INT_MAX;
    return limits->shared_bytes / of_block < INT_MAX ? (int)(limits->shared_bytes / of_block) : INT_MAX;
}

int occupancy_active_blocks(const struct device_limits *limits, const struct kernel_resources *resources,
                            unsigned threads)
{
    if (threads == 0 || threads > (unsigned)limits->threads)
        return 0;
    const int warps = (int)((threads + WARP_THREADS - 1) / WARP_THREADS);
    const int by_warps = smaller(limits->warps, warps_by_registers(limits, resources)) / warps;
    return smaller(limits->blocks, smaller(by_warps, blocks_by_shared_memory(limits, resources)));
}

unsigned occupancy_most_threads(const struct device_limits *limits, const struct kernel_resources *resources)
{
    const int warps = smaller(limits->threads / WARP_THREADS, warps_by_registers(limits, resources));
    return blocks_by_shared_memory(limits, resources) > 0 ? (unsigned)(warps * WARP_THREADS) : 0;
}

struct occupancy_figures occupancy_figures_of(const struct device_limits *limits,
                                              const struct kernel_resources *resources)
{
    struct occupancy_figures figures = {limits->multiprocessors, limits->warps, limits->blocks, {0}};
    for (unsigned warps = 1; warps <= BLOCK_WARPS_MAX; warps++)
        figures.active[warps] = (unsigned char)smaller(
            UCHAR_MAX, occupancy_active_blocks(limits, resources, warps * WARP_THREADS));
    return figures;
}

struct occupancy occupancy_of(const struct occupancy_figures *figures, unsigned threads, unsigned most_active,
                              int64_t items)
{
    const unsigned warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    int active = warps <= BLOCK_WARPS_MAX ? figures->active[warps] : 0;
    if (most_active > 0 && most_active < (unsigned)active)
        active = (int)most_active;
    const int64_t slots = (int64_t)active * figures->multiprocessors;
    if (slots <= 0 || items <= 0)
        return (struct occupancy){0, 0, 0};
    /* 32-bit division is several times as fast */
    const int64_t waves =
        (items <= UINT32_MAX ? (uint32_t)(items - 1) / (uint32_t)slots : (items - 1) / slots) + 1;
    return (struct occupancy){
        .warp = (double)(active * (int)warps) / figures->warps,
        .block = (double)active / figures->blocks,
        .grid = (double)items / ((double)waves * (double)slots),
    };
}
