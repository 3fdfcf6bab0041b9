#include "command/tuning_chart.h"

#include "command/chart.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 860, HEIGHT = 620, LEFT = 64, AREA = 560 };
enum { UPPER_TOP = 48, UPPER = 310, LOWER_TOP = 424, LOWER = 150 };
enum { BOX_LEAST = 5, FASTEST = TUNED_STAGES }; /* of all, beside the stages */

static const char green[] = "#2e9e4f";

/* In the order in which they are drawn; paper 000 has the chosen one red, cuBLAS blue. */
static const struct curve {
    int stage;
    struct svg_pen pen;
    const char *text;
} curves[] = {
    {TUNED_CUBLAS, {"#2f5fd0", 1.5, NULL}, "cuBLAS"},
    {TUNED_DEFAULT, {"#8a8a8a", 1.5, "5 3"}, "built-in rules"},
    {TUNED_FINAL, {"#222222", 1, NULL}, "fastest of the last stage"},
    {TUNED_OCCUPANCY, {"#e0a800", 1.5, NULL}, "by occupancy"},
    {TUNED_RULES, {"#d02020", 1.8, NULL}, "by rules"},
};
enum { CURVES = sizeof curves / sizeof *curves };

struct columns { /* one entry a size */
    size_t count;
    double *x, *y;
};

static const struct tuning_row *row_of(const struct tuning_group *size, int stage)
{
    return stage == FASTEST ? tuning_fastest_of_all(size) : tuning_fastest(size, (enum tuning_stage)stage);
}

/* One value of each size that has the stage; how many have. */
static size_t collect(const struct tuning_group *class, int stage, double (*value)(const struct tuning_row *),
                      struct columns *columns)
{
    struct tuning_group size = {NULL, 0};
    columns->count = 0;
    while (tuning_next_size(class, &size)) {
        const struct tuning_row *row = row_of(&size, stage);
        if (!row)
            continue;
        columns->x[columns->count] = tuning_row_size(row);
        columns->y[columns->count++] = value(row);
    }
    return columns->count;
}

static double edge_of(const struct tuning_row *row)
{
    return row->shape.edge;
}

static double x_of(const struct tuning_row *row)
{
    return row->shape.threads_x;
}

static double y_of(const struct tuning_row *row)
{
    return row->shape.threads_y;
}

static struct chart upper_chart(FILE *stream, const struct tuning_group *class)
{
    double least = INFINITY, most = 0, highest = 0;
    for (size_t i = 0; i < class->count; i++) {
        least = fmin(least, tuning_row_size(&class->rows[i]));
        most = fmax(most, tuning_row_size(&class->rows[i]));
        highest = fmax(highest, tuning_rate(&class->rows[i]));
    }
    const bool is_gemv = tuning_class_family(class->rows->class) == FAMILY_GEMV;
    return (struct chart){stream, LEFT, UPPER_TOP, AREA, UPPER,
                          {least / 1.15, most * 1.15, SCALE_BINARY, is_gemv ? "sqrt(m n)" : "n"},
                          {0, highest * 1.08, SCALE_LINEAR, "GB/s"}};
}

static void draw_boxes(const struct chart *chart, const struct tuning_group *class)
{
    struct tuning_group size = {NULL, 0};
    double *rates = calloc(class->count, sizeof *rates);
    const double room = chart->width / (double)(tuning_size_count(class) + 1);
    while (rates && tuning_next_size(class, &size)) {
        size_t count = 0;
        for (size_t i = 0; i < size.count; i++)
            if (size.rows[i].stage != TUNED_CUBLAS)
                rates[count++] = tuning_rate(&size.rows[i]);
        if (count >= BOX_LEAST)
            chart_box(chart, tuning_row_size(size.rows), rates, count, fmax(3, fmin(9, 0.6 * room)), green);
    }
    free(rates);
}

static void draw_rates(const struct chart *chart, const struct tuning_group *class, struct columns *columns)
{
    struct chart_key keys[CURVES + 1] = {{{green, 0, NULL}, "all shapes timed"}};
    size_t key_count = 1;
    draw_boxes(chart, class);
    for (size_t i = 0; i < CURVES; i++) {
        if (collect(class, curves[i].stage, tuning_rate, columns) == 0)
            continue;
        chart_curve(chart, columns->x, columns->y, columns->count, &curves[i].pen, true);
        keys[key_count++] = (struct chart_key){curves[i].pen, curves[i].text};
    }
    chart_legend(chart->stream, (struct svg_point){LEFT + AREA + 20, UPPER_TOP + 12}, keys, key_count);
}

/* The chosen shape is the rules' where sizes were held out for them, else the last stage's. */
static void draw_blocks(const struct chart *chart, const struct tuning_group *class, struct columns *columns)
{
    static const struct {
        double (*value)(const struct tuning_row *);
        const char *colour, *text;
    } parts[] = {{edge_of, "#777777", "edge"}, {x_of, "#e05fa0", "Tx"}, {y_of, "#2f7fd0", "Ty"}};
    struct chart_key keys[5];
    size_t key_count = 0;
    const bool is_axpy = tuning_class_family(class->rows->class) == FAMILY_AXPY;
    const int chosen = collect(class, TUNED_RULES, x_of, columns) > 0 ? TUNED_RULES : TUNED_FINAL;
    for (size_t i = is_axpy ? 1 : 0; i < 3; i++) {
        const struct svg_pen solid = {parts[i].colour, 1.5, NULL}, dashed = {parts[i].colour, 1, "3 3"};
        collect(class, FASTEST, parts[i].value, columns);
        chart_curve(chart, columns->x, columns->y, columns->count, &dashed, false);
        collect(class, chosen, parts[i].value, columns);
        chart_curve(chart, columns->x, columns->y, columns->count, &solid, true);
        keys[key_count++] = (struct chart_key){solid, parts[i].text};
    }
    keys[key_count++] = (struct chart_key){{"#777777", 1, "3 3"}, "of the fastest at that size"};
    keys[key_count++] = (struct chart_key){{"#777777", 1.5, NULL},
                                           chosen == TUNED_RULES ? "by rules" : "fastest of the last stage"};
    chart_legend(chart->stream, (struct svg_point){LEFT + AREA + 20, LOWER_TOP + 12}, keys, key_count);
}

void tuning_chart(FILE *stream, const char *device, const struct tuning_group *class)
{
    char title[200];
    const size_t sizes = tuning_size_count(class);
    struct columns columns = {0, calloc(sizes, sizeof(double)), calloc(sizes, sizeof(double))};
    const struct chart upper = upper_chart(stream, class);
    struct chart lower = upper;
    lower.top = LOWER_TOP;
    lower.height = LOWER;
    lower.y = (struct chart_axis){1, 512, SCALE_BINARY, "block, edge"};
    snprintf(title, sizeof title, "%s, %s, on %s", tuning_class_name(class->rows->class),
             tuning_form_name(class->rows->form), device);
    svg_begin(stream, WIDTH, HEIGHT);
    if (columns.x && columns.y) {
        chart_frame(&upper, title);
        draw_rates(&upper, class, &columns);
        chart_frame(&lower, "");
        draw_blocks(&lower, class, &columns);
    }
    svg_end(stream);
    free(columns.x);
    free(columns.y);
}
