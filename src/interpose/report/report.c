#include "interpose/report/report_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least width of the column of names: SciPy's and NumPy's are long. */
enum { NAME_WIDTH_LEAST = 12 };

static int name_width(const struct report *report)
{
    char name[REPORT_NAME_BYTES];
    size_t width = NAME_WIDTH_LEAST;
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        const size_t length = strlen(report_name((enum symbol)i, name));
        if (report_was_called(&report->routines[i]) && length > width)
            width = length;
    }
    return (int)width;
}

static void print_seconds(FILE *stream, uint64_t nanoseconds)
{
    fprintf(stream, " %10.3f", (double)nanoseconds / 1e9);
}

/* A dash: nothing was measured. */
static void print_host_seconds(FILE *stream, uint64_t nanoseconds, bool is_timed)
{
    if (is_timed)
        print_seconds(stream, nanoseconds);
    else
        fprintf(stream, " %10s", "-");
}

static void print_row(FILE *stream, int width, const char *name, const struct routine_stats *stats,
                      uint64_t host_time)
{
    const uint64_t host = report_host_calls(stats);
    if (!report_was_called(stats))
        return;
    fprintf(stream, "  %-*s %12llu %12llu %12llu", width, name,
            (unsigned long long)(stats->device_calls + host), (unsigned long long)stats->device_calls,
            (unsigned long long)host);
    if (stats->device_calls) {
        fprintf(stream, " %10.1f %10.1f", (double)stats->bytes_up / 1e6, (double)stats->bytes_down / 1e6);
        print_seconds(stream, report_device_time(stats));
    } else {
        fprintf(stream, " %10s %10s %10s", "-", "-", "-");
    }
    print_host_seconds(stream, host_time, host_time > 0);
    print_host_seconds(stream, report_own_host_time(stats), host_time > 0);
    fputc('\n', stream);
}

/* A LAPACK routine's seconds on the host include those of what it calls; its own add up to the total. */
static void print_table(FILE *stream, const struct report *report)
{
    char name[REPORT_NAME_BYTES];
    const int width = name_width(report);
    fprintf(stream, "  %-*s %12s %12s %12s %10s %10s %10s %10s %10s\n", width, "routine", "calls",
            "on device", "on host", "MB up", "MB down", "device s", "host s", "its own");
    for (int i = 0; i < SYMBOL_COUNT; i++)
        print_row(stream, width, report_name((enum symbol)i, name), &report->routines[i],
                  report_host_time(&report->routines[i]));
    print_row(stream, width, "total", &report->total, report_own_host_time(&report->total));
    if (report_inside_time(&report->total))
        fprintf(stream, "  (host s of a LAPACK routine has the calls that it makes; its own seconds have "
                        "not, "
                        "and add up to the total)\n");
}

static void print_phases_row(FILE *stream, int width, const char *name,
                             const struct routine_stats *stats)
{
    if (!stats->device_calls)
        return;
    fprintf(stream, "  of %-*s", width, name);
    for (int i = 0; i < PHASE_COUNT; i++)
        fprintf(stream, " %8.3f", (double)stats->phases.nanoseconds[i] / 1e9);
    fputc('\n', stream);
}

static void print_phases(FILE *stream, const struct report *report)
{
    char name[REPORT_NAME_BYTES];
    const int width = name_width(report);
    if (!report->total.device_calls)
        return;
    fprintf(stream, "  where the seconds on the device went:\n  %-*s", width + 3, "routine");
    for (int i = 0; i < PHASE_COUNT; i++)
        fprintf(stream, " %8s", phase_word((enum phase)i));
    fputc('\n', stream);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        print_phases_row(stream, width, report_name((enum symbol)i, name), &report->routines[i]);
    print_phases_row(stream, width, "total", &report->total);
}

static void print_reasons(FILE *stream, const struct report *report)
{
    char name[REPORT_NAME_BYTES];
    const int width = name_width(report);
    if (!report_host_calls(&report->total))
        return;
    fprintf(stream, "  why calls stayed on the host (those that never came to a choice are not timed):\n");
    for (int i = 0; i < SYMBOL_COUNT; i++)
        for (int reason = 0; reason < HOST_REASON_COUNT; reason++)
            if (report->routines[i].host_calls[reason] && reason != HOST_QUERY)
                fprintf(stream, "  %-*s %12llu  %s\n", width, report_name((enum symbol)i, name),
                        (unsigned long long)report->routines[i].host_calls[reason],
                        host_reason_text((enum host_reason)reason));
}

/* A GPU's gain, as far as it is known: the host did not run these calls. */
static void print_saved(FILE *stream, const struct report *report)
{
    const double foretold = (double)report->total.foretold_nanoseconds / 1e9,
                 taken = (double)report_device_time(&report->total) / 1e9;
    if (report->total.device_calls && !report->is_emulated)
        fprintf(stream, "  %s %.3f s: by %s the host needs %.3f s for what the GPU did in %.3f s (not measured; what "
                        "opening the GPU took is not taken off)\n",
                foretold >= taken ? "saved" : "lost", fabs(foretold - taken),
                report->facts.has_recipe ? "the recipe of this machine" : "built-in figures", foretold, taken);
}

/* They compute nothing, and are no calls of the tables. */
static void print_queries(FILE *stream, const struct report *report)
{
    char *const queries = report_queries(report);
    if (queries)
        fprintf(stream, "  workspace queries, which compute nothing and count nowhere above: %s\n", queries);
    free(queries);
}

void report_text_print_process(FILE *stream, const struct report *report)
{
    fprintf(stream, "mublas %s of ", report->estimate.is_there ? "estimate" : "report");
    if (report->processes > 1) {
        fprintf(stream, "%d processes", report->processes);
        return;
    }
    fprintf(stream, "process %ld", report->reporter.process);
    if (report->reporter.world.rank >= 0)
        fprintf(stream, ", rank %d", report->reporter.world.rank);
    if (report->reporter.world.ranks > 0)
        fprintf(stream, " of %d", report->reporter.world.ranks);
}

static void print_setup(void *stream, const char *label, const char *text)
{
    fprintf(stream, "  %-11s ", label);
    printable_print(stream, text);
    fputc('\n', stream);
}

static void print_run(FILE *stream, const struct report *report)
{
    char place[HOST_BYTES + DATE_BYTES + 16];
    snprintf(place, sizeof place, "%s, until %s", report->run.host, report->run.date);
    print_setup(stream, "command", report->run.command);
    print_setup(stream, "ran on", place);
}

static void print_advice(void *stream, const char *sentence)
{
    fputs("  - ", stream);
    printable_print(stream, sentence);
    fputc('\n', stream);
}

void report_text_print(FILE *stream, const struct report *report)
{
    if (report->estimate.is_there) {
        estimate_text_print(stream, report);
        return;
    }
    report_text_print_process(stream, report);
    fputs(" (", stream);
    printable_print(stream, report->program);
    fputs(")\n", stream);
    if (report->is_emulated)
        fputs("  emulated device: its seconds say nothing of a GPU's\n", stream);
    if (report->missing)
        print_setup(stream, "missing", report->missing);
    print_run(stream, report);
    for (int i = 0; i < report->setup_count; i++)
        print_setup(stream, report->setup[i].label, report->setup[i].text);
    if (report_was_called(&report->total))
        print_table(stream, report);
    print_saved(stream, report);
    print_phases(stream, report);
    print_reasons(stream, report);
    print_queries(stream, report);
    parallel_text_print(stream, &report->parallel);
    fprintf(stream, "  advice:\n");
    report_advice_give(report, print_advice, stream);
}

/* Without '-', which two of would end a comment of a page, and which stands for no word. */
static bool is_plain(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || (letter && strchr("_./:,+=()", letter));
}

static void put_word(FILE *stream, const char *word)
{
    fputs(!word ? " -" : *word ? " " : " %", stream);
    for (; word && *word; word++)
        if (is_plain(*word))
            fputc(*word, stream);
        else
            fprintf(stream, "%%%02X", (unsigned char)*word);
}

static void put_numbers(FILE *stream, const uint64_t *numbers, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(stream, " %" PRIu64, numbers[i]);
}

static void put_process(FILE *stream, const struct report *report)
{
    const struct process_facts *const facts = &report->facts;
    fprintf(stream, "# process %ld %d %d %d %d\n", report->reporter.process, report->reporter.world.rank,
            report->reporter.world.ranks, report->reporter.is_fork_child, report->is_emulated);
    fputs("# program", stream);
    put_word(stream, report->program);
    put_word(stream, report->run.command);
    put_word(stream, report->run.host);
    put_word(stream, report->run.date);
    fprintf(stream, "\n# run %" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n", report->run_nanoseconds,
            report->in_calls.least, report->in_calls.most, report->thread_count);
    fprintf(stream, "# facts %d %d %d %d %d %d %d", facts->device, facts->tracking, facts->level3_is_missing,
            facts->solver_is_missing, facts->has_recipe, facts->has_forked, facts->has_started_others);
    put_word(stream, facts->device_fault);
    put_word(stream, facts->tracking_fault);
    put_word(stream, facts->unreachable);
    fputc('\n', stream);
    for (int i = 0; i < report->setup_count; i++) {
        fputs("# setup", stream);
        put_word(stream, report->setup[i].label);
        put_word(stream, report->setup[i].text);
        fputc('\n', stream);
    }
}

static bool any_call(const struct routine_stats *stats)
{
    return report_was_called(stats) || stats->host_calls[HOST_QUERY];
}

static void put_routine(FILE *stream, enum symbol symbol, const struct routine_stats *stats,
                        const struct routine_facts *facts)
{
    const uint64_t numbers[] = {stats->device_calls, stats->bytes_up, stats->bytes_down,
                                stats->thousand_operations, stats->host_thousand_operations,
                                stats->host_counted_nanoseconds, stats->foretold_nanoseconds};
    fprintf(stream, "# routine %s", symbol_name(symbol));
    put_numbers(stream, numbers, sizeof numbers / sizeof *numbers);
    put_numbers(stream, stats->phases.nanoseconds, PHASE_COUNT);
    fprintf(stream, " %lld %lld %lld %lld", facts->m, facts->n, facts->k, facts->pays_from);
    put_word(stream, facts->variant);
    fputc('\n', stream);
    for (int i = 0; i < HOST_REASON_COUNT; i++)
        if (stats->host_calls[i])
            fprintf(stream, "# host %s %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", symbol_name(symbol), i,
                    stats->host_calls[i], stats->host_nanoseconds[i], stats->inside_nanoseconds[i]);
}

static void put_lane(FILE *stream, const struct thread_lane *lane, int number)
{
    for (int step = 0; step < TIMELINE_STEPS; step++) {
        uint64_t sum = 0;
        for (int i = 0; i < ACTIVITY_COUNT; i++)
            sum += lane->steps[i][step];
        if (!sum)
            continue;
        fprintf(stream, "# step %d %d", number, step);
        for (int i = 0; i < ACTIVITY_COUNT; i++)
            fprintf(stream, " %" PRIu64, lane->steps[i][step]);
        put_word(stream, lane->longest[step] < SYMBOL_COUNT ? symbol_name(lane->longest[step]) : NULL);
        fputc('\n', stream);
    }
}

static void put_parallel(FILE *stream, const struct parallel_report *parallel)
{
    fprintf(stream, "# parallel-owner %d %d %ld %d %d", parallel->has_owner, parallel->owner_is_here,
            parallel->owner, parallel->owner_rank, parallel->has_elpa);
    put_word(stream, parallel->fault);
    fputc('\n', stream);
    for (int row = 0; row < parallel->count; row++) {
        const struct parallel_counts *const counts = &parallel->rows[row].counts;
        fprintf(stream, "# parallel %s %" PRIu64 " %" PRId64, parallel->rows[row].name, counts->device_calls,
                counts->largest);
        put_numbers(stream, counts->nanoseconds, STEP_COUNT);
        put_numbers(stream, counts->host_calls, HOST_REASON_COUNT);
        put_numbers(stream, counts->unserved_calls, UNSERVED_COUNT);
        fputc('\n', stream);
    }
}

/* Whole nanoseconds tell as much. */
static void put_estimate(FILE *stream, const struct estimate *estimate)
{
    const struct estimate_prices *const prices = &estimate->prices;
    const double of[] = {prices->device_us, prices->level3_us, prices->routines_us, prices->solver_us,
                         1e3 * estimate->sharing};
    fputs("# estimate", stream);
    put_word(stream, estimate->device);
    put_word(stream, estimate->file);
    fprintf(stream, " %" PRIu64 " %d", estimate->end_nanoseconds, prices->routines);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        fprintf(stream, " %.0f", of[i]);
    fputc('\n', stream);
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        const struct estimate_row *const row = &estimate->rows[i];
        if (row->calls)
            fprintf(stream, "# foretold %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %.0f %.0f %.0f\n",
                    symbol_name((enum symbol)i), row->calls, row->nanoseconds, row->learned_calls, 1e3 * row->us,
                    1e3 * row->best_us, 1e3 * row->worst_us);
    }
}

void report_counters_print(FILE *stream, const struct report *report)
{
    fputs(REPORT_COUNTERS_BEGIN PACKAGE_VERSION "\n", stream);
    put_process(stream, report);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (any_call(&report->routines[i]))
            put_routine(stream, (enum symbol)i, &report->routines[i], &report->routine_facts[i]);
    for (int place = 0; place < SIZE_PLACES; place++)
        if (report->sizes.calls[0][place] || report->sizes.calls[1][place])
            fprintf(stream, "# size %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", place,
                    report->sizes.calls[0][place], report->sizes.calls[1][place],
                    report->sizes.nanoseconds[0][place], report->sizes.nanoseconds[1][place]);
    for (int i = 0; i < report->largest_count; i++) {
        const struct large_call *const call = &report->largest[i];
        fprintf(stream, "# large %s %d %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                symbol_name(call->symbol), call->reason, call->nanoseconds, call->shape.m, call->shape.n,
                call->shape.k);
    }
    for (int i = 0; i < report->lane_count; i++)
        put_lane(stream, &report->lanes[i], i);
    if (report->parallel.count > 0)
        put_parallel(stream, &report->parallel);
    if (report->estimate.is_there)
        put_estimate(stream, &report->estimate);
    fputs(REPORT_COUNTERS_END "\n", stream);
}

void report_file_print(FILE *stream, const struct report *report)
{
    report_text_print(stream, report);
    report_counters_print(stream, report);
}
