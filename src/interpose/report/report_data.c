#include "interpose/report/report_data.h"
#include "common/settings.h"
#include "gpu/device_sharing.h"
#include "host/host_blas.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/openings.h"
#include "interpose/purchase/other_devices.h"
#include "interpose/purchase/waking.h"
#include "interpose/report/report_run.h"
#include "interpose/report/thread_counters.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static struct report the_report;

static uint64_t sum_of(const uint64_t *numbers, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

uint64_t report_host_calls(const struct routine_stats *stats)
{
    return sum_of(stats->host_calls, HOST_REASON_COUNT);
}

bool report_was_called(const struct routine_stats *stats)
{
    return stats->device_calls || report_host_calls(stats);
}

bool report_has_calls(const struct report *report)
{
    return report_was_called(&report->total) || (report->parallel && report->parallel->count > 0);
}

uint64_t report_host_time(const struct routine_stats *stats)
{
    return sum_of(stats->host_nanoseconds, HOST_REASON_COUNT);
}

uint64_t report_inside_time(const struct routine_stats *stats)
{
    return sum_of(stats->inside_nanoseconds, HOST_REASON_COUNT);
}

uint64_t report_own_host_time(const struct routine_stats *stats)
{
    const uint64_t all = report_host_time(stats), inside = report_inside_time(stats);
    return all > inside ? all - inside : 0;
}

uint64_t report_device_time(const struct routine_stats *stats)
{
    return sum_of(stats->phases.nanoseconds, PHASE_COUNT);
}

uint64_t report_link_time(const struct routine_stats *stats)
{
    const uint64_t *const of = stats->phases.nanoseconds;
    return of[PHASE_UPLOAD] + of[PHASE_VECTORS] + of[PHASE_RESULT];
}

uint64_t report_kernel_time(const struct routine_stats *stats)
{
    return stats->phases.nanoseconds[PHASE_LAUNCH] + stats->phases.nanoseconds[PHASE_FINISH];
}

const char *report_name(enum symbol symbol, char name[REPORT_NAME_BYTES])
{
    const char *const exported = symbol_name(symbol);
    const int length = (int)strlen(exported);
    const enum interface interface = symbol_interface(symbol);
    const bool is_plain = interface == INTERFACE_NAME_ || interface == INTERFACE_LAPACK_NAME_;
    snprintf(name, REPORT_NAME_BYTES, "%.*s", is_plain ? length - 1 : length, exported);
    return name;
}

static void accumulate(struct routine_stats *total, const struct routine_stats *stats)
{
    total->device_calls += stats->device_calls;
    for (int i = 0; i < HOST_REASON_COUNT; i++) {
        total->host_calls[i] += stats->host_calls[i];
        total->host_nanoseconds[i] += stats->host_nanoseconds[i];
        total->inside_nanoseconds[i] += stats->inside_nanoseconds[i];
    }
    total->bytes_up += stats->bytes_up;
    total->bytes_down += stats->bytes_down;
    total->foretold_nanoseconds += stats->foretold_nanoseconds;
    for (int i = 0; i < PHASE_COUNT; i++)
        total->phases.nanoseconds[i] += stats->phases.nanoseconds[i];
}

/* The words of `mublas run` behind its process's number; NULL: none for this process. */
static const char *word_of_run(const struct report *report)
{
    char *text;
    const char *const setting = settings()->unreachable;
    if (!setting || !*setting || report->reporter.is_fork_child)
        return NULL;
    const long process = strtol(setting, &text, 10);
    return process == report->reporter.process && *text == ':' ? text + 1 : NULL;
}

/* A process that has called exec keeps its number: the program's own name tells whether it is the one that
 * was looked into. */
const char *report_unreachable(const struct report *report)
{
    char *program;
    const char *const word = word_of_run(report), *const here = (const char *)getauxval(AT_EXECFN);
    const size_t length = word ? strtoul(word, &program, 10) : 0;
    if (!word || !here || *program != ':' || strlen(program + 1) <= length || strlen(here) != length ||
        memcmp(program + 1, here, length) != 0 || program[length + 1] != ':')
        return NULL;
    return program + length + 2;
}

/* One that started others does not count: these report for themselves. */
static bool is_expected(const struct report *report)
{
    const char *const unreachable = report_unreachable(report);
    return report_has_calls(report) || (unreachable && *unreachable) ||
           (word_of_run(report) && !report_start_others_since());
}

const struct report *report_read(void)
{
    struct report *const report = &the_report;
    stats_read(report->routines);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        accumulate(&report->total, &report->routines[i]);
    report->parallel = parallel_report_take();
    report->reporter = (struct reporter){getpid(), world_rank(), thread_counters_restarted()};
    if (!is_expected(report))
        return NULL;
    report->program = program_invocation_name;
    report->has_forked = thread_counters_forked();
    report->has_started_others = report_start_others_since() || report_start_others_left();
    report_run_read(&report->run);
    report->run_nanoseconds = stats_run_nanoseconds();
    report->largest_count = stats_read_largest(report->largest);
    return report;
}

struct taking {
    report_take *take;
    void *context;
};

static bool interface_was_called(const struct report *report, enum interface interface)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (symbol_interface((enum symbol)i) == interface && report_was_called(&report->routines[i]))
            return true;
    return false;
}

/* Only ranks that share a device have it. */
static void tell_mps(const struct taking *taking)
{
    char program[PATH_MAX];
    const char *const folder = mps_daemon_folder();
    if (device_sharing_sharers_foreseen() <= 1)
        return;
    const char *const whose = mps_daemon_is_of_job(folder) ? "started for the job" : "the machine's";
    taking->take(taking->context, "MPS",
                 mps_daemon_answers(folder)     ? whose
                 : !settings()->mps             ? "never"
                 : !mps_daemon_program(program) ? "not installed"
                                                : "not running: mublas run starts it");
}

static void print_opened(FILE *stream, const char *what, const struct purchase_times *times)
{
    if (!times->nanoseconds)
        return;
    fprintf(stream, "%s%.3f s (%s", ftell(stream) > 0 ? " " : "", (double)times->nanoseconds / 1e9, what);
    if (times->beside)
        fprintf(stream, ", in the background; a call waited %.3f s", (double)times->waited_nanoseconds / 1e9);
    fputc(')', stream);
}

static void tell_opening(const struct taking *taking)
{
    char text[320] = "";
    const struct purchase_times device = waking_times(), level3 = level3_opening_times(),
                                solver = solver_opening_times();
    FILE *stream = device.nanoseconds ? fmemopen(text, sizeof text, "w") : NULL;
    if (!stream)
        return;
    print_opened(stream, "device", &device);
    print_opened(stream, "cuBLAS", &level3);
    print_opened(stream, "cuSOLVER", &solver);
    fclose(stream);
    taking->take(taking->context, "opened in", text);
}

/* Without what the command sets for the advice. */
static void tell_settings(const struct taking *taking)
{
    char text[1024];
    const char *value;
#define SETTING(name, field, parser, fallback, values, meaning)                                            \
    value = secure_getenv(#name);                                                                          \
    if (value && *value && strcmp(value, fallback) != 0 && strcmp(#name, "MUBLAS_UNREACHABLE") != 0) {     \
        snprintf(text, sizeof text, "%s=%s", #name, value);                                                \
        taking->take(taking->context, "setting", text);                                                    \
    }
#include "common/settings.def"
#undef SETTING
}

static void tell_host(const struct taking *taking, enum interface interface,
                      const struct host_library *library)
{
    char resolved[PATH_MAX], text[PATH_MAX + 256];
    const char *path = library ? library->path : "none";
    const bool is_plain = interface == interface_plain(interface) && !interface_is_cblas(interface);
    if (strchr(path, '/') && realpath(path, resolved))
        path = resolved;
    snprintf(text, sizeof text, "%s (%s)%s%s", path, library ? library->origin : "unloaded since",
             is_plain ? "" : " for ", is_plain ? "" : interface_form(interface));
    taking->take(taking->context, interface_is_lapack(interface) ? "host LAPACK" : "host BLAS", text);
}

static void tell_hosts(const struct report *report, const struct taking *taking)
{
    for (int i = 0; i < INTERFACE_COUNT; i++) {
        const enum interface interface = (enum interface)i;
        int number = 0;
        if (!interface_was_called(report, interface))
            continue;
        do
            tell_host(taking, interface, host_blas_library(interface, number));
        while (host_blas_library(interface, ++number));
    }
}

void report_setup_each(const struct report *report, report_take *take, void *context)
{
    const struct taking taking = {take, context};
    take(context, "device", waking_description());
    for (int i = 1; i < device_use_count(); i++)
        take(context, "device", device_use_description(i));
    for (int place = 0; place < DEVICES_MAX; place++)
        if (next_device_unused(place))
            take(context, "device", next_device_unused(place));
    tell_opening(&taking);
    tell_mps(&taking);
    tell_hosts(report, &taking);
    tell_settings(&taking);
}
