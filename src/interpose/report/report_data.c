#include "interpose/report/report_data.h"
#include "common/settings.h"
#include "gpu/device_sharing.h"
#include "gpu/vendor/cublas_library.h"
#include "gpu/vendor/solver_library.h"
#include "host/host_blas.h"
#include "interpose/estimate/estimate.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/openings.h"
#include "interpose/purchase/other_devices.h"
#include "interpose/purchase/waking.h"
#include "interpose/report/report_file.h"
#include "interpose/report/thread_counters.h"
#include "mirror/tracking/write_tracker.h"

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
    return report_was_called(&report->total) || (report->parallel && report->parallel->count > 0) ||
           estimate_has_calls();
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

static bool pays(const struct machine_model *model, const struct route_shape *shape)
{
    if (shape->n < ROUTE_ORDER_LEAST)
        return false;
    const struct route_times times = route_times_predict(model, shape);
    const struct residency none = {.trackable = false};
    return policy_decide_route(OFFLOAD_AUTO, &times, &none).device;
}

/* The same call of a larger order. */
static struct route_shape scaled(const struct route_shape *shape, int64_t order)
{
    const double factor = (double)order / (double)shape->n;
    struct route_shape larger = *shape;
    larger.n = order;
    larger.m = (int64_t)((double)shape->m * factor);
    larger.k = (int64_t)((double)shape->k * factor);
    larger.bytes_up = (uint64_t)((double)shape->bytes_up * factor * factor);
    larger.bytes_down = (uint64_t)((double)shape->bytes_down * factor * factor);
    larger.bytes_kept = (uint64_t)((double)shape->bytes_kept * factor * factor);
    return larger;
}

/* 0: none that anybody would use. */
static int64_t order_that_pays(const struct route_shape *shape)
{
    enum { ORDER_MOST = 1 << 15 };
    const struct machine_model *const model = model_in_force();
    int64_t order = shape->n;
    struct route_shape larger = *shape;
    while (order > 0 && order < ORDER_MOST && !pays(model, &larger)) {
        order += 1 + order / 100;
        larger = scaled(shape, order);
    }
    return order < ORDER_MOST ? order : 0;
}

static void take_routine(const struct report *report, enum symbol symbol, char *name,
                         struct advice_routine *routine)
{
    const struct routine_stats *const stats = &report->routines[symbol];
    const struct route_shape *const refused = &stats->refused.shape;
    *routine = (struct advice_routine){.name = report_name(symbol, name),
                                       .is_lapack = interface_is_lapack(symbol_interface(symbol)),
                                       .m = refused->m, .n = refused->n, .k = refused->k,
                                       .variant = stats->variant};
    for (int i = 0; i < HOST_REASON_COUNT; i++) {
        routine->calls[i] = stats->host_calls[i];
        routine->seconds[i] = (double)stats->host_nanoseconds[i] / 1e9;
        routine->inside_seconds[i] = (double)stats->inside_nanoseconds[i] / 1e9;
    }
    if (routine->is_lapack && refused->n > 0)
        routine->pays_from = order_that_pays(refused);
}

static enum advice_device device_end(void)
{
    switch (waking_end()) {
    case WAKING_USED: return ADVICE_DEVICE_USED;
    case WAKING_UNUSED: return ADVICE_DEVICE_READY;
    case WAKING_NONE: return ADVICE_DEVICE_NONE;
    case WAKING_LOST: return ADVICE_DEVICE_LOST;
    case WAKING_ASLEEP: break;
    }
    return ADVICE_DEVICE_ASLEEP;
}

static enum advice_tracking tracking_here(void)
{
    const struct mirror_table *const mirrors = waking_mirrors_in_use();
    if (!mirrors)
        return ADVICE_TRACKS;
    if (!settings()->tracking)
        return ADVICE_TRACKING_OFF;
    switch (mirror_table_tracking(mirrors)) {
    case MIRROR_TRACKS_NOTHING: return ADVICE_TRACKING_IMPOSSIBLE;
    case MIRROR_BLIND: return ADVICE_TRACKING_BLIND;
    case MIRROR_TRACKS: break;
    }
    return ADVICE_TRACKS;
}

/* Behind the description's "none: ". */
static const char *tracking_fault(void)
{
    const char *const description = write_tracker_description();
    return strncmp(description, "none: ", 6) == 0 ? description + 6 : description;
}

static int take_routines(const struct report *report, struct advice_routine *routines,
                         char (*names)[REPORT_NAME_BYTES])
{
    int count = 0;
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (report_host_calls(&report->routines[i])) {
            take_routine(report, (enum symbol)i, names[count], &routines[count]);
            count++;
        }
    return count;
}

void report_advice_give(const struct report *report, advice_take *take, void *context)
{
    struct advice_routine *const routines = calloc(SYMBOL_COUNT, sizeof *routines);
    char(*const names)[REPORT_NAME_BYTES] = calloc(SYMBOL_COUNT, sizeof *names);
    const char *const unreachable = report_unreachable(report);
    if (routines && names) {
        const struct advice_facts facts = {
            .routines = routines, .count = take_routines(report, routines, names), .device = device_end(),
            .device_fault = device_fault(), .tracking = tracking_here(), .tracking_fault = tracking_fault(),
            .level3_is_missing = level3_is_missing(), .solver_is_missing = solver_library_is_missing(),
            .has_recipe = model_in_force()->learned != NULL, .unreachable = unreachable && *unreachable ? unreachable : NULL,
            .run_seconds = (double)report->run_nanoseconds / 1e9,
            .is_emulated = device_name_is_emulated(waking_description()),
            .was_called = report_has_calls(report), .parallel = report->parallel, .has_forked = report->has_forked,
            .has_started_others = report->has_started_others};
        advice_give(&facts, take, context);
    }
    free(routines);
    free(names);
}
