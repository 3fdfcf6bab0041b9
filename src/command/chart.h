/* chart.h - a panel with two axes, and what is drawn in it.
 *
 * Values outside the axes are drawn at their ends. Colours are CSS's. */
#ifndef MUBLAS_CHART_H
#define MUBLAS_CHART_H

#include "command/svg.h"

#include <stdbool.h>

/* Logarithmic to base 2 or 10 with ticks at powers, or linear with ticks at round numbers. */
enum chart_scale { SCALE_LINEAR, SCALE_BINARY, SCALE_DECIMAL };

struct chart_axis {
    double low, high; /* low < high; logarithmic: low > 0 */
    enum chart_scale scale;
    const char *label;
};

struct chart {
    FILE *stream;
    double left, top, width, height; /* of the area between the axes */
    struct chart_axis x, y;
};

/* Frame, grid, ticks, labels, and a title above. */
void chart_frame(const struct chart *chart, const char *title);

struct svg_point chart_point(const struct chart *chart, double x, double y);

/* A curve through points in order of x, with a dot at each if `dots`. NaN: a gap. A pen of
 * width 0: dots alone. */
void chart_curve(const struct chart *chart, const double *x, const double *y, size_t count,
                 const struct svg_pen *pen, bool dots);

/* Box and whiskers: least, quarters, largest of the values, which are sorted by this. */
void chart_box(const struct chart *chart, double x, double *values, size_t count, double width,
               const char *colour);

/* Legend lines, one below the other from the upper left corner. A pen's width 0: a dot. */
struct chart_key {
    struct svg_pen pen;
    const char *text;
    bool is_box;
};
void chart_legend(FILE *stream, struct svg_point corner, const struct chart_key *keys, size_t count);

#endif
