#include "interpose/report/report_data.h"
#include "common/own_thread.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "common/text.h"
#include "gpu/device_sharing.h"
#include "gpu/vendor/solver_library.h"
#include "gpu/vendor/vendor_library.h"
#include "host/host_blas.h"
#include "host/host_search.h"
#include "interpose/estimate/estimate.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/purchase.h"
#include "interpose/report/stats.h"
#include "mirror/tracking/write_tracker.h"
#include "service/client/link.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

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

/* The text tells what of this process's program cannot be intercepted, as `mublas run` found
 * (MUBLAS_UNREACHABLE); "": nothing; NULL: it did not look. Other programs inherit the setting: it has this
 * process's number, and the name that the program was started by.
 *
 * A process that has called exec keeps its number: the program's own name tells whether it is the one that
 * was looked into. */
static const char *unreachable_here(const struct report *report)
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
    const char *const unreachable = unreachable_here(report);
    return report_has_calls(report) || estimate_has_calls() || (unreachable && *unreachable) ||
           (word_of_run(report) && !report_start_others_since());
}

static bool interface_was_called(const struct report *report, enum interface interface)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (symbol_interface((enum symbol)i) == interface && report_was_called(&report->routines[i]))
            return true;
    return false;
}

/* Only ranks that share a device have it. */
static void tell_mps(struct report *report)
{
    char program[PATH_MAX];
    const char *const folder = mps_daemon_folder();
    if (device_sharing_sharers_foreseen() <= 1)
        return;
    const char *const whose = mps_daemon_is_of_job(folder) ? "started for the job" : "the machine's";
    report_setup_add(report, "MPS",
                     mps_daemon_answers(folder)     ? whose
                     : !settings()->mps             ? "never"
                     : !mps_daemon_program(program) ? "not installed"
                                                    : "not running: mublas run starts it");
}

/* Tells of one that was used, or runs and was not. */
static void tell_service(struct report *report)
{
    char text[192];
    const struct service_use use = service_use();
    if (use.process && use.lost)
        snprintf(text, sizeof text, "process %ld, lost: %s", (long)use.process, use.lost);
    else if (use.process)
        snprintf(text, sizeof text, "process %ld has the device; calls waited %.6f s in its queue, apart from the device's time",
                 (long)use.process, (double)use.queue_nanoseconds / 1e9);
    else if (use.not_used)
        snprintf(text, sizeof text, "not used: %s", use.not_used);
    else
        return;
    report_setup_add(report, "service", text);
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

static void tell_opening(struct report *report)
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
    report_setup_add(report, "opened in", text);
}

/* Without what the command sets for the report. */
static void tell_settings(struct report *report)
{
    char text[1024];
    const char *value;
#define SETTING(name, field, parser, fallback, values, meaning)                                            \
    value = secure_getenv(#name);                                                                          \
    if (value && *value && strcmp(value, fallback) != 0 && strcmp(#name, "MUBLAS_UNREACHABLE") != 0 &&     \
        strcmp(#name, "MUBLAS_REPORT_PARTS") != 0) {                                                       \
        snprintf(text, sizeof text, "%s=%s", #name, value);                                                \
        report_setup_add(report, "setting", text);                                                         \
    }
#include "common/settings.def"
#undef SETTING
}

static void tell_host(struct report *report, enum interface interface, const struct host_library *library)
{
    char resolved[PATH_MAX], text[PATH_MAX + 256];
    const char *path = library ? library->path : "none";
    const bool is_plain = interface == interface_plain(interface) && !interface_is_cblas(interface);
    if (strchr(path, '/') && realpath(path, resolved))
        path = resolved;
    const bool is_lapack = interface_is_lapack(interface);
    snprintf(text, sizeof text, "%s (%s)%s%s%s", path, library ? library->origin : "unloaded since",
             is_plain ? "" : " for ", is_plain ? "" : interface_form(interface),
             library && !is_lapack && host_library_is_reference(library) ? SETUP_SLOW_HOST : "");
    report_setup_add(report, is_lapack ? "host LAPACK" : "host BLAS", text);
}

static void tell_hosts(struct report *report)
{
    for (int i = 0; i < INTERFACE_COUNT; i++) {
        const enum interface interface = (enum interface)i;
        int number = 0;
        if (!interface_was_called(report, interface))
            continue;
        do
            tell_host(report, interface, host_blas_library(interface, number));
        while (host_blas_library(interface, ++number));
    }
}

static void tell_processor(struct report *report)
{
    char name[128], text[192];
    report_run_processor(name, sizeof name);
    snprintf(text, sizeof text, "%s; %d of %d for this "
                                "process", name, processors_usable(), processors_online());
    report_setup_add(report, "processor", text);
    const int used = snprintf(text, sizeof text, "%d for the host's BLAS", processors_for_blas());
    if (report->thread_count > 0) /* a page has looked at them */
        snprintf(text + used, sizeof text - (size_t)used, "; %d of the program %s in "
                                                          "calls", report->thread_count,
                 report->thread_count == 1 ? "was" : "were");
    report_setup_add(report, "threads", text);
}

static void tell_setup(struct report *report)
{
    report_setup_add(report, "device", waking_description());
    for (int i = 1; i < device_use_count(); i++)
        report_setup_add(report, "device", device_use_description(i));
    for (int place = 0; place < DEVICES_MAX; place++)
        if (next_device_unused(place))
            report_setup_add(report, "device", next_device_unused(place));
    tell_processor(report);
    tell_opening(report);
    tell_service(report);
    tell_mps(report);
    tell_hosts(report);
    tell_settings(report);
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
    const struct device_use *const use = device_use_first();
    if (!use)
        return ADVICE_TRACKS;
    if (!settings()->tracking)
        return ADVICE_TRACKING_OFF;
    switch (mirror_table_tracking(use->mirrors)) {
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

static char *copy_of(const char *text)
{
    return text && *text ? strdup(text) : NULL;
}

static void read_facts(struct report *report)
{
    report->facts = (struct process_facts){
        .device = device_end(), .tracking = tracking_here(), .level3_is_missing = level3_is_missing(),
        .solver_is_missing = solver_library_is_missing(), .has_recipe = model_in_force()->learned != NULL,
        .has_forked = thread_counters_forked(),
        .has_started_others = report_start_others_since() || report_start_others_left(),
        .device_fault = copy_of(device_fault()), .tracking_fault = copy_of(tracking_fault()),
        .unreachable = copy_of(unreachable_here(report))};
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        const struct routine_stats *const stats = &report->routines[i];
        const struct route_shape *const refused = &stats->refused.shape;
        struct routine_facts *const facts = &report->routine_facts[i];
        *facts = (struct routine_facts){.m = refused->m, .n = refused->n, .k = refused->k};
        if (interface_is_lapack(symbol_interface((enum symbol)i)) && refused->n > 0)
            facts->pays_from = policy_order_that_pays(model_in_force(), refused);
        if (stats->variant)
            snprintf(facts->variant, sizeof facts->variant, "%s", stats->variant);
    }
}

static bool is_emulated(void)
{
    const struct device_use *const use = device_use_first();
    return use && device_name_is_emulated(device_properties(use->device)->name);
}

/* Once, at exit. NULL: there is nothing to say, since no BLAS or LAPACK was called, but for a program that
 * `mublas run` started and that started no other: its user waits for a report. */
static struct report *report_read(void)
{
    static struct report the_report;
    struct report *const report = &the_report;
    stats_read(report->routines);
    report_sum_up(report);
    parallel_report_copy(&report->parallel, report->parallel_rows, PARALLEL_ROWS_MOST);
    report->processes = 1;
    report->reporter = (struct reporter){getpid(), world_rank(), thread_counters_restarted()};
    if (!is_expected(report))
        return NULL;
    report->is_section = settings()->report_parts[0] != '\0';
    report->is_emulated = is_emulated();
    report->program = strdup(program_invocation_name);
    report_run_read(&report->run);
    report->run_nanoseconds = stats_run_nanoseconds();
    report->in_calls = stats_read_in_calls(report->run_nanoseconds);
    report->largest_count = stats_read_largest(report->largest);
    report->lane_count = stats_read_lanes(timeline_level(report->run_nanoseconds), report->lanes, LANES_MOST,
                                          &report->thread_count);
    stats_read_sizes(&report->sizes);
    estimate_read(&report->estimate);
    read_facts(report);
    tell_setup(report);
    return report;
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

/* A part of the run's report, for `mublas run` to print. False: the run is over, or was none. */
static bool leave_part(const struct report *report)
{
    struct report_text part = {NULL, 0};
    const bool left = *settings()->report_parts && print(report, report_counters_print, &part) &&
                      report_part_leave(settings()->report_parts, &part);
    free(part.text);
    return left;
}

/* A process that outlives its `mublas run` must not take the place of what that has written. */
static void write_report(const struct report *report)
{
    struct report_text text = {NULL, 0}, file = {NULL, 0};
    struct reporter reporter = report->reporter;
    const char *const destination = settings()->report;
    const bool is_page = report_file_is_page(destination) && !report->estimate.is_there;
    flush_output();
    if (leave_part(report))
        return;
    reporter.is_fork_child |= report->is_section;
    if (print(report, report_text_print, &text) && print(report, is_page ? page_print : report_file_print, &file))
        report_file_deliver(destination, &reporter, &text, &file, !report_has_calls(report));
    free(text.text);
    free(file.text);
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
