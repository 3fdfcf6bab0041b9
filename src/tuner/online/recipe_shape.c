/* Launch shapes as words. */
#include "common/line_reader.h"
#include "tuner/online/recipe.h"

#include <stdio.h>

const char *const recipe_orders[] = {"down", "along", NULL};
const char *const recipe_variants[] = {"last", "ordered", "both", "strips", NULL};

void recipe_shape_text(const struct launch_shape *shape, char text[RECIPE_SHAPE_BYTES])
{
    snprintf(text, RECIPE_SHAPE_BYTES,
             "edge %u threads %u %u columns %u blocks %u order %s team %u variant %s", shape->edge,
             shape->threads_x, shape->threads_y, shape->leaf_columns, shape->blocks_per_multiprocessor,
             recipe_orders[shape->order], shape->team_groups, recipe_variants[shape->variant]);
}

static bool read_choice(struct line_reader *reader, const char *const *names, int *choice)
{
    for (*choice = 0; names[*choice]; ++*choice)
        if (line_reader_is(reader, names[*choice]))
            return true;
    return line_reader_word(reader, names[0]);
}

bool recipe_shape_read(struct line_reader *reader, int class, struct launch_shape *shape)
{
    int order, variant;
    const bool good =
        line_reader_word(reader, "edge") && line_reader_count(reader, 256, &shape->edge) &&
        line_reader_word(reader, "threads") &&
        line_reader_count(reader, LAUNCH_THREADS_MAX, &shape->threads_x) &&
        line_reader_count(reader, LAUNCH_THREADS_MAX, &shape->threads_y) &&
        line_reader_word(reader, "columns") && line_reader_count(reader, 8, &shape->leaf_columns) &&
        line_reader_word(reader, "blocks") &&
        line_reader_count(reader, 4096, &shape->blocks_per_multiprocessor) &&
        line_reader_word(reader, "order") && read_choice(reader, recipe_orders, &order) &&
        line_reader_word(reader, "team") && line_reader_count(reader, 4, &shape->team_groups) &&
        line_reader_word(reader, "variant") && read_choice(reader, recipe_variants, &variant);
    if (!good)
        return false;
    shape->order = (enum leaf_order)order;
    shape->variant = (enum symv_variant)variant;
    /* A base has no threads yet; whether those found fit is asked when they are. */
    struct launch_shape tried = *shape;
    if (shape->threads_x == 0 && shape->threads_y == 0)
        tried.threads_x = 32, tried.threads_y = 1;
    const struct blas_call call = tuning_class_call(class, TUNING_UNIT, TUNING_UNIT);
    const char *fault = launch_shape_fault(&call, &tried);
    return !fault || line_reader_fault(reader, "%s", fault);
}
