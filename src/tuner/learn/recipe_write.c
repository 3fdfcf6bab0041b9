#include "tuner/learn/recipe_write.h"
#include "common/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_head(FILE *stream, const struct recipe *recipe)
{
    const struct recipe_signature *signature = &recipe->signature;
    fprintf(stream, "mublas recipe %d\n", RECIPE_FORMAT);
    fprintf(stream, "kernels %s\ndevice %s\nmultiprocessors %d\ndriver %d\nhost %s\nmade %s\n",
            signature->kernels, signature->device, signature->multiprocessors, signature->driver,
            *signature->host ? signature->host : "none", recipe->made);
    fprintf(stream, "warps %d\nblocks %d\n", recipe->resident_warps, recipe->resident_blocks);
}

static void write_shape(FILE *stream, const struct launch_shape *shape)
{
    char text[RECIPE_SHAPE_BYTES];
    recipe_shape_text(shape, text);
    fprintf(stream, " %s", text);
}

static void write_occupancy(FILE *stream, const struct class_recipe *rules)
{
    fprintf(stream, "occupancy %.6f %.6f %u %.6f\nbase", rules->occupancy.warp_min,
            rules->occupancy.block_min, rules->occupancy.threads_min, rules->occupancy.ty_per_tx_max);
    write_shape(stream, &rules->base);
    for (int i = 0; i < SHAPE_EDGES; i++) {
        fprintf(stream, "\nactive %u", shape_edges[i]);
        for (int warps = 1; warps <= BLOCK_WARPS_MAX; warps++)
            fprintf(stream, " %u", rules->figures.of_edge[i].active[warps]);
    }
    fputc('\n', stream);
}

static void write_class(FILE *stream, int class, enum tuning_form form, const struct class_recipe *rules)
{
    fprintf(stream, "class %s %s %s\n", tuning_class_name(class), tuning_form_name(form),
            rules->by_occupancy ? "occupancy" : "rules");
    for (int i = 0; i < rules->interval_count; i++) {
        if (rules->intervals[i].upto == INT64_MAX)
            fputs("beyond", stream);
        else
            fprintf(stream, "upto %" PRId64, rules->intervals[i].upto);
        if (rules->intervals[i].shape.edge == 0)
            fputs(" built-in", stream);
        else
            write_shape(stream, &rules->intervals[i].shape);
        fputc('\n', stream);
    }
    if (rules->has_occupancy)
        write_occupancy(stream, rules);
}

/* Ends a stream of open_memstream, which has *text and *bytes. NULL: out of memory. */
static char *end_with_hash(FILE *stream, char **text, size_t *bytes)
{
    fflush(stream);
    if (!ferror(stream))
        fprintf(stream, "hash %016" PRIx64 "\n", recipe_hash(*text, *bytes));
    if (fclose(stream) == 0)
        return *text;
    free(*text);
    return NULL;
}

static char *write_all(const struct recipe *recipe, size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    if (!stream)
        return NULL;
    write_head(stream, recipe);
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++)
            if (recipe->classes[class][form].interval_count > 0)
                write_class(stream, class, (enum tuning_form)form, &recipe->classes[class][form]);
    if (recipe->crossover)
        fprintf(stream, "crossover\n%s", recipe->crossover);
    return end_with_hash(stream, &text, bytes);
}

char *recipe_text(const struct recipe *recipe, size_t *bytes)
{
    const locale_t locale = plain_locale_begin();
    char *const text = write_all(recipe, bytes);
    plain_locale_end(locale);
    return text;
}

void tuning_data_begin(FILE *stream, const struct recipe_signature *signature, const char *made)
{
    fprintf(stream, "%s\n# device %s\n# made %s\n%s\n", TUNING_DATA_FIRST_LINE, signature->device, made,
            TUNING_DATA_COLUMNS);
}

void tuning_data_line(FILE *stream, int class, const struct blas_call *call, const char *stage,
                      const struct launch_shape *shape, const struct tuning_time *time)
{
    const int64_t m = call->family == FAMILY_GEMV ? call->m : call->n;
    if (!stream)
        return;
    const locale_t locale = plain_locale_begin();
    fprintf(stream, "%s,%s,%" PRId64 ",%" PRId64 ",%s,%u,%u,%u,%u,%u,%s,%u,%s,%.4f,%.4f,%.4f,%d\n",
            tuning_class_name(class), tuning_form_name(tuning_form_of(call)), m, call->n, stage, shape->edge,
            shape->threads_x, shape->threads_y, shape->leaf_columns, shape->blocks_per_multiprocessor,
            recipe_orders[shape->order], shape->team_groups, recipe_variants[shape->variant],
            1e6 * time->seconds, 1e6 * time->low, 1e6 * time->high, time->rounds);
    plain_locale_end(locale);
}
