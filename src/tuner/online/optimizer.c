#include "tuner/online/optimizer.h"

#include <stddef.h>

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
