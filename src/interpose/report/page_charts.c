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

const char *page_activity_class(enum activity activity)
{
    return words[activity].class;
}

const char *page_activity_meaning(enum activity activity)
{
    return words[activity].meaning;
}

void page_print_legend(FILE *stream, const bool is_shown[ACTIVITY_COUNT])
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

#define PAGE_WITHOUT_TIMES "when its calls were is not known, since only a page has that noted"

/* Time of the clock. The parts of a step in which several threads were in calls may have been one time or
 * several; what is less than a thousandth of the run is no news. */
static void print_run(FILE *stream, const struct report *report)
{
    const uint64_t run = report->run_nanoseconds;
    const struct time_in_calls in_calls = report->in_calls;
    const uint64_t unsure = in_calls.most - in_calls.least, told = unsure > run / 1000 ? unsure : 0;
    const struct piece pieces[] = {
        {"call", "at least one thread in a call", in_calls.most - told},
        {"unsure", "perhaps one, as threads took turns in less than a step of the time line", told},
        {"rest", "no timed call: the program's own work, opening the GPU, small BLAS calls",
         run - in_calls.most},
    };
    if (!in_calls.most) { /* a bar of one part shows nothing */
        const bool has_timed_calls = report_own_host_time(&report->total) + report_device_time(&report->total) > 0;
        fprintf(stream, "<p>The run, %.3f s: %s.</p>\n", (double)run / 1e9,
                has_timed_calls ? PAGE_WITHOUT_TIMES : "no timed call");
        return;
    }
    fprintf(stream, "<p>The run, %.3f s:</p>\n", (double)run / 1e9);
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
    fprintf(stream, "<p>The calls, %.3f s, those of all threads added "
                    "up:</p>\n", (double)(host + on_device) / 1e9);
    print_pieces(stream, pieces, sizeof pieces / sizeof *pieces);
}

void page_print_whole(FILE *stream, const struct report *report)
{
    fputs("<section><h2>Where the time went</h2>\n", stream);
    if (report->processes == 1) /* several ran beside one another, or in turn */
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
    page_print_legend(stream, is_shown);
}

/* A column of the table of routines; its cell is "" where nothing was measured. */
enum { CELL_BYTES = 32 };

struct row {
    const struct routine_stats *stats;
    uint64_t host_time; /* of the total that of its own */
    bool is_emulated;
};

static void put_seconds(char cell[CELL_BYTES], uint64_t nanoseconds)
{
    if (nanoseconds)
        snprintf(cell, CELL_BYTES, "%.3f", (double)nanoseconds / 1e9);
}

static void put_calls(char cell[CELL_BYTES], uint64_t calls)
{
    snprintf(cell, CELL_BYTES, "%llu", (unsigned long long)calls);
}

static void put_rate(char cell[CELL_BYTES], double rate)
{
    if (rate > 0)
        snprintf(cell, CELL_BYTES, rate < 10 ? "%.2f" : "%.0f", rate);
}

static void cell_calls(const struct row *row, char cell[CELL_BYTES])
{
    put_calls(cell, row->stats->device_calls + report_host_calls(row->stats));
}

static void cell_on_device(const struct row *row, char cell[CELL_BYTES])
{
    put_calls(cell, row->stats->device_calls);
}

static void cell_on_host(const struct row *row, char cell[CELL_BYTES])
{
    put_calls(cell, report_host_calls(row->stats));
}

static void cell_up(const struct row *row, char cell[CELL_BYTES])
{
    if (row->stats->device_calls)
        snprintf(cell, CELL_BYTES, "%.1f", (double)row->stats->bytes_up / 1e6);
}

static void cell_down(const struct row *row, char cell[CELL_BYTES])
{
    if (row->stats->device_calls)
        snprintf(cell, CELL_BYTES, "%.1f", (double)row->stats->bytes_down / 1e6);
}

static void cell_device(const struct row *row, char cell[CELL_BYTES])
{
    put_seconds(cell, report_device_time(row->stats));
}

static void cell_kernel(const struct row *row, char cell[CELL_BYTES])
{
    put_seconds(cell, report_kernel_time(row->stats));
}

static void cell_link(const struct row *row, char cell[CELL_BYTES])
{
    put_seconds(cell, report_link_time(row->stats));
}

static void cell_device_rate(const struct row *row, char cell[CELL_BYTES])
{
    put_rate(cell, report_device_rate(row->stats));
}

static void cell_factor(const struct row *row, char cell[CELL_BYTES])
{
    const uint64_t taken = report_device_time(row->stats);
    if (taken && row->stats->foretold_nanoseconds && !row->is_emulated)
        snprintf(cell, CELL_BYTES, "%.2f", (double)row->stats->foretold_nanoseconds / (double)taken);
}

static void cell_host(const struct row *row, char cell[CELL_BYTES])
{
    put_seconds(cell, row->host_time);
}

static void cell_own(const struct row *row, char cell[CELL_BYTES])
{
    put_seconds(cell, report_own_host_time(row->stats));
}

static void cell_host_rate(const struct row *row, char cell[CELL_BYTES])
{
    put_rate(cell, report_host_rate(row->stats));
}

static const struct column {
    const char *name;
    void (*put)(const struct row *row, char cell[CELL_BYTES]);
} columns[] = {{"calls", cell_calls},         {"on device", cell_on_device},
               {"on host", cell_on_host},     {"MB up", cell_up},
               {"MB down", cell_down},        {"device s", cell_device},
               {"of it computing", cell_kernel}, {"of it copies", cell_link},
               {"device GFLOP/s", cell_device_rate}, {"factor", cell_factor},
               {"host s", cell_host},         {"of it its own", cell_own},
               {"host GFLOP/s", cell_host_rate}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static struct row row_of(const struct report *report, const struct routine_stats *stats)
{
    const uint64_t host = stats == &report->total ? report_own_host_time(stats) : report_host_time(stats);
    return (struct row){stats, host, report->is_emulated};
}

/* A column without a figure is left out: the total has one where any row has. */
static bool is_shown(const struct report *report, const struct column *column)
{
    char cell[CELL_BYTES] = "";
    const struct row total = row_of(report, &report->total);
    column->put(&total, cell);
    return *cell != '\0';
}

static void print_row(FILE *stream, const struct report *report, const char *name,
                      const struct routine_stats *stats)
{
    const struct row row = row_of(report, stats);
    fputs("<tr><th scope=\"row\">", stream);
    html_print(stream, name);
    fputs("</th>", stream);
    for (int i = 0; i < COLUMNS; i++) {
        char cell[CELL_BYTES] = "";
        if (!is_shown(report, &columns[i]))
            continue;
        columns[i].put(&row, cell);
        fprintf(stream, "<td>%s</td>", *cell ? cell : "-");
    }
    fputs("</tr>\n", stream);
}

static void print_table(FILE *stream, const struct report *report, const struct bar *bars, int count)
{
    char name[REPORT_NAME_BYTES];
    fprintf(stream, "<table %s=\"routines\"><thead><tr><th scope=\"col\">routine</th>",
            report->is_section ? "class" : "id");
    for (int i = 0; i < COLUMNS; i++)
        if (is_shown(report, &columns[i]))
            fprintf(stream, "<th scope=\"col\">%s</th>", columns[i].name);
    fputs("</tr></thead><tbody>\n", stream);
    for (int i = 0; i < count; i++)
        print_row(stream, report, report_name(bars[i].symbol, name), &report->routines[bars[i].symbol]);
    fputs("</tbody><tfoot>\n", stream);
    if (count > 0)
        print_row(stream, report, "total", &report->total);
    fputs("</tfoot></table>\n", stream);
}

void page_print_queries(FILE *stream, const struct report *report)
{
    char *const queries = report_queries(report);
    if (queries) {
        fputs("<p>Workspace queries, which compute nothing and count nowhere else: ", stream);
        html_print(stream, queries);
        fputs("</p>\n", stream);
    }
    free(queries);
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
    fputs("</div>\n", stream);
    page_print_queries(stream, report);
    fputs("<p class=\"note\">Seconds of all threads, added up. A dash: nothing was measured. BLAS calls "
          "that are "
          "forwarded or too small to be looked at are counted, not timed. Computing: launching and waiting "
          "for "
          "the GPU, with the copies that run beside it. Copies: packing, unpacking and moving operands. "
          "Other: "
          "waiting for other threads, looking for writes, memory. ", stream);
    if (!report->is_emulated)
        fputs("Factor: the host's predicted seconds for the calls on the GPU, over theirs. ", stream);
    fputs("GFLOP/s: by the usual counts of operations, copies included. The host's seconds of a LAPACK "
          "routine "
          "have those of the calls that it makes; its own have not, and these are what bars and total count."
          "</p></section>\n", stream);
    free(bars);
}
