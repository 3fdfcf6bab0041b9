/* The report of MUBLAS_REPORT: what was offloaded, what was not and why.
 *
 * Written by a destructor, when the program and its libraries have done their own output; a process that made
 * no BLAS call writes none. */
#include "common/program_state.h"
#include "common/settings.h"
#include "host/host_blas.h"
#include "interpose/purchase/level3_opening.h"
#include "interpose/purchase/solver_opening.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/waking.h"
#include "interpose/report/report_file.h"
#include "interpose/report/stats.h"
#include "interpose/report/thread_counters.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read once, so that all parts of a report agree while other threads go on. */
static struct routine_stats all[SYMBOL_COUNT];

static uint64_t host_calls(const struct routine_stats *stats)
{
    uint64_t sum = 0;
    for (int i = 0; i < HOST_REASON_COUNT; i++)
        sum += stats->host_calls[i];
    return sum;
}

static bool was_called(const struct routine_stats *stats)
{
    return stats->device_calls || host_calls(stats);
}

static bool anything_called(void)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (was_called(&all[i]))
            return true;
    return false;
}

static bool interface_was_called(enum interface interface)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (symbol_interface((enum symbol)i) == interface && was_called(&all[i]))
            return true;
    return false;
}

static void print_opened(FILE *stream, const char *what, const struct purchase_times *times)
{
    if (!times->nanoseconds)
        return;
    fprintf(stream, " %.3f s (%s", (double)times->nanoseconds / 1e9, what);
    if (times->beside)
        fprintf(stream, ", in the background; a call waited %.3f s", (double)times->waited_nanoseconds / 1e9);
    fputc(')', stream);
}

static void print_opening(FILE *stream)
{
    const struct purchase_times device = waking_times();
    const struct purchase_times level3 = level3_opening_times();
    const struct purchase_times solver = solver_opening_times();
    if (!device.nanoseconds)
        return;
    fprintf(stream, "  opened in  ");
    print_opened(stream, "device", &device);
    print_opened(stream, "cuBLAS", &level3);
    print_opened(stream, "cuSOLVER", &solver);
    fputc('\n', stream);
}

static void print_settings(FILE *stream)
{
    const char *value;
#define SETTING(name, field, parser, fallback, values, meaning)   \
    value = secure_getenv(#name);                                 \
    if (value && *value && strcmp(value, fallback) != 0)          \
        fprintf(stream, "  setting     %s=%s\n", #name, value);
#include "common/settings.def"
#undef SETTING
}

static void print_host(FILE *stream, enum interface interface, const struct host_library *library)
{
    char resolved[PATH_MAX];
    const char *path = library ? library->path : "none";
    const bool is_plain = interface == interface_plain(interface) && !interface_is_cblas(interface);
    const char *const what = interface_is_lapack(interface) ? "host LAPACK" : "host BLAS  ";
    if (strchr(path, '/') && realpath(path, resolved))
        path = resolved;
    fprintf(stream, "  %s %s (%s)%s%s\n", what, path, library ? library->origin : "unloaded since",
            is_plain ? "" : " for ", is_plain ? "" : interface_form(interface));
}

static void print_hosts(FILE *stream)
{
    for (int i = 0; i < INTERFACE_COUNT; i++) {
        enum interface interface = (enum interface)i;
        int number = 0;
        if (!interface_was_called(interface))
            continue;
        do
            print_host(stream, interface, host_blas_library(interface, number));
        while (host_blas_library(interface, ++number));
    }
}

enum { NAME_BYTES = 40 };

/* "dsymv" for dsymv_; by other interfaces the exported name. */
static const char *row_name(enum symbol symbol, char *buffer, size_t bytes)
{
    const char *name = symbol_name(symbol);
    int length = (int)strlen(name);
    const enum interface interface = symbol_interface(symbol);
    const bool is_plain = interface == INTERFACE_NAME_ || interface == INTERFACE_LAPACK_NAME_;
    snprintf(buffer, bytes, "%.*s", is_plain ? length - 1 : length, name);
    return buffer;
}

static uint64_t device_nanoseconds(const struct routine_stats *stats)
{
    uint64_t sum = 0;
    for (int i = 0; i < PHASE_COUNT; i++)
        sum += stats->phases.nanoseconds[i];
    return sum;
}

static void print_row(FILE *stream, const char *name, const struct routine_stats *stats)
{
    const uint64_t host = host_calls(stats);
    if (!was_called(stats))
        return;
    fprintf(stream, "  %-12s %12llu %12llu %12llu", name, (unsigned long long)(stats->device_calls + host),
            (unsigned long long)stats->device_calls, (unsigned long long)host);
    if (stats->device_calls)
        fprintf(stream, " %10.1f %10.1f %10.3f", (double)stats->bytes_up / 1e6,
                (double)stats->bytes_down / 1e6, (double)device_nanoseconds(stats) / 1e9);
    else
        fprintf(stream, " %10s %10s %10s", "-", "-", "-");
    if (stats->host_nanoseconds)
        fprintf(stream, " %10.3f\n", (double)stats->host_nanoseconds / 1e9);
    else
        fprintf(stream, " %10s\n", "-");
}

static void accumulate(struct routine_stats *total, const struct routine_stats *stats)
{
    total->device_calls += stats->device_calls;
    for (int i = 0; i < HOST_REASON_COUNT; i++)
        total->host_calls[i] += stats->host_calls[i];
    total->bytes_up += stats->bytes_up;
    total->bytes_down += stats->bytes_down;
    for (int i = 0; i < PHASE_COUNT; i++)
        total->phases.nanoseconds[i] += stats->phases.nanoseconds[i];
    total->host_nanoseconds += stats->host_nanoseconds;
}

static void print_table(FILE *stream, struct routine_stats *total)
{
    char name[NAME_BYTES];
    fprintf(stream, "  %-12s %12s %12s %12s %10s %10s %10s %10s\n", "routine", "calls", "on device",
            "on host", "MB up", "MB down", "device s", "host s");
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        print_row(stream, row_name((enum symbol)i, name, sizeof name), &all[i]);
        accumulate(total, &all[i]);
    }
    print_row(stream, "total", total);
}

static void print_phases_row(FILE *stream, const char *name, const struct routine_stats *stats)
{
    if (!stats->device_calls)
        return;
    fprintf(stream, "  of %-12s", name);
    for (int i = 0; i < PHASE_COUNT; i++)
        fprintf(stream, " %8.3f", (double)stats->phases.nanoseconds[i] / 1e9);
    fputc('\n', stream);
}

static void print_phases(FILE *stream, const struct routine_stats *total)
{
    char name[NAME_BYTES];
    if (!total->device_calls)
        return;
    fprintf(stream, "  where the seconds on the device went:\n  %-15s", "routine");
    for (int i = 0; i < PHASE_COUNT; i++)
        fprintf(stream, " %8s", phase_word((enum phase)i));
    fputc('\n', stream);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        print_phases_row(stream, row_name((enum symbol)i, name, sizeof name), &all[i]);
    print_phases_row(stream, "total", total);
}

static void print_reasons(FILE *stream, enum symbol symbol)
{
    const struct routine_stats *stats = &all[symbol];
    char name[NAME_BYTES];
    row_name(symbol, name, sizeof name);
    for (int i = 0; i < HOST_REASON_COUNT; i++)
        if (stats->host_calls[i])
            fprintf(stream, "  %-12s %12llu  %s\n", name, (unsigned long long)stats->host_calls[i],
                    host_reason_text((enum host_reason)i));
}

static void print_heading(FILE *stream, const struct reporter *reporter)
{
    fprintf(stream, "mublas report of process %ld", reporter->process);
    if (reporter->world.rank >= 0)
        fprintf(stream, ", rank %d", reporter->world.rank);
    if (reporter->world.ranks > 0)
        fprintf(stream, " of %d", reporter->world.ranks);
    fprintf(stream, " (%s)\n", program_invocation_name);
}

static void print_report(FILE *stream, const struct reporter *reporter)
{
    struct routine_stats total = {0};
    print_heading(stream, reporter);
    fprintf(stream, "  device      %s\n", waking_description());
    for (int i = 1; i < device_use_count(); i++)
        fprintf(stream, "  device      %s\n", device_use_description(i));
    print_opening(stream);
    print_hosts(stream);
    print_settings(stream);
    print_table(stream, &total);
    print_phases(stream, &total);
    fprintf(stream, "  why calls stayed on the host (those that never came to a choice are not timed):\n");
    for (int i = 0; i < SYMBOL_COUNT; i++)
        print_reasons(stream, (enum symbol)i);
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

static void write_report(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return;
    const struct reporter reporter = {getpid(), world_rank(), thread_counters_restarted()};
    print_report(stream, &reporter);
    if (fclose(stream) == 0) {
        flush_output();
        report_file_deliver(settings()->report, &reporter, text, length);
    }
    free(text);
}

__attribute__((destructor)) static void report_at_exit(void)
{
    if (!stats_wanted())
        return;
    stats_read(all);
    if (!anything_called())
        return;
    struct program_state program;
    program_state_set_aside(&program);
    write_report();
    program_state_return(&program);
}
