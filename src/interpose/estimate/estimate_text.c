/* The text of an estimate: each routine on the host, as measured, beside the GPU, as foretold. */
#include "common/text.h"
#include "interpose/estimate/estimate.h"
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
static struct times times_of(const struct report *report, enum symbol symbol)
{
    const struct estimate_row *const row = &report->estimate.rows[symbol];
    const double stays = (double)report_own_host_time(&report->routines[symbol]) / 1e9;
    return (struct times){(double)row->nanoseconds / 1e9 + stays, row->us / 1e6 + stays, row->best_us / 1e6 + stays,
                          row->worst_us / 1e6 + stays};
}

static void take_line(struct table *table, const struct report *report, enum symbol symbol)
{
    const struct estimate_row row = report->estimate.rows[symbol];
    const struct routine_stats *const stats = &report->routines[symbol];
    struct line *const line = &table->lines[table->count];
    if (!row.calls && !report_host_calls(stats))
        return;
    *line = (struct line){.stats = stats, .calls = row.calls + report_host_calls(stats),
                          .foretold_calls = row.calls, .times = times_of(report, symbol)};
    report_name(symbol, line->name);
    const int width = (int)strlen(line->name);
    table->width = width > table->width ? width : table->width;
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

static double price_of(const struct report *report)
{
    const struct estimate_prices *const prices = &report->estimate.prices;
    return (prices->device_us + prices->level3_us + prices->routines_us + prices->solver_us) / 1e6;
}

static void print_prices(FILE *stream, const struct report *report)
{
    const struct estimate_prices *const prices = &report->estimate.prices;
    if (price_of(report) <= 0) {
        fprintf(stream, "  first calls: nothing, since as foretold no call would be worth waking the GPU\n");
        return;
    }
    fprintf(stream, "  first calls: %.2f s more (waking the GPU %.2f", price_of(report), prices->device_us / 1e6);
    if (prices->level3_us > 0)
        fprintf(stream, ", cuBLAS %.2f, the kernels of %d of its routines %.2f", prices->level3_us / 1e6,
                prices->routines, prices->routines_us / 1e6);
    if (prices->solver_us > 0)
        fprintf(stream, ", cuSOLVER %.2f", prices->solver_us / 1e6);
    fprintf(stream, ")%s\n", report->processes > 1 ? ", added up over the processes" : "");
}

/* The run, of which so many seconds are spent in calls and become this part of them. */
static double run_seconds(double all, double in_calls, double host, double foretold, double price)
{
    const double part = host > 0 ? foretold / host : 1;
    return all - in_calls + in_calls * part + price;
}

/* The run of one process. Threads that call at once: between none of their calls beside each other and all. */
static struct times run_of(const struct report *report)
{
    const double all = (double)report->run_nanoseconds / 1e9, least = (double)report->in_calls.least / 1e9,
                 most = (double)report->in_calls.most / 1e9, price = price_of(report);
    struct times sum = {0, 0, 0, 0};
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        const struct times more = times_of(report, (enum symbol)i);
        add(&sum, &more);
    }
    return (struct times){all, run_seconds(all, (least + most) / 2, sum.host, sum.foretold, price),
                          fmin(run_seconds(all, least, sum.host, sum.best, price),
                               run_seconds(all, most, sum.host, sum.best, price)),
                          fmax(run_seconds(all, least, sum.host, sum.worst, price),
                               run_seconds(all, most, sum.host, sum.worst, price))};
}

static void print_whole(FILE *stream, const char *what, const struct times *whole)
{
    fprintf(stream, "  %s: %.3f s here, %.3f s with the GPU (%.3f to %.3f)\n", what, whole->host, whole->foretold,
            whole->best, whole->worst);
}

static void print_sums(FILE *stream, const struct report *report, const struct table *table)
{
    const struct times *const sum = &table->sum, run = run_of(report);
    fprintf(stream, "  BLAS and LAPACK: %.3f s on this host, %.3f s with the GPU (%.3f to %.3f)\n", sum->host,
            sum->foretold, sum->best, sum->worst);
    print_prices(stream, report);
    if (report->processes == 1)
        print_whole(stream, "whole run", &run);
}

static bool is_host(const struct setup_line *line)
{
    return strcmp(line->label, "host BLAS") == 0;
}

/* One of several processes' hosts is enough. */
static bool has_slow_host(const struct report *report)
{
    bool has = false;
    for (int i = 0; i < report->setup_count; i++)
        has = has || (is_host(&report->setup[i]) && strstr(report->setup[i].text, SETUP_SLOW_HOST));
    return has;
}

static void print_sureness(FILE *stream, const struct report *report)
{
    unsigned long long learned = 0, all = 0;
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        learned += report->estimate.rows[i].learned_calls;
        all += report->estimate.rows[i].calls;
    }
    fprintf(stream, "  how sure that is:\n");
    if (report->estimate.file)
        fprintf(stream, "  - times of %llu of these %llu calls on the GPU are curves of the recipe, those of "
                        "the others mublas' built-in ones\n", learned, all);
    else
        fprintf(stream, "  - times on the GPU are mublas' built-in ones, measured on an H100 SXM\n");
    fprintf(stream, "  - the range is that of the times, and of residency: at best every matrix is on the "
                    "GPU already, at worst all go there in each call\n"
                    "  - between, matrices stay there; 64 elements of each tell whether the program has "
                    "changed it; few changes, and the same values written again, are not seen\n"
                    "  - times on the host are measured here, with as many threads as it has\n");
    if (has_slow_host(report))
        fprintf(stream, "  - the host's BLAS is the slow reference: OpenBLAS (Debian: libopenblas0-pthread) gains much of "
                        "that without a GPU\n");
    if (report->estimate.sharing > 1)
        fprintf(stream, "  - ranks share the GPU, which takes %.3g times as long for each\n",
                report->estimate.sharing);
}

static double begin_of(const struct report *report)
{
    return (double)report->estimate.end_nanoseconds / 1e9 - (double)report->run_nanoseconds / 1e9;
}

static int by_begin(const void *one, const void *other)
{
    const double a = begin_of(*(const struct report *const *)one), b = begin_of(*(const struct report *const *)other);
    return (a > b) - (a < b);
}

/* The job is shorter by what it would gain of each run of processes beside each other: there the longest counts. */
static void take_gain(struct times *job, const struct times *longest)
{
    job->foretold += longest->foretold - longest->host;
    job->best += longest->best - longest->host;
    job->worst += longest->worst - longest->host;
}

static struct times job_of(const struct report **reports, int count)
{
    const double begin = begin_of(reports[0]);
    struct times longest = {0, 0, 0, 0}, gain = {0, 0, 0, 0};
    double end = begin;
    for (int i = 0; i < count; i++) {
        const struct times run = run_of(reports[i]);
        const double from = begin_of(reports[i]);
        if (from >= end) {
            take_gain(&gain, &longest);
            longest = (struct times){0, 0, 0, 0};
        }
        longest = (struct times){fmax(longest.host, run.host), fmax(longest.foretold, run.foretold),
                                 fmax(longest.best, run.best), fmax(longest.worst, run.worst)};
        end = fmax(end, from + run.host);
    }
    take_gain(&gain, &longest);
    const double all = end - begin;
    return (struct times){all, all + gain.foretold, all + gain.best, all + gain.worst};
}

static void print_process(FILE *stream, const struct report *report)
{
    char rank[16] = "-";
    const struct times run = run_of(report);
    uint64_t calls = report_host_calls(&report->total), foretold_calls = 0;
    for (int i = 0; i < SYMBOL_COUNT; i++)
        foretold_calls += report->estimate.rows[i].calls;
    if (report->reporter.world.rank >= 0)
        snprintf(rank, sizeof rank, "%d", report->reporter.world.rank);
    fprintf(stream, "  %6s %10ld %12llu %12llu %10.3f %10.3f  ", rank, report->reporter.process,
            (unsigned long long)(calls + foretold_calls), (unsigned long long)foretold_calls, run.host, run.foretold);
    printable_print(stream, report->program);
    fputc('\n', stream);
}

void estimate_job_print(FILE *stream, const struct report *sum, const struct report **reports, int count)
{
    fprintf(stream, "  %6s %10s %12s %12s %10s %10s  %s\n", "rank", "process", "calls", "on the GPU", "run s",
            "with GPU s", "program");
    for (int i = 0; i < count; i++)
        print_process(stream, reports[i]);
    qsort(reports, (size_t)count, sizeof *reports, by_begin);
    const struct times job = job_of(reports, count);
    print_whole(stream, "whole job (of processes beside each other the longest counts)", &job);
    print_sureness(stream, sum);
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
    report_text_print_process(stream, report);
    fputs(" (", stream);
    printable_print(stream, report->program);
    fputs("): nothing ran on a GPU\n", stream);
    if (report->missing)
        print_setup(stream, "missing", report->missing, "");
    snprintf(place, sizeof place, "%s, until %s", report->run.host, report->run.date);
    print_setup(stream, "command", report->run.command, "");
    print_setup(stream, "ran on", place, "");
    for (int i = 0; i < report->setup_count; i++)
        if (is_host(&report->setup[i]))
            print_setup(stream, "host BLAS", report->setup[i].text, "");
    print_setup(stream, "GPU", report->estimate.device ? report->estimate.device : "unknown",
                report->estimate.file ? report->estimate.file : "built-in times");
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
        if (report->processes == 1 && !report->is_section)
            print_sureness(stream, report);
    }
    free(table.lines);
}
