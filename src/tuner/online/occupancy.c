#include "tuner/online/occupancy.h"

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
