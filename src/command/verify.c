#include "command/verify.h"
#include "command/exit_status.h"
#include "command/offload_report.h"
#include "command/routine_call.h"
#include "command/shim_child.h"
#include "command/verify_calls.h"
#include "gpu/device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { DEFAULT_SIZE = 600, LEAST_SIZE = 4, GREATEST_SIZE = 20000 };
static const char who[] = "mublas verify";
static const double gauge_limit = 16;

struct options {
    const char *routines; /* NULL: all */
    long size;
};

/* What the child said of each routine; calls 0: nothing. */
struct outcome {
    bool begun;
    int calls, kept;
    double gauge;
};

static bool take_routines(const char *list, struct options *options)
{
    int length;
    const char *wrong = routine_list_error(list, &length);
    options->routines = list;
    if (wrong)
        fprintf(stderr, "mublas verify: --routines: '%.*s' is not an offloaded routine\n", length, wrong);
    return !wrong;
}

static bool take_size(const char *text, struct options *options)
{
    char *end;
    options->size = strtol(text, &end, 10);
    if (end != text && !*end && options->size >= LEAST_SIZE && options->size <= GREATEST_SIZE)
        return true;
    fprintf(stderr, "mublas verify: --size='%s' is not a number from %d to %d\n", text, LEAST_SIZE,
            GREATEST_SIZE);
    return false;
}

static bool take_options(char **arguments, struct options *options)
{
    for (; *arguments; arguments++) {
        if (strncmp(*arguments, "--routines=", 11) == 0) {
            if (!take_routines(*arguments + 11, options))
                return false;
        } else if (strncmp(*arguments, "--size=", 7) == 0) {
            if (!take_size(*arguments + 7, options))
                return false;
        } else {
            fprintf(stderr, "mublas verify: '%s' is not an option; mublas verify --help lists them\n", *arguments);
            return false;
        }
    }
    return true;
}

static void read_outcomes(FILE *answers, struct outcome outcomes[ROUTINES])
{
    char line[128], name[16];
    while (fgets(line, sizeof line, answers)) {
        struct outcome outcome = {.begun = true};
        if (sscanf(line, "begin %15s", name) == 1 ||
            sscanf(line, "done %15s %d %lf %d", name, &outcome.calls, &outcome.gauge, &outcome.kept) == 4) {
            int routine = routine_named(name);
            if (routine >= 0)
                outcomes[routine] = outcome;
        }
    }
}

/* Print the routine's line; true: it passes. */
static bool judge(const char *name, const struct outcome *outcome, const char *report)
{
    struct offload_row row;
    if (outcome->calls == 0) {
        printf("%-8s %6s %10s  FAIL: %s\n", name, "-", "-", outcome->begun
               ? "the process ended in it" : "not reached");
        return false;
    }
    bool counted = offload_report_row(report, name, &row);
    printf("%-8s %6d %10.3g  ", name, outcome->calls, outcome->gauge);
    if (!(outcome->gauge < gauge_limit))
        puts("FAIL: the results differ");
    else if (!outcome->kept)
        puts("FAIL: something beside the results was written");
    else if (!counted)
        puts("FAIL: nothing was counted");
    else if (row.on_host)
        printf("FAIL: %llu of %llu calls stayed on the host: %s\n", row.on_host, row.calls, row.reason);
    else if (row.on_device < (unsigned long long)outcome->calls)
        puts("FAIL: calls are missing in the report");
    else {
        puts("pass");
        return true;
    }
    return false;
}

static int judge_all(const struct outcome outcomes[ROUTINES], const struct options *options,
                     const char *report)
{
    char name[ROUTINE_NAME], host[PATH_MAX];
    int passed = 0, listed = 0;
    if (offload_report_host(report, host, sizeof host))
        printf("host BLAS: %s\n", host);
    printf("%-8s %6s %10s  result (largest difference in eps of the terms' magnitudes; %g would fail)\n",
           "routine",
           "calls", "difference", gauge_limit);
    for (int routine = 0; routine < ROUTINES; routine++)
        if (routine_is_listed(routine, options->routines)) {
            listed++;
            passed += judge(routine_name(routine, name), &outcomes[routine], report);
        }
    printf("%d of %d routines pass\n", passed, listed);
    return passed != listed;
}

/* One that can be used, with this build's kernels: wakes it, and gives it up again. False: with one line. */
static bool has_device(void)
{
    struct device *device;
    const enum status status = device_wake(&device);
    if (status == STATUS_OK)
        device_close(device);
    else
        fprintf(stderr, "%s: no device to check: %s (MUBLAS_VERBOSE=2 says more)\n", who, status_text(status));
    return status == STATUS_OK;
}

int verify_run(char **arguments)
{
    struct options options = {.size = DEFAULT_SIZE};
    struct shim_child child;
    struct shim_child_settings settings = {.offload = "always"};
    struct outcome outcomes[ROUTINES] = {{0}};
    char what[512];
    if (!take_options(arguments, &options))
        return EXIT_BAD_COMMAND_LINE;
    if ((size_t)snprintf(what, sizeof what, "%ld%s%s", options.size, options.routines ? " " : "",
                         options.routines ? options.routines : "") >= sizeof what) {
        fputs("mublas verify: --routines: the list is too long\n", stderr);
        return EXIT_BAD_COMMAND_LINE;
    }
    if (!shim_child_possible(who))
        return 1;
    if (!has_device())
        return EXIT_NO_DEVICE;
    if (!shim_child_start(&child, &settings, who, VERIFY_CALLS_COMMAND, what))
        return 1;
    read_outcomes(child.answers, outcomes);
    int status = shim_child_wait(&child);
    int result = judge_all(outcomes, &options, child.report);
    if (WIFSIGNALED(status))
        printf("the checking process ended by signal %d\n", WTERMSIG(status));
    shim_child_clean(&child);
    return result || status != 0;
}
