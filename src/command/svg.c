#include "command/svg.h"

void svg_begin(FILE *stream, double width, double height)
{
    fprintf(stream, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\"", width,
            height);
    fprintf(stream, " viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\">\n", width, height);
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n", stream);
}

void svg_end(FILE *stream)
{
    fputs("</svg>\n", stream);
}

static void put_pen(FILE *stream, const struct svg_pen *pen)
{
    fprintf(stream, " stroke=\"%s\" stroke-width=\"%.2f\"", pen->colour, pen->width);
    if (pen->dashes)
        fprintf(stream, " stroke-dasharray=\"%s\"", pen->dashes);
}

void svg_line(FILE *stream, struct svg_point from, struct svg_point to, const struct svg_pen *pen)
{
    fprintf(stream, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", from.x, from.y, to.x, to.y);
    put_pen(stream, pen);
    fputs("/>\n", stream);
}

void svg_path(FILE *stream, const struct svg_point *points, size_t count, const struct svg_pen *pen)
{
    fputs("<polyline fill=\"none\" points=\"", stream);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "%s%.1f,%.1f", i > 0 ? " " : "", points[i].x, points[i].y);
    fputc('"', stream);
    put_pen(stream, pen);
    fputs("/>\n", stream);
}

void svg_rectangle(FILE *stream, struct svg_point corner, double width, double height, const char *fill,
                   const struct svg_pen *pen)
{
    fprintf(stream, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"", corner.x,
            corner.y, width, height, fill ? fill : "none");
    put_pen(stream, pen);
    fputs("/>\n", stream);
}

void svg_dot(FILE *stream, struct svg_point centre, double radius, const char *colour)
{
    fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", centre.x, centre.y, radius,
            colour);
}

void svg_text(FILE *stream, struct svg_point at, enum svg_anchor anchor, double size, int upwards,
              const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\"", at.x, at.y, size,
            anchors[anchor]);
    if (upwards)
        fprintf(stream, " transform=\"rotate(-90 %.1f %.1f)\"", at.x, at.y);
    fputc('>', stream);
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        case '&': fputs("&amp;", stream); break;
        default: /* control characters are no XML */
            fputc((unsigned char)*text < ' ' ? ' ' : *text, stream);
        }
    fputs("</text>\n", stream);
}
