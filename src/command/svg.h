/* svg.h - the few shapes of SVG that charts need, written to a stream.
 *
 * Lengths are pixels from the upper left corner. Colours are CSS's. Texts are escaped.
 * Errors stay with the stream. */
#ifndef MUBLAS_SVG_H
#define MUBLAS_SVG_H

#include <stddef.h>
#include <stdio.h>

struct svg_point {
    double x, y;
};

struct svg_pen {
    const char *colour;
    double width;
    const char *dashes; /* "4 3", or NULL */
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

void svg_begin(FILE *stream, double width, double height); /* white */
void svg_end(FILE *stream);
void svg_line(FILE *stream, struct svg_point from, struct svg_point to, const struct svg_pen *pen);
void svg_path(FILE *stream, const struct svg_point *points, size_t count, const struct svg_pen *pen);
/* `fill` NULL: none. */
void svg_rectangle(FILE *stream, struct svg_point corner, double width, double height, const char *fill,
                   const struct svg_pen *pen);
void svg_dot(FILE *stream, struct svg_point centre, double radius, const char *colour);
/* Turned to read upwards if `upwards`. */
void svg_text(FILE *stream, struct svg_point at, enum svg_anchor anchor, double size, int upwards,
              const char *text);

#endif
