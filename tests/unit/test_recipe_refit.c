/* Rules made again from a table of planted times. */
#include "tuner/recipe_refit.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static const struct launch_shape lasting = {64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER},
                                 left = {128, 32, 4, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER};
static struct recipe recipe;

static void plant_figures(struct class_recipe *rules)
{
    rules->has_occupancy = true;
    for (int i = 0; i < SHAPE_EDGES; i++) {
        struct occupancy_figures *figures = &rules->figures.of_edge[i];
        *figures = (struct occupancy_figures){.multiprocessors = 132, .warps = 64, .blocks = 32};
        for (int warps = 1; warps <= BLOCK_WARPS_MAX; warps++)
            figures->active[warps] = (unsigned char)(warps < 2 ? 32 : 64 / warps);
    }
}

static bool add(struct tuning_table *table, int64_t size, enum tuning_stage stage, struct launch_shape shape,
                double slowness)
{
    const int class = tuning_class_parse("dsymv");
    const struct blas_call call = tuning_class_call_at(class, TUNING_SQUARE, size);
    const double us = slowness * (3 + 4e-6 * (double)(call.n * call.n) / 3);
    const struct tuning_row row = {class, TUNING_SQUARE, call.n, call.n, stage, shape, us, us, us};
    return tuning_table_add(table, &row);
}

/* One shape is timed everywhere, and slow from 60 to 150; another is 10% slower than it elsewhere, was timed at every
 * `step`-th size, and not there. */
static bool plant(struct tuning_table *table, size_t step)
{
    int64_t sizes[SIZE_GRID_MAX];
    const size_t count = size_grid((struct size_range){4, 512}, SIZE_GRID_MAX, sizes);
    bool good = true;
    memset(table, 0, sizeof *table);
    for (size_t i = 0; i < count && good; i++) {
        const bool slow = sizes[i] >= 60 && sizes[i] < 150;
        const struct blas_call call = tuning_class_call_at(tuning_class_parse("dsymv"), TUNING_SQUARE, sizes[i]);
        if (i % 2 != 0 && i + 1 < count)
            continue;
        good = add(table, sizes[i], TUNED_FINAL, lasting, slow ? 1.5 : 1) &&
               add(table, sizes[i], TUNED_DEFAULT, launch_shape_built_in(&call), 3);
        if (good && (step == 2 || (i % step == 0 && !slow)))
            good = add(table, sizes[i], TUNED_FINAL, left, 1.1);
    }
    tuning_table_sort(table);
    return good;
}

/* Sizes of another grid, whose ends are the same: what is built in is a fifth faster up to 300. */
static bool plant_elsewhere(struct tuning_table *table)
{
    bool good = true;
    memset(table, 0, sizeof *table);
    for (int64_t size = 4; size <= 512 && good; size = size == 512 ? 513 : size + 7 < 512 ? size + 7 : 512) {
        const struct blas_call call = tuning_class_call_at(tuning_class_parse("dsymv"), TUNING_SQUARE, size);
        good = add(table, size, TUNED_FINAL, lasting, 1) &&
               add(table, size, TUNED_DEFAULT, launch_shape_built_in(&call), size < 300 ? 0.8 : 3);
    }
    tuning_table_sort(table);
    return good;
}

static bool has_rule(const struct class_recipe *rules, const struct launch_shape *shape)
{
    bool has = false;
    for (int i = 0; i < rules->interval_count; i++)
        has = has || memcmp(&rules->intervals[i].shape, shape, sizeof *shape) == 0;
    return has;
}

/* 0: the sizes of another grid. */
static bool refit(size_t step, struct class_recipe *rules)
{
    static struct refit_summary summaries[TUNING_CLASSES][TUNING_FORMS];
    const int class = tuning_class_parse("dsymv");
    struct tuning_table table;
    memset(&recipe, 0, sizeof recipe);
    plant_figures(&recipe.classes[class][TUNING_SQUARE]);
    const bool planted = step > 0 ? plant(&table, step) : plant_elsewhere(&table);
    const bool good = planted && recipe_refit(&table, RECIPE_INTERVALS_MAX, &recipe, summaries);
    *rules = recipe.classes[class][TUNING_SQUARE];
    tuning_table_free(&table);
    return good;
}

int main(void)
{
    static struct class_recipe rules;
    tap_ok(refit(2, &rules) && has_rule(&rules, &lasting) && has_rule(&rules, &left),
           "two shapes that were timed everywhere have rules where they are the fastest");
    tap_ok(refit(12, &rules) && has_rule(&rules, &lasting), "one that was timed everywhere has a rule");
    tap_ok(!has_rule(&rules, &left), "one that left the field early has none, whatever its model foretells");
    const bool good = refit(0, &rules);
    tap_ok(good && rules.interval_count == 2 && rules.intervals[0].shape.edge == 0 &&
               rules.intervals[0].upto > 280 && rules.intervals[0].upto < 310,
           "what is built in has its rule, too, where sizes are not those of the grid: %d",
           rules.interval_count);
    return tap_done();
}
