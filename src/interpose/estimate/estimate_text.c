/* The text of an estimate: each routine on the host, as measured, beside the GPU, as foretold. */
#include "common/settings.h"
#include "common/text.h"
#include "interpose/estimate/estimate.h"
#include "interpose/purchase/device_use.h"
#include "interpose/report/report_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds on the host, and with the GPU: as foretold, at best, at worst. */
struct times {
    double host, foretold, best, worst;
};

struct line {
    char name[REPORT_NAME_BYTES];
    const struct routine_stats *stats; /* of the calls that would stay */
    uint64_t calls, foretold_calls;
    struct times times;
};

struct table {
    struct line *lines;
    int count, width;
    uint64_t foretold_calls, learned_calls;
    struct times sum;
};

static void add(struct times *sum, const struct times *more)
{
    sum->host += more->host;
    sum->foretold += more->foretold;
    sum->best += more->best;
    sum->worst += more->worst;
}

/* Why a call that would stay is none of the GPU's to gain: questions for a workspace's size are not
 * counted. */
static bool is_counted(int reason)
{
    return reason != HOST_QUERY;
}

/* A call that stays takes what it takes. */
static void take_line(struct table *table, const struct report *report, enum symbol symbol)
{
    const struct estimate_row row = estimate_row_of(symbol);
    const struct routine_stats *const stats = &report->routines[symbol];
    const double stays = (double)report_own_host_time(stats) / 1e9;
    struct line *const line = &table->lines[table->count];
    if (!row.calls && !report_host_calls(stats))
        return;
    *line = (struct line){.stats = stats, .calls = row.calls + report_host_calls(stats),
                          .foretold_calls = row.calls,
                          .times = {(double)row.nanoseconds / 1e9 + stays, row.us / 1e6 + stays,
                                    row.best_us / 1e6 + stays, row.worst_us / 1e6 + stays}};
    report_name(symbol, line->name);
    const int width = (int)strlen(line->name);
    table->width = width > table->width ? width : table->width;
    table->foretold_calls += row.calls;
    table->learned_calls += row.learned_calls;
    add(&table->sum, &line->times);
    table->count++;
}

static int longest_first(const void *one, const void *other)
{
    const struct line *const a = one, *const b = other;
    if (a->times.host < b->times.host || a->times.host > b->times.host)
        return a->times.host < b->times.host ? 1 : -1;
    return strcmp(a->name, b->name);
}

static bool take_table(struct table *table, const struct report *report)
{
    *table = (struct table){.lines = calloc(SYMBOL_COUNT, sizeof(struct line)), .width = 12};
    for (int i = 0; i < SYMBOL_COUNT && table->lines; i++)
        take_line(table, report, (enum symbol)i);
    if (table->lines)
        qsort(table->lines, (size_t)table->count, sizeof(struct line), longest_first);
    return table->lines;
}

static bool is_timed(const struct line *line)
{
    return line->times.host > 0;
}

static void print_numbers(FILE *stream, const struct times *times)
{
    fprintf(stream, " %10.3f %10.3f %10.3f %10.3f %8.1f", times->host, times->foretold, times->best,
            times->worst, times->host / times->foretold);
}

/* Prints the reason of most calls that would stay. */
static void print_main_reason(FILE *stream, const struct routine_stats *stats)
{
    int main_reason = 0, reasons = 0;
    for (int i = 0; i < HOST_REASON_COUNT; i++) {
        const uint64_t calls = is_counted(i) ? stats->host_calls[i] : 0;
        reasons += calls > 0;
        if (calls > stats->host_calls[main_reason])
            main_reason = i;
    }
    if (reasons)
        fprintf(stream, "  %s%s", host_reason_text((enum host_reason)main_reason),
                reasons > 1 ? ", and others below" : "");
}

static void print_table(FILE *stream, const struct table *table)
{
    fprintf(stream, "  %-*s %12s %12s %10s %10s %10s %10s %8s  %s\n", table->width, "routine", "calls",
            "on the GPU", "host s", "with GPU s", "at best", "at worst", "factor",
            "why calls would stay on the host");
    for (int i = 0; i < table->count && is_timed(&table->lines[i]); i++) {
        const struct line *const line = &table->lines[i];
        fprintf(stream, "  %-*s %12llu %12llu", table->width, line->name, (unsigned long long)line->calls,
                (unsigned long long)line->foretold_calls);
        print_numbers(stream, &line->times);
        print_main_reason(stream, line->stats);
        fputc('\n', stream);
    }
}

/* Each reason of each routine where there are several. */
static void print_reasons(FILE *stream, const struct table *table)
{
    for (int i = 0; i < table->count && is_timed(&table->lines[i]); i++) {
        const struct line *const line = &table->lines[i];
        int reasons = 0;
        for (int reason = 0; reason < HOST_REASON_COUNT; reason++)
            reasons += is_counted(reason) && line->stats->host_calls[reason];
        for (int reason = 0; reason < HOST_REASON_COUNT && reasons > 1; reason++)
            if (is_counted(reason) && line->stats->host_calls[reason])
                fprintf(stream, "  %-*s %12llu would stay: %s\n", table->width, line->name,
                        (unsigned long long)line->stats->host_calls[reason],
                        host_reason_text((enum host_reason)reason));
    }
}

/* Calls that never come to a choice: they take the same on both. */
static void print_untimed(FILE *stream, const struct table *table, int reason)
{
    enum { COLUMNS = 100 };
    int column = 0;
    for (int i = 0; i < table->count; i++) {
        const struct line *const line = &table->lines[i];
        const unsigned long long calls = line->stats->host_calls[reason];
        if (is_timed(line) || !calls)
            continue;
        if (column == 0)
            column = fprintf(stream, "  not timed, %s:", host_reason_text((enum host_reason)reason));
        else if (column > COLUMNS)
            column = fprintf(stream, ",\n   ");
        else
            column += fprintf(stream, ",");
        column += fprintf(stream, " %s %llu", line->name, calls);
    }
    if (column)
        fputc('\n', stream);
}

static double print_prices(FILE *stream)
{
    const struct estimate_prices prices = estimate_prices();
    const double sum = prices.device_us + prices.level3_us + prices.routines_us + prices.solver_us;
    if (sum <= 0) {
        fprintf(stream, "  first calls: nothing, since no call would be worth waking the GPU\n");
        return 0;
    }
    fprintf(stream, "  first calls: %.2f s more (waking the GPU %.2f", sum / 1e6, prices.device_us / 1e6);
    if (prices.level3_us > 0)
        fprintf(stream, ", cuBLAS %.2f, the kernels of %d of its routines %.2f", prices.level3_us / 1e6,
                prices.routines, prices.routines_us / 1e6);
    if (prices.solver_us > 0)
        fprintf(stream, ", cuSOLVER %.2f", prices.solver_us / 1e6);
    fprintf(stream, ")\n");
    return sum / 1e6;
}

/* The run, of which so many seconds are spent in calls and become this part of them. */
static double run_seconds(double all, double in_calls, double host, double foretold, double price)
{
    const double part = host > 0 ? foretold / host : 1;
    return all - in_calls + in_calls * part + price;
}

/* Threads that call at once: between none of their calls beside each other and all. */
static void print_sums(FILE *stream, const struct report *report, const struct table *table)
{
    const struct times *const sum = &table->sum;
    const struct time_in_calls in = stats_read_in_calls(report->run_nanoseconds);
    const double all = (double)report->run_nanoseconds / 1e9, least = (double)in.least / 1e9,
                 most = (double)in.most / 1e9;
    fprintf(stream, "  BLAS and LAPACK: %.3f s on this host, %.3f s with the GPU (%.3f to %.3f)\n", sum->host,
            sum->foretold, sum->best, sum->worst);
    const double price = print_prices(stream);
    const double ends[] = {run_seconds(all, least, sum->host, sum->best, price),
                           run_seconds(all, most, sum->host, sum->best, price),
                           run_seconds(all, least, sum->host, sum->worst, price),
                           run_seconds(all, most, sum->host, sum->worst, price)};
    fprintf(stream, "  whole run: %.3f s here, %.3f s with the GPU (%.3f to %.3f)\n", all,
            run_seconds(all, (least + most) / 2, sum->host, sum->foretold, price), fmin(ends[0], ends[1]),
            fmax(ends[2], ends[3]));
}

static void print_sureness(FILE *stream, const struct table *table)
{
    const unsigned long long learned = table->learned_calls, all = table->foretold_calls;
    fprintf(stream, "  how sure that is:\n");
    if (estimate_file())
        fprintf(stream, "  - times of %llu of these %llu calls on the GPU are curves of the recipe, those of "
                        "the others mublas' built-in ones\n", learned, all);
    else
        fprintf(stream, "  - times on the GPU are mublas' built-in ones, measured on an H100 SXM\n");
    fprintf(stream, "  - the range is that of the times, and of residency: at best every matrix is on the "
                    "GPU already, at worst all go there in each call\n"
                    "  - between, matrices stay there; 64 elements of each tell whether the program has "
                    "changed it; few changes, and the same values written again, are not seen\n"
                    "  - times on the host are measured here, with as many threads as it has\n");
    if (model_in_force()->sharing > 1)
        fprintf(stream, "  - ranks share the GPU, which takes %.3g times as long for each\n",
                model_in_force()->sharing);
}

static void print_setup(FILE *stream, const char *label, const char *text, const char *rest)
{
    fprintf(stream, "  %-11s ", label);
    printable_print(stream, text);
    if (*rest)
        fputs(", by ", stream);
    printable_print(stream, rest);
    fputc('\n', stream);
}

static void print_head(FILE *stream, const struct report *report)
{
    char place[HOST_BYTES + DATE_BYTES + 16];
    fprintf(stream, "mublas estimate of process %ld", report->reporter.process);
    if (report->reporter.world.rank >= 0)
        fprintf(stream, ", rank %d", report->reporter.world.rank);
    fputs(" (", stream);
    printable_print(stream, report->program);
    fputs("): nothing ran on a GPU\n", stream);
    snprintf(place, sizeof place, "%s, until %s", report->run.host, report->run.date);
    print_setup(stream, "command", report->run.command, "");
    print_setup(stream, "ran on", place, "");
    print_setup(stream, "GPU", estimate_device(), estimate_file() ? estimate_file() : "built-in times");
}

void estimate_text_print(FILE *stream, const struct report *report)
{
    struct table table;
    const char *const unreachable = report->facts.unreachable;
    print_head(stream, report);
    if (unreachable && *unreachable)
        print_setup(stream, "unseen", unreachable, "");
    if (!take_table(&table, report)) {
        fputs("  no memory for the table\n", stream);
        return;
    }
    if (table.count == 0) {
        fputs("  no BLAS or LAPACK was called: a GPU gains nothing\n", stream);
    } else {
        if (table.sum.host > 0)
            print_table(stream, &table);
        print_reasons(stream, &table);
        for (int reason = 0; reason < HOST_REASON_COUNT; reason++)
            if (is_counted(reason))
                print_untimed(stream, &table, reason);
        print_sums(stream, report, &table);
        print_sureness(stream, &table);
    }
    free(table.lines);
}
