#include "command/run/run.h"
#include "command/commands.h"
#include "interpose/report/report_file.h"
#include "tuner/online/recipe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

static const char *const modes[] = {"auto", "always", "never"};

static bool set_mode(const char *mode)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(mode, modes[i]) == 0)
            return setenv("MUBLAS_OFFLOAD", mode, 1) == 0;
    fprintf(stderr, "mublas run: --offload='%s' is not auto, always or never\n", mode);
    return false;
}

/* Says before a long run begins what is wrong with it. The program may go to another folder. */
static bool set_estimate(const char *source)
{
    char fault[RECIPE_FAULT_BYTES], device[sizeof((struct recipe_signature *)0)->device], path[PATH_MAX];
    if (strcmp(source, "h100") == 0)
        return setenv("MUBLAS_ESTIMATE", source, 1) == 0;
    char *const section = recipe_times_read(source, device, fault);
    if (!section)
        fprintf(stderr, "mublas run: --estimate='%s' is neither h100 nor a recipe with times of calls, as "
                        "`mublas tune` writes it: %s\n", source, fault);
    free(section);
    return section && setenv("MUBLAS_ESTIMATE", realpath(source, path) ? path : source, 1) == 0;
}

/* Handles the options. Returns the first argument after them, or NULL after a complaint. */
static char **take_options(char **arguments)
{
    for (; *arguments && **arguments == '-'; arguments++) {
        const char *option = *arguments;
        if (strcmp(option, "--") == 0)
            return arguments + 1;
        if (strcmp(option, "--report") == 0)
            setenv("MUBLAS_REPORT", "1", 1);
        else if (strcmp(option, "--progress") == 0)
            setenv("MUBLAS_PROGRESS", "1", 1);
        else if (strncmp(option, "--report=", 9) == 0 && option[9])
            setenv("MUBLAS_REPORT", option + 9, 1);
        else if (strcmp(option, "--estimate") == 0)
            setenv("MUBLAS_ESTIMATE", "h100", 1);
        else if (strncmp(option, "--estimate=", 11) == 0) {
            if (!set_estimate(option + 11))
                return NULL;
        } else if (strncmp(option, "--offload=", 10) == 0) {
            if (!set_mode(option + 10))
                return NULL;
        } else {
            fprintf(stderr, "mublas run: '%s' is not an option; mublas run --help lists them\n", option);
            return NULL;
        }
    }
    return arguments;
}

static bool is_estimate_wanted(void)
{
    const char *const estimate = getenv("MUBLAS_ESTIMATE");
    return estimate && *estimate;
}

static bool is_report_wanted(void)
{
    const char *const report = getenv("MUBLAS_REPORT");
    return report && *report && strcmp(report, "0") != 0;
}

/* The name has what stands for a process or a rank (report_file_name). */
static bool names_processes(const char *form)
{
    return strstr(form, "%p") || strstr(form, "%r");
}

/* So that it does not depend on the folders in which programs start and end. A folder's name may have what
 * stands for numbers in a report's name. */
static bool make_report_absolute(void)
{
    const char *const report = getenv("MUBLAS_REPORT");
    char folder[PATH_MAX], *whole;
    if (!is_report_wanted() || strcmp(report, "1") == 0 || report[0] == '/' ||
        !getcwd(folder, sizeof folder) || names_processes(folder))
        return true;
    if (asprintf(&whole, "%s/%s", folder, report) < 0)
        return false;
    const bool good = setenv("MUBLAS_REPORT", whole, 1) == 0;
    free(whole);
    return good;
}

/* Says before a long run begins why its end could not write a report. NULL: nothing. */
static const char *report_fault(void)
{
    const char *const form = getenv("MUBLAS_REPORT");
    const struct reporter reporter = {getpid(), world_rank(), false};
    if (is_report_wanted() && is_estimate_wanted() && report_file_is_page(form))
        return "it is text, and no page";
    if (!is_report_wanted() || strcmp(form, "1") == 0 || !strchr(form, '/'))
        return NULL;
    char *const file = report_file_name(form, &reporter);
    const char *const fault = file ? run_report_fault(file) : NULL;
    free(file);
    return fault;
}

/* A report or an estimate tells of the run. */
static bool is_told_at_end(void)
{
    return is_report_wanted() || is_estimate_wanted();
}

/* Without a report a look at the program's headers will do. */
static char *unreachable(const char *path, bool *is_refused)
{
    char program[PATH_MAX], *line = NULL;
    const char *reason = NULL;
    if (is_told_at_end())
        return inspect_unreachable(path, is_refused);
    if (snprintf(program, sizeof program, "%s", path) < (int)sizeof program &&
        program_file_follow(program, sizeof program))
        reason = program_file_unreachable(program);
    *is_refused = reason != NULL;
    return reason && asprintf(&line, "%s: %s", program, reason) >= 0 ? line : NULL;
}

/* Says of a program that mublas gets none of its calls: *is_refused. Returns what of it a report tells, to
 * be freed; NULL: nothing. */
static char *look_into(const char *path, bool *is_refused)
{
    char *const found = unreachable(path, is_refused);
    if (*is_refused && found && is_told_at_end())
        fprintf(stderr, "mublas run: there will be no %s of %s\n",
                is_estimate_wanted() ? "estimate" : "report", found);
    else if (*is_refused && found)
        fprintf(stderr, "mublas run: mublas gets no call of %s\n", found);
    return found;
}

static int complain(int status, const char *subject, const char *reason)
{
    fprintf(stderr, "mublas run: %s: %s\n", subject, reason);
    return status;
}

/* `--report FILE PROGRAM` has no "=": FILE looks like the program then. */
static int complain_of_missing(char **program)
{
    const char *const before = program[-1];
    if (strcmp(before, "--report") == 0)
        fprintf(stderr, "mublas run: %s: no such program; --report=%s writes the report to that file\n",
                *program, *program);
    else
        complain(NOT_FOUND, *program, "no such program");
    return NOT_FOUND;
}

struct start {
    const char *path;
    char **program;
    const char *unreachable; /* what of it the report tells; NULL: nothing */
    bool is_refused;
};

/* The report says what mublas does not get to see of this process. False: no memory. */
static bool name_unreachable(const struct start *start)
{
    char *setting;
    if (!is_told_at_end() || start->is_refused)
        return true;
    if (asprintf(&setting, "%ld:%zu:%s:%s", (long)getpid(), strlen(start->path), start->path,
                 start->unreachable ? start->unreachable : "") < 0)
        return false;
    const bool good = setenv("MUBLAS_UNREACHABLE", setting, 1) == 0;
    free(setting);
    return good;
}

/* Comes back only where it fails. */
static int become(const struct start *start)
{
    if (!name_unreachable(start))
        return complain(CANNOT_RUN, start->path, "the environment cannot be extended");
    execv(start->path, start->program);
    return complain(errno == ENOENT ? NOT_FOUND : CANNOT_RUN, start->path, strerror(errno));
}

/* The loader preloads nothing into a program that gains rights, and takes such settings from its children. */
static int become_without(const char *path, char **program, const char *reason)
{
    const struct start start = {path, program, NULL, true};
    fprintf(stderr, "mublas run: %s runs without mublas: %s\n", path, reason);
    return become(&start);
}

static void become_child(void *context)
{
    exit(become(context));
}

/* One report of all processes, unless it is an estimate, the report's name keeps them apart, or a `mublas
 * run` around this one merges them. */
static bool merges(bool has_own_report)
{
    const char *const report = getenv("MUBLAS_REPORT"), *const outer = getenv("MUBLAS_REPORT_PARTS");
    if (!is_report_wanted() || is_estimate_wanted() || names_processes(report))
        return false;
    return has_own_report || !outer || !*outer || access(outer, W_OK) != 0;
}

static int start_program(const struct start *start, bool has_own_report)
{
    static struct run_parts parts;
    const bool is_merged = !start->is_refused && merges(has_own_report);
    if (is_merged || has_own_report)
        unsetenv("MUBLAS_REPORT_PARTS");
    const bool has_parts = is_merged && run_parts_begin(&parts, getenv("MUBLAS_REPORT"), start->program);
    if (!is_estimate_wanted())
        mps_begin();
    if (has_parts)
        run_and_merge(&parts, start->program, become_child, (void *)start);
    return become(start);
}

int run_program(char **arguments)
{
    char path[PATH_MAX];
    bool is_refused;
    char *const outer_report = is_report_wanted() ? strdup(getenv("MUBLAS_REPORT")) : NULL;
    char **program = take_options(arguments);
    if (!program)
        return EXIT_BAD_COMMAND_LINE;
    if (!*program)
        return complain(EXIT_BAD_COMMAND_LINE, "no program",
                        "mublas run [--report[=FILE]] [--estimate[=h100|FILE]] [--progress] "
                        "[--offload=MODE] -- PROGRAM ...");
    const char *shim = preload_find_shim("mublas run");
    if (!shim)
        return NOT_FOUND;
    if (!program_file_find(*program, path, sizeof path))
        return complain_of_missing(program);
    const char *reason = program_file_refusal(path);
    if (reason)
        return become_without(path, program, reason);
    if (!make_report_absolute())
        return complain(CANNOT_RUN, path, "the environment cannot be extended");
    if ((reason = report_fault())) {
        fprintf(stderr, "mublas run: %s: %s cannot be written there: %s\n", getenv("MUBLAS_REPORT"),
                is_estimate_wanted() ? "an estimate" : "a report", reason);
        return EXIT_BAD_COMMAND_LINE;
    }
    char *const unreachable_calls = look_into(path, &is_refused);
    if (!preload_set_environment(shim, true))
        return complain(CANNOT_RUN, path, "the environment cannot be extended");
    const struct start start = {path, program, unreachable_calls, is_refused};
    const char *const report = getenv("MUBLAS_REPORT");
    return start_program(&start, report && (!outer_report || strcmp(outer_report, report) != 0));
}
