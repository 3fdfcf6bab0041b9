#include "tuner/learn/analyzer.h"

#include "tuner/learn/shape_space.h"

#include <math.h>

static const double NEAR = 0.98; /* the paper's */

/* The walk over block shapes is for tiles. `count`: there is none. */
static size_t fastest(const struct launch_shape *shapes, const double *seconds, size_t count)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (shapes[i].variant != VARIANT_STRIPS && (best == count || seconds[i] < seconds[best]))
            best = i;
    return best;
}

static bool has_base(const struct launch_shape *shape, const struct launch_shape *base)
{
    return shape->leaf_columns == base->leaf_columns && shape->order == base->order &&
           shape->team_groups == base->team_groups && shape->variant == base->variant &&
           shape->blocks_per_multiprocessor == base->blocks_per_multiprocessor;
}

static void admit(const struct launch_shape *shape, const struct shape_figures *figures,
                  struct occupancy_recipe *recipe)
{
    const unsigned threads = shape->threads_x * shape->threads_y;
    const struct occupancy occupancy =
        occupancy_of(shape_figures_at(figures, shape->edge), threads, shape->blocks_per_multiprocessor, 1);
    recipe->warp_min = fmin(recipe->warp_min, occupancy.warp);
    recipe->block_min = fmin(recipe->block_min, occupancy.block);
    recipe->threads_min = threads < recipe->threads_min ? threads : recipe->threads_min;
    recipe->ty_per_tx_max = fmax(recipe->ty_per_tx_max, (double)shape->threads_y / shape->threads_x);
}

bool analyzer_run(const struct launch_shape *shapes, const double *seconds,
                  size_t count, const struct shape_figures *figures, struct class_recipe *rules)
{
    const size_t best = fastest(shapes, seconds, count);
    if (best == count || !isfinite(seconds[best]))
        return false;
    rules->occupancy = (struct occupancy_recipe){1, 1, LAUNCH_THREADS_MAX, 0};
    for (size_t i = 0; i < count; i++)
        if (has_base(&shapes[i], &shapes[best]) && seconds[i] * NEAR <= seconds[best])
            admit(&shapes[i], figures, &rules->occupancy);
    rules->base = shapes[best];
    rules->base.threads_x = rules->base.threads_y = 0;
    rules->figures = *figures;
    return rules->has_occupancy = true;
}
