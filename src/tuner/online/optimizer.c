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

bool optimizer_admits(const struct optimizer_space *space, const struct occupancy_recipe *recipe,
                      struct block_shape block)
{
    return block.x > 0 && block.x % space->step == 0 && block.y > 0 &&
           block.y >= least_y(space, recipe, block.x) && block.y <= most_y(space, recipe, block.x);
}

unsigned optimizer_candidates(const struct optimizer_space *space, const struct occupancy_recipe *recipe)
{
    unsigned count = 0;
    for (unsigned x = space->step; x <= space->threads_max; x += space->step) {
        const unsigned low = least_y(space, recipe, x), high = most_y(space, recipe, x);
        count += low <= high ? high - low + 1 : 0;
    }
    return count;
}

static bool is_above(double value, double best, double minimum)
{
    return value > (best < minimum ? best : minimum);
}

/* Blocks of one kind have the same occupancies: where items are always the same those of as many warps, where
 * whole warps tell how many there are those whose last one is whole or not, besides. Only the first of a kind
 * can be kept: what was not good enough before is not later, for neither the best Grid-Occupancy nor the two
 * bounds ever fall. */
struct seen {
    bool has_kinds, by_whole_warps;
    uint64_t kinds; /* a bit for each */
};

static unsigned kind_of(const struct seen *seen, unsigned threads)
{
    const unsigned warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    return seen->by_whole_warps ? 2 * warps - (threads % WARP_THREADS != 0) - 1 : warps;
}

static bool is_seen(const struct seen *seen, unsigned threads)
{
    return seen->has_kinds && seen->kinds >> kind_of(seen, threads) & 1;
}

/* Is there nothing new in blocks of this many threads, or more? */
static bool are_seen_from(const struct seen *seen, unsigned threads, unsigned threads_max)
{
    const uint64_t wanted =
        (UINT64_C(2) << kind_of(seen, threads_max)) - (UINT64_C(1) << kind_of(seen, threads));
    return seen->has_kinds && (seen->kinds & wanted) == wanted;
}

bool optimizer_walk(const struct optimizer_space *space, const struct occupancy_recipe *recipe,
                    const struct occupancy_figures *figures, optimizer_items *items, const void *problem,
                    struct optimizer_best *best)
{
    const unsigned least = smaller(least_threads(space, recipe), space->threads_max);
    struct seen seen = {.has_kinds = items == NULL || space->items_by_whole_warps,
                        .by_whole_warps = items != NULL};
    bool found = false;
    for (unsigned x = space->threads_max / space->step * space->step; x > 0; x -= space->step) {
        if (are_seen_from(&seen, x, space->threads_max))
            continue;
        const unsigned high = most_y(space, recipe, x);
        for (unsigned y = least_y(space, recipe, x); y <= high; y++) {
            const struct block_shape block = {x, y};
            if (are_seen_from(&seen, x * y, space->threads_max))
                break;
            if (is_seen(&seen, x * y))
                continue;
            seen.kinds |= UINT64_C(1) << kind_of(&seen, x * y);
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
        if (best->occupancy.grid >= 1 || are_seen_from(&seen, least, space->threads_max))
            break; /* nothing can be strictly above */
    }
    return found;
}
