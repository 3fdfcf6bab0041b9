#include "interpose/report/report_setup.h"
#include "common/settings.h"
#include "gpu/device_sharing.h"
#include "gpu/mps_daemon.h"
#include "host/host_blas.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/level3_opening.h"
#include "interpose/purchase/next_device.h"
#include "interpose/purchase/solver_opening.h"
#include "interpose/purchase/waking.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
