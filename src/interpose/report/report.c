#include "common/clock.h"
#include "common/own_thread.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "common/text.h"
#include "host/host_search.h"
#include "interpose/estimate/estimate.h"
#include "interpose/report/parallel_report.h"
#include "interpose/report/report_data.h"
#include "interpose/report/report_file.h"

#include <errno.h>
#include <stdatomic.h>
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
        fprintf(stream, "  (host s of a LAPACK routine has the calls that it makes; its own seconds have not, "
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
            if (report->routines[i].host_calls[reason])
                fprintf(stream, "  %-*s %12llu  %s\n", width, report_name((enum symbol)i, name),
                        (unsigned long long)report->routines[i].host_calls[reason],
                        host_reason_text((enum host_reason)reason));
}

void report_text_print_process(FILE *stream, const struct report *report)
{
    fprintf(stream, "mublas report of process %ld", report->reporter.process);
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
    report_text_print_process(stream, report);
    fputs(" (", stream);
    printable_print(stream, report->program);
    fputs(")\n", stream);
    print_run(stream, report);
    report_setup_each(report, print_setup, stream);
    if (report_was_called(&report->total))
        print_table(stream, report);
    print_phases(stream, report);
    print_reasons(stream, report);
    if (report->parallel)
        parallel_text_print(stream, report->parallel);
    fprintf(stream, "  advice:\n");
    report_advice_give(report, print_advice, stream);
}

/* The C library's, which has no header. Without a library's handle the handler runs after all that
 * were registered later. */
int __cxa_atexit(void (*handler)(void *), void *argument, void *library_handle);

/* Each takes one, and leaves another for the next; this many may do that in the same instant. */
enum { HANDLERS = 8 };

/* A destructor may wait in vain for a thread that waits here. */
static const uint64_t PATIENCE_NANOSECONDS = UINT64_C(10000000000);
static atomic_bool over;

/* Main's start registers all the destructors as one handler. This one was registered before that: so it runs
 * in a thread that finds the destructors taken by another, or done. */
static void wait_for_report(void *unused)
{
    const int saved_errno = errno;
    if (!atomic_load(&over)) {
        const uint64_t deadline = clock_nanoseconds() + PATIENCE_NANOSECONDS;
        __cxa_atexit(wait_for_report, unused, NULL);
        while (!atomic_load(&over) && clock_nanoseconds() < deadline)
            pause_a_step();
        atomic_store(&over, true);
    }
    errno = saved_errno;
}

void exit_wait_begin(void)
{
    for (int i = 0; i < HANDLERS && start_objects_have_own(); i++)
        __cxa_atexit(wait_for_report, NULL, NULL);
}

/* The report is written, or there is none: nobody waits for it any more. */
static void exit_wait_over(void)
{
    atomic_store(&over, true);
}

/* The C library flushes standard output only after this; get the order right
 * unless another thread holds it. */
static void flush_output(void)
{
    if (ftrylockfile(stdout) == 0) {
        fflush(stdout);
        funlockfile(stdout);
    }
}

typedef void printer(FILE *stream, const struct report *report);

/* False: no memory. */
static bool print(const struct report *report, printer *print_it, struct report_text *text)
{
    FILE *stream = open_memstream(&text->text, &text->length);
    if (!stream)
        return false;
    print_it(stream, report);
    return fclose(stream) == 0;
}

static void write_report(const struct report *report)
{
    struct report_text text = {NULL, 0}, page = {NULL, 0};
    const char *const destination = settings()->report;
    const bool is_estimate = estimate_wanted();
    if (print(report, is_estimate ? estimate_text_print : report_text_print, &text) &&
        (is_estimate || !report_file_is_page(destination) || print(report, page_print, &page))) {
        flush_output();
        report_file_deliver(destination, &report->reporter, &text, is_estimate ? &text : &page,
                            !report_has_calls(report));
    }
    free(text.text);
    free(page.text);
}

/* When the program and its libraries have done their own output. A process that made no BLAS call writes no
 * report, but for the one that `mublas run` started (report_data.h). */
__attribute__((destructor)) static void report_at_exit(void)
{
    struct program_state program;
    if (!stats_wanted())
        return;
    program_state_set_aside(&program);
    const locale_t locale = plain_locale_begin();
    const struct report *const report = report_read();
    if (report)
        write_report(report);
    plain_locale_end(locale);
    exit_wait_over();
    program_state_return(&program);
}
