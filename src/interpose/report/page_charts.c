#include "common/text.h"
#include "interpose/report/report_data.h"
#include "interpose/report/report_file.h"

#include <stdlib.h>

/* The name of an activity's colour, and what that means. */
static const struct {
    const char *class, *meaning;
} words[ACTIVITY_COUNT] = {
    [ACTIVITY_HOST] = {"host", "host BLAS and LAPACK"},
    [ACTIVITY_DEVICE] = {"device", "GPU, computing"},
    [ACTIVITY_LINK] = {"link", "copies"},
    [ACTIVITY_OTHER] = {"other", "other time of calls on the GPU"},
};

/* Prints the meanings of the colours that a chart shows. */
static void print_colours(FILE *stream, const bool is_shown[ACTIVITY_COUNT])
{
    fputs("<p class=\"legend\">", stream);
    for (int i = 0; i < ACTIVITY_COUNT; i++)
        if (is_shown[i])
            fprintf(stream, "<span><i class=\"%s\"></i>%s</span> ", words[i].class, words[i].meaning);
    fputs("</p>\n", stream);
}

/* A part of a bar and its line below. */
struct piece {
    const char *activity, *meaning; /* the class of its colour */
    uint64_t nanoseconds;
};

static struct piece piece_of(enum activity activity, uint64_t nanoseconds)
{
    return (struct piece){words[activity].class, words[activity].meaning, nanoseconds};
}

static void print_whole_bar(FILE *stream, const struct piece *pieces, int count, uint64_t whole)
{
    fputs("<div class=\"bar whole\" aria-hidden=\"true\">", stream);
    for (int i = 0; i < count; i++)
        if (pieces[i].nanoseconds)
            fprintf(stream, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", pieces[i].activity,
                    100 * (double)pieces[i].nanoseconds / (double)whole);
    fputs("</div>\n<p class=\"legend\">", stream);
}

static void print_pieces(FILE *stream, const struct piece *pieces, int count)
{
    uint64_t whole = 0;
    for (int i = 0; i < count; i++)
        whole += pieces[i].nanoseconds;
    print_whole_bar(stream, pieces, count, whole);
    for (int i = 0; i < count; i++)
        if (pieces[i].nanoseconds)
            fprintf(stream, "<span><i class=\"%s\"></i>%s <b>%.3f s</b> (%.0f%%)</span> ", pieces[i].activity,
                    pieces[i].meaning, (double)pieces[i].nanoseconds / 1e9,
                    100 * (double)pieces[i].nanoseconds / (double)whole);
    fputs("</p>\n", stream);
}

/* Time of the clock. The parts of a step in which several threads were in calls may have been one time or
 * several; what is less than a thousandth of the run is no news. */
static void print_run(FILE *stream, const struct report *report)
{
    const uint64_t run = report->run_nanoseconds;
    const struct time_in_calls in_calls = stats_read_in_calls(run);
    const uint64_t unsure = in_calls.most - in_calls.least, told = unsure > run / 1000 ? unsure : 0;
    const struct piece pieces[] = {
        {"call", "at least one thread in a call", in_calls.most - told},
        {"unsure", "perhaps one, as threads took turns in less than a step of the time line", told},
        {"rest", "no timed call: the program's own work, opening the GPU, small BLAS calls",
         run - in_calls.most},
    };
    fprintf(stream, "<section><h2>Where the time went</h2>\n<p>The run, %.3f s:</p>\n", (double)run / 1e9);
    print_pieces(stream, pieces, sizeof pieces / sizeof *pieces);
}

/* Prints the threads' time, which several spend at once. */
static void print_calls(FILE *stream, const struct report *report)
{
    const uint64_t on_device = report_device_time(&report->total),
                   kernel = report_kernel_time(&report->total), link = report_link_time(&report->total),
                   host = report_own_host_time(&report->total);
    const struct piece pieces[] = {
        piece_of(ACTIVITY_HOST, host),
        piece_of(ACTIVITY_DEVICE, kernel),
        piece_of(ACTIVITY_LINK, link),
        piece_of(ACTIVITY_OTHER, on_device - kernel - link),
    };
    if (host + on_device == 0)
        return;
    fprintf(stream, "<p>The calls, %.3f s, those of all threads added up:</p>\n",
            (double)(host + on_device) / 1e9);
    print_pieces(stream, pieces, sizeof pieces / sizeof *pieces);
}

void page_print_whole(FILE *stream, const struct report *report)
{
    print_run(stream, report);
    print_calls(stream, report);
    fputs("</section>\n", stream);
}

enum { BARS_MOST = 24 };

/* The times that a bar shows, in nanoseconds. */
struct bar {
    enum symbol symbol;
    uint64_t host, device, link, other;
};

static uint64_t bar_length(const struct bar *bar)
{
    return bar->host + bar->device + bar->link + bar->other;
}

static struct bar bar_of(const struct report *report, enum symbol symbol)
{
    const struct routine_stats *const stats = &report->routines[symbol];
    struct bar bar = {symbol, report_own_host_time(stats), report_kernel_time(stats), report_link_time(stats),
                      0};
    bar.other = report_device_time(stats) - bar.device - bar.link;
    return bar;
}

static int by_length(const void *one, const void *other)
{
    const struct bar *const a = one, *const b = other;
    const uint64_t of_a = bar_length(a), of_b = bar_length(b);
    return of_a != of_b ? (of_a < of_b) - (of_a > of_b) : (int)a->symbol - (int)b->symbol;
}

/* The routines that were called, the costliest first. */
static int take_bars(const struct report *report, struct bar *bars)
{
    int count = 0;
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (report_was_called(&report->routines[i]))
            bars[count++] = bar_of(report, (enum symbol)i);
    qsort(bars, (size_t)count, sizeof *bars, by_length);
    return count;
}

static void print_piece(FILE *stream, const char *activity, uint64_t length, uint64_t longest)
{
    if (length)
        fprintf(stream, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", activity,
                100 * (double)length / (double)longest);
}

static void print_bar(FILE *stream, const struct bar *bar, uint64_t longest)
{
    char name[REPORT_NAME_BYTES];
    fputs("<div class=\"row\"><span class=\"name\">", stream);
    html_print(stream, report_name(bar->symbol, name));
    fputs("</span><span class=\"bar\">", stream);
    print_piece(stream, "host", bar->host, longest);
    print_piece(stream, "device", bar->device, longest);
    print_piece(stream, "link", bar->link, longest);
    print_piece(stream, "other", bar->other, longest);
    fprintf(stream, "</span><span class=\"value\">%.3f s</span></div>\n", (double)bar_length(bar) / 1e9);
}

static void print_bars(FILE *stream, const struct bar *bars, int count)
{
    fputs("<div class=\"chart\" aria-hidden=\"true\">\n", stream);
    for (int i = 0; i < count && i < BARS_MOST && bar_length(&bars[i]); i++)
        print_bar(stream, &bars[i], bar_length(&bars[0]));
    fputs("</div>\n", stream);
}

static void print_legend(FILE *stream, const struct bar *bars, int count)
{
    bool is_shown[ACTIVITY_COUNT] = {false};
    for (int i = 0; i < count; i++) {
        is_shown[ACTIVITY_HOST] |= bars[i].host > 0;
        is_shown[ACTIVITY_DEVICE] |= bars[i].device > 0;
        is_shown[ACTIVITY_LINK] |= bars[i].link > 0;
        is_shown[ACTIVITY_OTHER] |= bars[i].other > 0;
    }
    print_colours(stream, is_shown);
}

static void print_seconds(FILE *stream, uint64_t nanoseconds)
{
    if (nanoseconds)
        fprintf(stream, "<td>%.3f</td>", (double)nanoseconds / 1e9);
    else
        fputs("<td>-</td>", stream);
}

static void print_row(FILE *stream, const char *name, const struct routine_stats *stats, uint64_t host_time)
{
    const uint64_t host = report_host_calls(stats), device = report_device_time(stats);
    if (!report_was_called(stats))
        return;
    fputs("<tr><th scope=\"row\">", stream);
    html_print(stream, name);
    fprintf(stream, "</th><td>%llu</td><td>%llu</td><td>%llu</td>",
            (unsigned long long)(stats->device_calls + host), (unsigned long long)stats->device_calls,
            (unsigned long long)host);
    if (stats->device_calls)
        fprintf(stream, "<td>%.1f</td><td>%.1f</td>", (double)stats->bytes_up / 1e6,
                (double)stats->bytes_down / 1e6);
    else
        fputs("<td>-</td><td>-</td>", stream);
    print_seconds(stream, device);
    print_seconds(stream, report_kernel_time(stats));
    print_seconds(stream, report_link_time(stats));
    print_seconds(stream, host_time);
    print_seconds(stream, report_own_host_time(stats));
    fputs("</tr>\n", stream);
}

static void print_table(FILE *stream, const struct report *report, const struct bar *bars, int count)
{
    char name[REPORT_NAME_BYTES];
    fputs("<table id=\"routines\"><thead><tr><th scope=\"col\">routine</th><th scope=\"col\">calls</th>"
          "<th scope=\"col\">on device</th><th scope=\"col\">on host</th><th scope=\"col\">MB up</th>"
          "<th scope=\"col\">MB down</th><th scope=\"col\">device s</th><th scope=\"col\">of it "
          "computing</th>"
          "<th scope=\"col\">of it copies</th><th scope=\"col\">host s</th>"
          "<th scope=\"col\">of it its own</th></tr></thead><tbody>\n", stream);
    for (int i = 0; i < count; i++) {
        const struct routine_stats *const stats = &report->routines[bars[i].symbol];
        print_row(stream, report_name(bars[i].symbol, name), stats, report_host_time(stats));
    }
    fputs("</tbody><tfoot>\n", stream);
    print_row(stream, "total", &report->total, report_own_host_time(&report->total));
    fputs("</tfoot></table>\n", stream);
}

void page_print_routines(FILE *stream, const struct report *report)
{
    struct bar *const bars = calloc(SYMBOL_COUNT, sizeof *bars);
    const int count = bars ? take_bars(report, bars) : 0;
    fputs("<section><h2>Routines</h2>\n", stream);
    print_legend(stream, bars, count);
    print_bars(stream, bars, count);
    fputs("<div class=\"wide\">", stream);
    print_table(stream, report, bars, count);
    fputs("</div><p class=\"note\">Seconds of all threads, added up. A dash: nothing was measured. BLAS "
          "calls that "
          "are forwarded or too small to be looked at are counted, not timed. Computing: launching and "
          "waiting "
          "for the GPU, with the copies that run beside it. Copies: packing, unpacking and moving operands. "
          "Other: waiting for other threads, looking for writes, memory. The host's seconds of a LAPACK "
          "routine have those of the calls that it makes; its own have not, and these are what bars and "
          "total count.</p></section>\n", stream);
    free(bars);
}

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
                words[activity].class, step * STEP_WIDTH, top, STEP_WIDTH, height);
    }
}

static void print_step_legend(FILE *stream, const struct chart *chart)
{
    bool is_shown[ACTIVITY_COUNT] = {false};
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
        for (int step = 0; step < chart->used; step++)
            is_shown[activity] |= chart->steps[activity][step] > 0;
    print_colours(stream, is_shown);
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

static void print_step_row(FILE *stream, const struct chart *chart, int step)
{
    const double width = (double)timeline_width(chart->level) / 1e9;
    fprintf(stream, "<tr><th scope=\"row\">%.3f</th>", step * width);
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
        fprintf(stream, "<td>%.4f</td>", (double)chart->steps[activity][step] / 1e9);
    fputs("</tr>\n", stream);
}

static void print_step_table(FILE *stream, const struct chart *chart)
{
    fputs("<details><summary>Figures of the time line</summary><table id=\"timeline\"><thead><tr>"
          "<th scope=\"col\">from, s</th><th scope=\"col\">host BLAS, s</th>"
          "<th scope=\"col\">GPU computing, s</th>"
          "<th scope=\"col\">copies, s</th><th scope=\"col\">rest, s</th></tr></thead><tbody>\n", stream);
    for (int step = 0; step < chart->used; step++)
        print_step_row(stream, chart, step);
    fputs("</tbody></table></details>\n", stream);
}

void page_print_timeline(FILE *stream, const struct report *report)
{
    struct chart chart;
    read_chart(report, &chart);
    fputs("<section><h2>Time line</h2>\n", stream);
    print_step_legend(stream, &chart);
    print_svg(stream, &chart);
    fprintf(stream, "<p class=\"note\">%d step%s of %.4g s; the full height is %.2f thread%s. Empty: the "
                    "program's "
                    "own work, and calls that are not timed. Calls on the GPU that were given up in the "
                    "middle "
                    "count here, too.</p>\n",
            chart.used, plural((unsigned)chart.used), (double)timeline_width(chart.level) / 1e9,
            chart.highest, chart.highest < 1.005 ? "" : "s");
    print_step_table(stream, &chart);
    fputs("</section>\n", stream);
}
