#include "tuner/online/optimizer.h"

#include <stddef.h>

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

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned least_threads(const struct optimizer_space *space, const struct occupancy_recipe *recipe)
{
    return recipe->threads_min > 0 ? recipe->threads_min : space->step;
}

static unsigned least_y(const struct optimizer_space *space, const struct occupancy_recipe *recipe,
                        unsigned x)
{
    return (least_threads(space, recipe) + x - 1) / x;
}

static unsigned most_y(const struct optimizer_space *space, const struct occupancy_recipe *recipe, unsigned x)
{
    const unsigned most =
        space->one_dimensional ? smaller(1, space->threads_max / x) : space->threads_max / x;
    const double by_ratio = recipe->ty_per_tx_max * x;
    if (space->one_dimensional || recipe->ty_per_tx_max <= 0 || by_ratio >= most)
        return most;
    return (unsigned)by_ratio;
}

static bool is_above(double value, double best, double minimum)
{
    return value > (best < minimum ? best : minimum);
}

bool optimizer_walk(const struct optimizer_space *space, const struct occupancy_recipe *recipe,
                    const struct occupancy_figures *figures, optimizer_items *items, const void *problem,
                    struct optimizer_best *best)
{
    bool found = false;
    for (unsigned x = space->threads_max / space->step * space->step; x > 0; x -= space->step) {
        const unsigned high = most_y(space, recipe, x);
        for (unsigned y = least_y(space, recipe, x); y <= high; y++) {
            const struct block_shape block = {x, y};
            const struct occupancy occupancy =
                occupancy_of(figures, x * y, space->most_active,
                             items ? items(problem, block) : *(const int64_t *)problem);
            if (occupancy.grid > best->occupancy.grid &&
                is_above(occupancy.warp, best->occupancy.warp, recipe->warp_min) &&
                is_above(occupancy.block, best->occupancy.block, recipe->block_min)) {
                *best = (struct optimizer_best){block, occupancy};
                found = true;
            }
        }
        if (best->occupancy.grid >= 1)
            break; /* nothing can be strictly above */
    }
    return found;
}
