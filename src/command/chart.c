#include "command/chart.h"
#include "tuner/statistics.h"

#include <math.h>
#include <stdlib.h>

static const struct svg_pen frame = {"#404040", 1, NULL}, grid = {"#e4e4e4", 1, NULL};
enum { TICKS_MAX = 24 };

static double part_of(const struct chart_axis *axis, double value)
{
    const double part = axis->scale == SCALE_LINEAR ? (value - axis->low) / (axis->high - axis->low)
                                                    : log(value / axis->low) / log(axis->high / axis->low);
    return part > 0 ? part < 1 ? part : 1 : 0;
}

struct svg_point chart_point(const struct chart *chart, double x, double y)
{
    return (struct svg_point){chart->left + chart->width * part_of(&chart->x, x),
                              chart->top + chart->height * (1 - part_of(&chart->y, y))};
}

static size_t powers(const struct chart_axis *axis, size_t wanted, double *ticks)
{
    const double base = axis->scale == SCALE_DECIMAL ? 10 : 2;
    const double first = ceil(log(axis->low) / log(base) - 1e-9),
                 last = floor(log(axis->high) / log(base) + 1e-9);
    const double step = fmax(1, ceil((last - first) / (double)wanted));
    size_t count = 0;
    for (double power = first; power <= last && count < TICKS_MAX; power += step)
        ticks[count++] = pow(base, power);
    return count;
}

static size_t round_numbers(const struct chart_axis *axis, size_t wanted, double *ticks)
{
    const double rough = (axis->high - axis->low) / (double)wanted, power = pow(10, floor(log10(rough)));
    const double step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
    size_t count = 0;
    for (double tick = ceil(axis->low / step - 1e-9) * step;
         tick <= axis->high * (1 + 1e-9) && count < TICKS_MAX; tick += step)
        ticks[count++] = fabs(tick) < step / 2 ? 0 : tick;
    return count;
}

static size_t ticks_of(const struct chart_axis *axis, double pixels, double *ticks)
{
    const size_t wanted = pixels > 120 ? (size_t)(pixels / 45) : 3;
    return axis->scale == SCALE_LINEAR ? round_numbers(axis, wanted, ticks) : powers(axis, wanted, ticks);
}

/* Large powers of two by their prefix: 2097152 is 2Mi. */
static void put_tick(char *text, size_t room, const struct chart_axis *axis, double value)
{
    if (axis->scale == SCALE_BINARY && value >= 1 << 20)
        snprintf(text, room, "%.0fMi", value / (1 << 20));
    else if (axis->scale == SCALE_BINARY && value >= 1 << 16)
        snprintf(text, room, "%.0fKi", value / (1 << 10));
    else
        snprintf(text, room, "%.6g", value);
}

void chart_frame(const struct chart *chart, const char *title)
{
    const double left = chart->left, top = chart->top, right = left + chart->width,
                 bottom = top + chart->height;
    double ticks[TICKS_MAX];
    char text[32];
    const size_t across = ticks_of(&chart->x, chart->width, ticks);
    for (size_t i = 0; i < across; i++) {
        const double x = chart_point(chart, ticks[i], chart->y.low).x;
        svg_line(chart->stream, (struct svg_point){x, top}, (struct svg_point){x, bottom}, &grid);
        put_tick(text, sizeof text, &chart->x, ticks[i]);
        svg_text(chart->stream, (struct svg_point){x, bottom + 13}, SVG_MIDDLE, 9, 0, text);
    }
    const size_t up = ticks_of(&chart->y, chart->height, ticks);
    for (size_t i = 0; i < up; i++) {
        const double y = chart_point(chart, chart->x.low, ticks[i]).y;
        svg_line(chart->stream, (struct svg_point){left, y}, (struct svg_point){right, y}, &grid);
        put_tick(text, sizeof text, &chart->y, ticks[i]);
        svg_text(chart->stream, (struct svg_point){left - 4, y + 3}, SVG_END, 9, 0, text);
    }
    svg_rectangle(chart->stream, (struct svg_point){left, top}, chart->width, chart->height, NULL, &frame);
    svg_text(chart->stream, (struct svg_point){left + chart->width / 2, bottom + 27}, SVG_MIDDLE, 10, 0,
             chart->x.label);
    svg_text(chart->stream, (struct svg_point){left - 40, top + chart->height / 2}, SVG_MIDDLE, 10, 1,
             chart->y.label);
    svg_text(chart->stream, (struct svg_point){left + chart->width / 2, top - 6}, SVG_MIDDLE, 12, 0, title);
}

void chart_curve(const struct chart *chart, const double *x, const double *y, size_t count,
                 const struct svg_pen *pen, bool dots)
{
    struct svg_point *points = calloc(count + 1, sizeof *points);
    size_t used = 0;
    for (size_t i = 0; points && i <= count; i++) {
        if (i < count && isfinite(y[i])) {
            points[used++] = chart_point(chart, x[i], y[i]);
            continue;
        }
        if (used > 1 && pen->width > 0)
            svg_path(chart->stream, points, used, pen);
        for (size_t j = 0; j < used && dots; j++)
            svg_dot(chart->stream, points[j], pen->width > 0 ? pen->width + 0.8 : 3.5, pen->colour);
        used = 0;
    }
    free(points);
}

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

void chart_box(const struct chart *chart, double x, double *values, size_t count, double width,
               const char *colour)
{
    const struct svg_pen pen = {colour, 1, NULL}, thick = {colour, 2, NULL};
    struct svg_point at[5];
    if (count == 0)
        return;
    qsort(values, count, sizeof *values, ascending);
    for (unsigned i = 0; i < 5; i++)
        at[i] = chart_point(chart, x, statistics_quantile(values, count, i / 4.0));
    const double left = at[0].x - width / 2, right = at[0].x + width / 2;
    svg_line(chart->stream, at[0], at[1], &pen);
    svg_line(chart->stream, at[3], at[4], &pen);
    svg_rectangle(chart->stream, (struct svg_point){left, at[3].y}, width, at[1].y - at[3].y, "#ffffff",
                  &pen);
    svg_line(chart->stream, (struct svg_point){left, at[2].y}, (struct svg_point){right, at[2].y}, &thick);
    for (unsigned i = 0; i < 5; i += 4)
        svg_line(chart->stream, (struct svg_point){left + width / 4, at[i].y},
                 (struct svg_point){right - width / 4, at[i].y}, &pen);
}

void chart_legend(FILE *stream, struct svg_point corner, const struct chart_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++, corner.y += 15) {
        if (keys[i].is_box)
            svg_rectangle(stream, (struct svg_point){corner.x + 7, corner.y - 5}, 8, 10, "#ffffff",
                          &(struct svg_pen){keys[i].pen.colour, 1, NULL});
        else if (keys[i].pen.width > 0)
            svg_line(stream, (struct svg_point){corner.x, corner.y},
                     (struct svg_point){corner.x + 22, corner.y}, &keys[i].pen);
        else
            svg_dot(stream, (struct svg_point){corner.x + 11, corner.y}, 3.5, keys[i].pen.colour);
        svg_text(stream, (struct svg_point){corner.x + 28, corner.y + 4}, SVG_START, 11, 0, keys[i].text);
    }
}
