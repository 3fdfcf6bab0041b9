#include "interpose/report/page/html.h"
#include "interpose/report/page/page_parts.h"

#include <stdlib.h>

enum { BARS_MOST = 24 };

/* What a bar shows, in nanoseconds. */
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
    page_print_legend(stream, is_shown);
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
