#include "common/plural.h"
#include "interpose/report/page/page_parts.h"

enum { CHART_WIDTH = 1000, CHART_HEIGHT = 180, STEP_WIDTH = CHART_WIDTH / TIMELINE_STEPS };

struct chart {
    uint64_t steps[ACTIVITY_COUNT][TIMELINE_STEPS];
    unsigned level;
    int used;       /* steps up to the end of the run */
    double highest; /* of the sums of a step, in threads; 1 or more */
};

static double threads_at(const struct chart *chart, int activity, int step)
{
    return (double)chart->steps[activity][step] / (double)timeline_width(chart->level);
}

static void read_chart(const struct report *report, struct chart *chart)
{
    const uint64_t run = report->run_nanoseconds;
    chart->level = timeline_level(run);
    chart->used = (int)(run / timeline_width(chart->level)) + 1;
    if (chart->used > TIMELINE_STEPS)
        chart->used = TIMELINE_STEPS;
    chart->highest = 1;
    stats_read_timeline(chart->level, chart->steps);
    for (int step = 0; step < chart->used; step++) {
        double sum = 0;
        for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
            sum += threads_at(chart, activity, step);
        chart->highest = sum > chart->highest ? sum : chart->highest;
    }
}

static void print_step(FILE *stream, const struct chart *chart, int step)
{
    double top = CHART_HEIGHT;
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++) {
        const double height = threads_at(chart, activity, step) / chart->highest * CHART_HEIGHT;
        if (height < 0.05)
            continue;
        top -= height;
        fprintf(stream, "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>",
                page_activity_class((enum activity)activity), step * STEP_WIDTH, top, STEP_WIDTH, height);
    }
}

static void print_legend(FILE *stream, const struct chart *chart)
{
    bool is_shown[ACTIVITY_COUNT] = {false};
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
        for (int step = 0; step < chart->used; step++)
            is_shown[activity] |= chart->steps[activity][step] > 0;
    page_print_legend(stream, is_shown);
}

/* With three figures, and no more than a tenth of a millisecond's. */
static void print_time(FILE *stream, double seconds)
{
    const int decimals = seconds >= 100 ? 0 : seconds >= 10 ? 1 : seconds >= 1 ? 2 : seconds >= 0.1 ? 3 : 4;
    fprintf(stream, "%.*f s", decimals, seconds);
}

static void print_axis(FILE *stream, double seconds)
{
    fputs("<div class=\"axis\"><span>0 s</span><span>", stream);
    print_time(stream, seconds / 2);
    fputs("</span><span>", stream);
    print_time(stream, seconds);
    fputs("</span></div>\n", stream);
}

static void print_svg(FILE *stream, const struct chart *chart)
{
    const double seconds = (double)timeline_width(chart->level) * chart->used / 1e9;
    fprintf(stream, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Time line; its figures are in the "
                    "table below\" preserveAspectRatio=\"none\">\n", chart->used * STEP_WIDTH, CHART_HEIGHT);
    for (int step = 0; step < chart->used; step++)
        print_step(stream, chart, step);
    fputs("</svg>\n", stream);
    print_axis(stream, seconds);
}

static void print_row(FILE *stream, const struct chart *chart, int step)
{
    const double width = (double)timeline_width(chart->level) / 1e9;
    fprintf(stream, "<tr><th scope=\"row\">%.3f</th>", step * width);
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
        fprintf(stream, "<td>%.4f</td>", (double)chart->steps[activity][step] / 1e9);
    fputs("</tr>\n", stream);
}

static void print_table(FILE *stream, const struct chart *chart)
{
    fputs("<details><summary>Figures of the time line</summary><table id=\"timeline\"><thead><tr>"
          "<th scope=\"col\">from, s</th><th scope=\"col\">host BLAS, s</th>"
          "<th scope=\"col\">GPU computing, s</th>"
          "<th scope=\"col\">copies, s</th><th scope=\"col\">rest, s</th></tr></thead><tbody>\n", stream);
    for (int step = 0; step < chart->used; step++)
        print_row(stream, chart, step);
    fputs("</tbody></table></details>\n", stream);
}

void page_print_timeline(FILE *stream, const struct report *report)
{
    struct chart chart;
    read_chart(report, &chart);
    fputs("<section><h2>Time line</h2>\n", stream);
    print_legend(stream, &chart);
    print_svg(stream, &chart);
    fprintf(stream, "<p class=\"note\">%d step%s of %.4g s; the full height is %.2f thread%s. Empty: the "
                    "program's "
                    "own work, and calls that are not timed. Calls on the GPU that were given up in the "
                    "middle "
                    "count here, too.</p>\n",
            chart.used, plural((unsigned)chart.used), (double)timeline_width(chart.level) / 1e9,
            chart.highest, chart.highest < 1.005 ? "" : "s");
    print_table(stream, &chart);
    fputs("</section>\n", stream);
}
