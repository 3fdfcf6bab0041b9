#include "command/tuning_summary.h"

#include "tuner/statistics.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* What a shape is held against: at a held-out size the best one, which was timed again
 * beside the chosen ones, else the fastest of the last stage. */
static const struct tuning_row *yardstick(const struct tuning_group *size)
{
    const struct tuning_row *best = tuning_fastest(size, TUNED_BEST);
    return best ? best : tuning_fastest(size, TUNED_FINAL);
}

struct tuning_closeness tuning_closeness_of(const struct tuning_group *class, enum tuning_stage stage)
{
    struct tuning_closeness closeness = {0, NAN, NAN};
    struct tuning_group size = {NULL, 0};
    double *parts = calloc(class->count, sizeof *parts);
    while (parts && tuning_next_size(class, &size)) {
        const struct tuning_row *row = tuning_fastest(&size, stage), *best = yardstick(&size);
        if (row && best)
            parts[closeness.sizes++] = fmin(best->us / row->us, 1);
    }
    if (closeness.sizes > 0) {
        qsort(parts, closeness.sizes, sizeof *parts, ascending);
        closeness.median = statistics_quantile(parts, closeness.sizes, 0.5);
        closeness.low = statistics_quantile(parts, closeness.sizes, 0.05);
    }
    free(parts);
    return closeness;
}

static void print_closeness(FILE *stream, const struct tuning_closeness *closeness)
{
    if (closeness->sizes > 0)
        fprintf(stream, "  %5.1f%% %5.1f%%", 100 * closeness->median, 100 * closeness->low);
    else
        fprintf(stream, "  %6s %6s", "-", "-");
}

static void print_class(FILE *stream, const struct tuning_group *class)
{
    static const enum tuning_stage stages[] = {TUNED_RULES, TUNED_OCCUPANCY, TUNED_DEFAULT};
    const struct tuning_row *last = &class->rows[class->count - 1];
    struct tuning_group size = {NULL, 0}, largest = size;
    while (tuning_next_size(class, &size))
        largest = size;
    fprintf(stream, "%-16s %-6s %6zu %6zu", tuning_class_name(last->class), tuning_form_name(last->form),
            tuning_shape_count(class), tuning_size_count(class));
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const struct tuning_closeness closeness = tuning_closeness_of(class, stages[i]);
        print_closeness(stream, &closeness);
    }
    const struct tuning_row *fastest = tuning_fastest_of_all(&largest);
    if (fastest)
        fprintf(stream, "  %6.0f at %.0f\n", tuning_rate(fastest), tuning_row_size(fastest));
    else
        fputc('\n', stream);
}

void tuning_summary(FILE *stream, const struct tuning_table *table)
{
    struct tuning_group class = {NULL, 0};
    fprintf(stream, "%s, %s\n", table->device, table->made[0] ? table->made : "not dated");
    fputs("how fast a choice is, of the fastest shape: median and 5th percentile, by rules and\n"
          "occupancy over the sizes held out, built-in over those of the last stage; GB/s of the\n"
          "fastest at the largest size\n\n", stream);
    fprintf(stream, "%-16s %-6s %6s %6s  %13s  %13s  %13s  %s\n", "class", "form", "shapes", "sizes",
            "by rules", "by occupancy", "built-in", "GB/s");
    while (tuning_next_class(table, &class))
        print_class(stream, &class);
}
