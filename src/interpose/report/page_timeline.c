#include "common/text.h"
#include "interpose/report/report_data.h"

#include <math.h>

enum { LANE_HEIGHT = 48, STEP_WIDTH = 5 };

struct chart {
    const struct report *report;
    double step_seconds, run_seconds; /* the second is what the chart shows: whole steps */
    int used;                         /* steps up to the end of the run */
    double tick_seconds;
};

/* 1, 2 or 5 times a power of ten, so that there are four to ten of them. */
static double round_tick(double seconds)
{
    const double least = seconds / 10, power = pow(10, floor(log10(least)));
    const double factor = least / power;
    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

static struct chart chart_of(const struct report *report)
{
    const uint64_t run = report->run_nanoseconds, width = timeline_width(timeline_level(run));
    struct chart chart = {.report = report, .step_seconds = (double)width / 1e9,
                          .used = (int)(run / width) + 1};
    if (chart.used > TIMELINE_STEPS)
        chart.used = TIMELINE_STEPS;
    chart.run_seconds = chart.step_seconds * chart.used;
    chart.tick_seconds = round_tick(chart.run_seconds);
    return chart;
}

static double lane_seconds(const struct thread_lane *lane, int step)
{
    double sum = 0;
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
        sum += (double)lane->steps[activity][step] / 1e9;
    return sum;
}

static int tick_decimals(double tick)
{
    const int decimals = (int)-floor(log10(tick) + 1e-9);
    return decimals > 0 ? decimals : 0;
}

static void print_step_title(FILE *stream, const struct chart *chart, const struct thread_lane *lane,
                             int step)
{
    char name[REPORT_NAME_BYTES];
    const int decimals = tick_decimals(chart->step_seconds);
    fprintf(stream, "<title>%.*f to %.*f s", decimals, step * chart->step_seconds, decimals,
            (step + 1) * chart->step_seconds);
    if (lane->longest[step] < SYMBOL_COUNT) {
        fputs(", ", stream);
        html_print(stream, report_name(lane->longest[step], name));
    }
    fputs(": ", stream);
    for (int activity = 0, shown = 0; activity < ACTIVITY_COUNT; activity++)
        if (lane->steps[activity][step])
            fprintf(stream, "%s%s %.4f s", shown++ ? ", "
                                                     "" : "", page_activity_meaning((enum activity)activity),
                    (double)lane->steps[activity][step] / 1e9);
    fputs("</title>", stream);
}

static void print_step(FILE *stream, const struct chart *chart, const struct thread_lane *lane, int step,
                       double highest)
{
    double top = LANE_HEIGHT;
    if (lane_seconds(lane, step) <= 0)
        return;
    fputs("<g>", stream);
    print_step_title(stream, chart, lane, step);
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++) {
        const double height = (double)lane->steps[activity][step] / 1e9 / highest * LANE_HEIGHT;
        if (height < 0.05)
            continue;
        top -= height;
        fprintf(stream, "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>",
                page_activity_class((enum activity)activity), step * STEP_WIDTH, top, STEP_WIDTH, height);
    }
    fputs("</g>\n", stream);
}

/* The full height is one thread all the time; of several together, as many as there were. */
static double highest_of(const struct chart *chart, const struct thread_lane *lane)
{
    double highest = chart->step_seconds;
    for (int step = 0; step < chart->used; step++)
        highest = fmax(highest, lane_seconds(lane, step));
    return highest;
}

static void print_lane_name(FILE *stream, const struct chart *chart, int number)
{
    const int threads = chart->report->thread_count;
    if (number == LANES_MOST - 1 && threads > LANES_MOST)
        fprintf(stream, "threads %d to %d", LANES_MOST, threads);
    else
        fprintf(stream, "thread %d", number + 1);
}

static void print_lane(FILE *stream, const struct chart *chart, int number)
{
    const struct thread_lane *const lane = &chart->report->lanes[number];
    const double highest = highest_of(chart, lane);
    const int width = chart->used * STEP_WIDTH;
    fputs("<p class=\"lane\">", stream);
    print_lane_name(stream, chart, number);
    fprintf(stream, "</p><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Time line of "
                    "", width, LANE_HEIGHT);
    print_lane_name(stream, chart, number);
    fputs("; the figures are in the table below\" preserveAspectRatio=\"none\">\n", stream);
    for (int tick = 1; tick * chart->tick_seconds < chart->run_seconds; tick++)
        fprintf(stream, "<rect class=\"tick\" x=\"%.1f\" y=\"0\" width=\"1\" height=\"%d\"/>",
                tick * chart->tick_seconds / chart->run_seconds * width, LANE_HEIGHT);
    fputc('\n', stream);
    for (int step = 0; step < chart->used; step++)
        print_step(stream, chart, lane, step, highest);
    fputs("</svg>\n", stream);
}

/* A label near the right end would stand out of the page. */
static void print_axis(FILE *stream, const struct chart *chart)
{
    const int decimals = tick_decimals(chart->tick_seconds);
    fputs("<div class=\"axis\">", stream);
    for (int tick = 0; tick * chart->tick_seconds <= chart->run_seconds; tick++) {
        const double left = 100 * tick * chart->tick_seconds / chart->run_seconds;
        if (left <= 95)
            fprintf(stream, "<span "
                            "style=\"left:%.2f%%\">%.*f%s</span>", left, decimals, tick * chart->tick_seconds,
                    tick ? "" : " s");
    }
    fputs("</div>\n", stream);
}

static void print_step_legend(FILE *stream, const struct chart *chart)
{
    bool is_shown[ACTIVITY_COUNT] = {false};
    for (int lane = 0; lane < chart->report->lane_count; lane++)
        for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
            for (int step = 0; step < chart->used; step++)
                is_shown[activity] |= chart->report->lanes[lane].steps[activity][step] > 0;
    page_print_legend(stream, is_shown);
}

static void print_step_row(FILE *stream, const struct chart *chart, int step)
{
    fprintf(stream, "<tr><th scope=\"row\">%.3f</th>", step * chart->step_seconds);
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++) {
        uint64_t sum = 0;
        for (int lane = 0; lane < chart->report->lane_count; lane++)
            sum += chart->report->lanes[lane].steps[activity][step];
        fprintf(stream, "<td>%.4f</td>", (double)sum / 1e9);
    }
    fputs("</tr>\n", stream);
}

static void print_step_table(FILE *stream, const struct chart *chart)
{
    fprintf(stream, "<details><summary>Figures of the time line</summary><div class=\"wide\"><table "
                    "%s=\"timeline\">"
                    "<thead><tr><th scope=\"col\">from, s</th><th scope=\"col\">host BLAS, s</th>"
                    "<th scope=\"col\">GPU computing, s</th><th scope=\"col\">copies, s</th>"
                    "<th scope=\"col\">rest, s</th></tr></thead><tbody>\n",
            chart->report->is_section ? "class" : "id");
    for (int step = 0; step < chart->used; step++)
        print_step_row(stream, chart, step);
    fputs("</tbody></table></div></details>\n", stream);
}

void page_print_timeline(FILE *stream, const struct report *report)
{
    const struct chart chart = chart_of(report);
    fputs("<section><h2>Time line</h2>\n", stream);
    print_step_legend(stream, &chart);
    for (int lane = 0; lane < report->lane_count; lane++)
        print_lane(stream, &chart, lane);
    print_axis(stream, &chart);
    fprintf(stream, "<p class=\"note\">%d step%s of %.4g s; a lane for each thread%s, filled where it was "
                    "in a call all "
                    "the time. Point at a step to read which routine had the longest call in it. Empty: the "
                    "program's own work, and calls that are not timed. Calls on the GPU that were given up "
                    "in the "
                    "middle count here, too.</p>\n",
            chart.used, plural((unsigned)chart.used), chart.step_seconds,
            report->thread_count > LANES_MOST ? ", the last for all that are left" : "");
    print_step_table(stream, &chart);
    fputs("</section>\n", stream);
}

static uint64_t size_nanoseconds(const struct size_stats *sizes, int place)
{
    return sizes->nanoseconds[0][place] + sizes->nanoseconds[1][place];
}

static uint64_t size_calls(const struct size_stats *sizes, int place)
{
    return sizes->calls[0][place] + sizes->calls[1][place];
}

static void print_size(FILE *stream, const struct size_stats *sizes, int place, uint64_t longest)
{
    static const char *const classes[] = {"host", "device"};
    const unsigned long long calls = size_calls(sizes, place), on_device = sizes->calls[1][place];
    if (!calls)
        return;
    fprintf(stream, "<div class=\"row\"><span class=\"name\">%llu", 1ull << place);
    if (place > 0)
        fprintf(stream, " to %llu", (2ull << place) - 1);
    fputs("</span><span class=\"bar\">", stream);
    for (int where = 0; where < 2; where++)
        if (sizes->nanoseconds[where][place])
            fprintf(stream, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", classes[where],
                    100 * (double)sizes->nanoseconds[where][place] / (double)longest);
    fprintf(stream, "</span><span class=\"value\">%.3f s, %llu "
                    "call%s", (double)size_nanoseconds(sizes, place) / 1e9,
            calls, plural(calls));
    if (on_device && on_device < calls)
        fprintf(stream, " (%llu on the GPU)", on_device);
    fputs("</span></div>\n", stream);
}

void page_print_sizes(FILE *stream, const struct report *report)
{
    const struct size_stats *const sizes = &report->sizes;
    uint64_t longest = 0;
    int first = SIZE_PLACES, last = -1;
    bool is_used[2] = {false, false};
    for (int place = 0; place < SIZE_PLACES; place++)
        if (size_calls(sizes, place)) {
            longest = size_nanoseconds(sizes, place) > longest ? size_nanoseconds(sizes, place) : longest;
            is_used[0] |= sizes->nanoseconds[0][place] > 0;
            is_used[1] |= sizes->nanoseconds[1][place] > 0;
            first = first < place ? first : place;
            last = place;
        }
    if (!longest)
        return;
    fputs("<section><h2>Sizes of calls</h2>\n<p class=\"legend\">", stream);
    for (int where = 0; where < 2; where++)
        if (is_used[where])
            fprintf(stream, "<span><i class=\"%s\"></i>seconds on the %s</span> ", where ? "device" : "host",
                    where ? "GPU" : "host");
    fputs("</p>\n<div class=\"chart sizes\">\n", stream);
    for (int place = first; place <= last; place++)
        print_size(stream, sizes, place, longest);
    fputs("</div>\n<p class=\"note\">The size is the largest of m, n and k. Seconds of a LAPACK routine on "
          "the host have "
          "those of the calls that it makes, which count here themselves, too. Calls that nobody looked at "
          "have no "
          "size here.</p></section>\n", stream);
}
