/* recipe_example.h - a recipe with something of everything, for tests. */
#ifndef MUBLAS_TESTS_RECIPE_EXAMPLE_H
#define MUBLAS_TESTS_RECIPE_EXAMPLE_H

#include "tuner/online/recipe.h"

#include <stdlib.h>
#include <string.h>

static const struct launch_shape example_small = {64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER};
static const struct launch_shape example_large = {256, 64, 4, 2, 3, ORDER_ALONG, 1, VARIANT_LAST_ARRIVER};

__attribute__((unused)) static struct class_recipe example_rules(void)
{
    struct class_recipe rules;
    memset(&rules, 0, sizeof rules);
    rules.interval_count = 2;
    rules.intervals[0] = (struct recipe_interval){40, example_small};
    rules.intervals[1] = (struct recipe_interval){INT64_MAX, example_large};
    return rules;
}

/* dsymv by rules, dgemv not transposed with all forms, of which the wide one by occupancy. */
__attribute__((unused)) static void example_make(struct recipe *recipe)
{
    const int dsymv = tuning_class_parse("dsymv"), dgemv = tuning_class_parse("dgemv_none");
    memset(recipe, 0, sizeof *recipe);
    recipe->signature = (struct recipe_signature){.device = "Emulated device 1", .multiprocessors = 4,
                                                  .driver = 13000, .host = "/usr/lib/libblas.so.3 1234"};
    memcpy(recipe->signature.kernels, kernel_set_hash, sizeof kernel_set_hash);
    strcpy(recipe->made, "2026-11-22 by a test");
    recipe->resident_warps = 64, recipe->resident_blocks = 32;
    recipe->classes[dsymv][TUNING_SQUARE] = example_rules();
    recipe->classes[dsymv][TUNING_SQUARE].intervals[0].shape.variant = VARIANT_BOTH_HALVES;
    for (int form = 0; form < TUNING_FORMS; form++)
        recipe->classes[dgemv][form] = example_rules();
    struct class_recipe *wide = &recipe->classes[dgemv][TUNING_WIDE];
    wide->by_occupancy = true;
    wide->occupancy = (struct occupancy_recipe){0.25, 0.0625, 64, 2.5};
    wide->has_occupancy = true;
    wide->base = example_large;
    wide->base.threads_x = wide->base.threads_y = 0;
    for (int i = 0; i < SHAPE_EDGES; i++) {
        wide->figures.of_edge[i] = (struct occupancy_figures){
            .multiprocessors = 4, .warps = 64, .blocks = 32};
        for (int warps = 1; warps <= BLOCK_WARPS_MAX; warps++)
            wide->figures.of_edge[i].active[warps] = (unsigned char)(warps < 3 ? 32 : 64 / warps);
    }
    recipe->crossover = strdup(
        "host-threads 2\nhost dsymv 4096 1 65536 20.5\nflags dsymm_left_deep 0.85 1.18\n"
        "host zgemm_deep 1000000 90\n"
        "flags zgemm_deep 1 1.1 1.2 0.9 0.8 1 1.4 1.35 0.7\n");
}

#endif
