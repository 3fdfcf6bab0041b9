#include "command/tuning_chart.h"

#include "command/chart.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 860, HEIGHT = 620, LEFT = 64, AREA = 560 };
enum { UPPER_TOP = 48, UPPER = 310, LOWER_TOP = 424, LOWER = 150 };
enum { BOX_LEAST = 5, FASTEST = TUNED_STAGES, CHOSEN }; /* of all, and by the recipe: beside the stages */

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
    {CHOSEN, {"#d02020", 1.8, NULL}, "chosen by the recipe"},
    {TUNED_OCCUPANCY, {"#e0a800", 0, NULL}, "by occupancy, size held out"},
    {TUNED_RULES, {"#d02020", 0, NULL}, "by rules, size held out"},
};
enum { CURVES = sizeof curves / sizeof *curves };

struct picture {
    const struct tuning_group *class;
    const struct class_recipe *rules;
    size_t count; /* of what was collected: an entry a size */
    double *x, *y;
};

static const struct tuning_row *row_of(const struct picture *picture, const struct tuning_group *size,
                                       int stage)
{
    if (stage == FASTEST)
        return tuning_fastest_of_all(size);
    return stage == CHOSEN ? tuning_chosen(size, picture->rules)
                           : tuning_fastest(size, (enum tuning_stage)stage);
}

/* One value of each size that has the stage; how many have. */
static size_t collect(struct picture *picture, int stage, double (*value)(const struct tuning_row *))
{
    struct tuning_group size = {NULL, 0};
    picture->count = 0;
    while (tuning_next_size(picture->class, &size)) {
        const struct tuning_row *row = row_of(picture, &size, stage);
        if (!row)
            continue;
        picture->x[picture->count] = tuning_row_size(row);
        picture->y[picture->count++] = value(row);
    }
    return picture->count;
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

static void draw_rates(const struct chart *chart, struct picture *picture)
{
    struct chart_key keys[CURVES + 1] = {{{green, 1, NULL}, "all shapes timed", true}};
    size_t key_count = 1;
    draw_boxes(chart, picture->class);
    for (size_t i = 0; i < CURVES; i++) {
        if (collect(picture, curves[i].stage, tuning_rate) == 0)
            continue;
        chart_curve(chart, picture->x, picture->y, picture->count, &curves[i].pen, true);
        keys[key_count++] = (struct chart_key){curves[i].pen, curves[i].text, false};
    }
    chart_legend(chart->stream, (struct svg_point){LEFT + AREA + 20, UPPER_TOP + 12}, keys, key_count);
}

/* Whose blocks are drawn: what the recipe chooses; without one, the rules' choice at sizes held
 * out; without these, the fastest of the last stage. */
static const struct curve *block_curve(struct picture *picture)
{
    static const int wanted[] = {CHOSEN, TUNED_RULES, TUNED_FINAL};
    size_t i = 0, j = 0;
    while (i < 2 && collect(picture, wanted[i], x_of) == 0)
        i++;
    while (curves[j].stage != wanted[i])
        j++;
    return &curves[j];
}

static void draw_blocks(const struct chart *chart, struct picture *picture)
{
    static const struct {
        double (*value)(const struct tuning_row *);
        const char *colour, *text;
    } parts[] = {{edge_of, "#777777", "edge"}, {x_of, "#e05fa0", "Tx"}, {y_of, "#2f7fd0", "Ty"}};
    struct chart_key keys[5];
    size_t key_count = 0;
    const bool is_axpy = tuning_class_family(picture->class->rows->class) == FAMILY_AXPY;
    const struct curve *solid_curve = block_curve(picture);
    for (size_t i = is_axpy ? 1 : 0; i < 3; i++) {
        const struct svg_pen solid = {parts[i].colour, 1.5, NULL}, dashed = {parts[i].colour, 1, "3 3"};
        collect(picture, FASTEST, parts[i].value);
        chart_curve(chart, picture->x, picture->y, picture->count, &dashed, false);
        collect(picture, solid_curve->stage, parts[i].value);
        chart_curve(chart, picture->x, picture->y, picture->count, &solid, true);
        keys[key_count++] = (struct chart_key){solid, parts[i].text, false};
    }
    keys[key_count++] = (struct chart_key){{"#777777", 1, "3 3"}, "of the fastest at that size", false};
    keys[key_count++] = (struct chart_key){{"#777777", 1.5, NULL}, solid_curve->text, false};
    chart_legend(chart->stream, (struct svg_point){LEFT + AREA + 20, LOWER_TOP + 12}, keys, key_count);
}

void tuning_chart(FILE *stream, const char *device, const struct tuning_group *class,
                  const struct class_recipe *rules)
{
    char title[200];
    const size_t sizes = tuning_size_count(class);
    struct picture picture = {class, rules, 0, calloc(sizes, sizeof(double)), calloc(sizes, sizeof(double))};
    const struct chart upper = upper_chart(stream, class);
    struct chart lower = upper;
    lower.top = LOWER_TOP;
    lower.height = LOWER;
    lower.y = (struct chart_axis){1, 512, SCALE_BINARY, "block, edge"};
    snprintf(title, sizeof title, "%s, %s, on %s", tuning_class_name(class->rows->class),
             tuning_form_name(class->rows->form), device);
    svg_begin(stream, WIDTH, HEIGHT);
    if (picture.x && picture.y) {
        chart_frame(&upper, title);
        draw_rates(&upper, &picture);
        chart_frame(&lower, "");
        draw_blocks(&lower, &picture);
    }
    svg_end(stream);
    free(picture.x);
    free(picture.y);
}
