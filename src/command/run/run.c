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
    if (strcasecmp(source, "h100") == 0)
        return setenv("MUBLAS_ESTIMATE", "h100", 1) == 0;
    char *const section = recipe_times_read(source, device, fault);
    if (!section)
        fprintf(stderr, "mublas run: --estimate='%s' is neither h100 nor a recipe with times of calls, as "
                        "`mublas tune` writes it: %s\n", source, fault);
    free(section);
    return section && setenv("MUBLAS_ESTIMATE", realpath(source, path) ? path : source, 1) == 0;
}

/* Handles the options. Returns the first argument after them, or NULL after a complaint. *has_report: they have one. */
static char **take_options(char **arguments, bool *has_report)
{
    *has_report = false;
    for (; *arguments && **arguments == '-'; arguments++) {
        const char *option = *arguments;
        if (strcmp(option, "--") == 0)
            return arguments + 1;
        *has_report |= strncmp(option, "--report", 8) == 0;
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
    if (!is_report_wanted() || report_file_stream(report) >= 0 || report[0] == '/' ||
        !getcwd(folder, sizeof folder) || names_processes(folder))
        return true;
    if (asprintf(&whole, "%s/%s", folder, report) < 0)
        return false;
    const bool good = setenv("MUBLAS_REPORT", whole, 1) == 0;
    free(whole);
    return good;
}

/* Makes a file in the folder and removes it: access rights alone do not tell of full or foreign file systems.
 * 0, or the reason as errno has it. */
static int try_folder(const char *file)
{
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%.*s.mublas-XXXXXX", (int)(strrchr(file, '/') - file + 1), file) >=
        (int)sizeof name)
        return ENAMETOOLONG;
    const int descriptor = mkostemp(name, O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    close(descriptor);
    unlink(name);
    return 0;
}

/* Nothing of the file changes. 0, or the reason as errno has it. */
static int try_file(const char *file)
{
    const int descriptor = open(file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0 ? 0 : errno;
}

const char *run_report_fault(const char *file)
{
    struct stat there;
    const bool exists = lstat(file, &there) == 0;
    int reason = exists || errno == ENOENT ? 0 : errno;
    if (exists && S_ISDIR(there.st_mode))
        return "it is a folder";
    if (exists && S_ISLNK(there.st_mode))
        return "symbolic links are not followed";
    if (!reason && exists && !S_ISREG(there.st_mode))
        return NULL; /* somebody may yet open a pipe to read */
    if (!reason && (!exists || try_file(file) != 0))
        reason = try_folder(file);
    return reason == ENOENT ? "there is no such folder, or it takes no files" : reason ? strerror(reason) : NULL;
}

/* Says before a long run begins why its end could not write a report. NULL: nothing. */
static const char *report_fault(void)
{
    const char *const form = getenv("MUBLAS_REPORT");
    const struct reporter reporter = {getpid(), world_rank(), false};
    if (is_report_wanted() && is_estimate_wanted() && report_file_is_page(form))
        return "it is text, and no page";
    if (!is_report_wanted() || report_file_stream(form) >= 0 || !strchr(form, '/'))
        return NULL;
    char *const file = report_file_name(form, &reporter);
    const char *const fault = file ? run_report_fault(file) : NULL;
    free(file);
    return fault;
}

/* One that the environment names stops no program. False: the program is not to start. */
static bool can_report(bool is_own)
{
    const char *const reason = report_fault(), *const form = getenv("MUBLAS_REPORT");
    const char *const what = is_estimate_wanted() ? "an estimate" : "a report";
    if (reason && is_own)
        fprintf(stderr, "mublas run: %s: %s cannot be written there: %s\n", form, what, reason);
    else if (reason)
        fprintf(stderr, "mublas run: MUBLAS_REPORT=%s: %s cannot be written there: %s; it comes to standard error\n",
                form, what, reason);
    return !reason || (!is_own && setenv("MUBLAS_REPORT", "1", 1) == 0);
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

/* As a shell runs what has neither the form of a program nor a first line that names one; that is no text where a
 * NUL is in its first line. */
static int become_shell(const struct start *start)
{
    static char shell[] = "/bin/sh";
    char line[80]; /* as many as shells look at */
    int count = 0;
    const int file = open(start->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t length = file < 0 ? -1 : read(file, line, sizeof line);
    const char *const end = length > 0 ? memchr(line, '\n', (size_t)length) : NULL;
    if (file >= 0)
        close(file);
    if (length < 0 || memchr(line, '\0', end ? (size_t)(end - line) : (size_t)length))
        return complain(CANNOT_RUN, start->path, strerror(ENOEXEC));
    while (start->program[count])
        count++;
    char **const words = calloc((size_t)count + 2, sizeof *words);
    if (!words)
        return complain(CANNOT_RUN, start->path, strerror(ENOMEM));
    memcpy(words + 1, start->program, (size_t)count * sizeof *words);
    words[0] = shell;
    words[1] = (char *)start->path;
    execv(shell, words);
    free(words);
    return complain(CANNOT_RUN, start->path, strerror(errno));
}

/* Comes back only where it fails. */
static int become(const struct start *start)
{
    if (!name_unreachable(start))
        return complain(CANNOT_RUN, start->path, "the environment cannot be extended");
    execv(start->path, start->program);
    if (errno == ENOEXEC)
        return become_shell(start);
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

/* One report of all processes, or one estimate, unless the report's name keeps them apart, or a `mublas run` around
 * this one merges them. */
static bool merges(bool has_own_report)
{
    const char *const report = getenv("MUBLAS_REPORT"), *const outer = getenv("MUBLAS_REPORT_PARTS");
    if (!is_told_at_end() || (is_report_wanted() && names_processes(report)))
        return false;
    return has_own_report || !outer || !*outer || access(outer, W_OK) != 0;
}

static int start_program(const struct start *start, bool has_own_report)
{
    static struct run_parts parts;
    const bool is_merged = !start->is_refused && merges(has_own_report);
    if (is_merged || has_own_report)
        unsetenv("MUBLAS_REPORT_PARTS");
    const bool has_parts =
        is_merged && run_parts_begin(&parts, is_report_wanted() ? getenv("MUBLAS_REPORT") : "1", start->program);
    if (!is_estimate_wanted())
        sharing_begin(!start->is_refused);
    if (has_parts)
        run_and_merge(&parts, start->program, become_child, (void *)start);
    return become(start);
}

static char *copy_of_setting(const char *name)
{
    const char *const value = getenv(name);
    return value && *value ? strdup(value) : NULL;
}

static bool has_changed(const char *name, const char *before)
{
    const char *const value = getenv(name);
    return value && *value && (!before || strcmp(before, value) != 0);
}

int run_program(char **arguments)
{
    char path[PATH_MAX];
    bool is_refused, has_report;
    char *const outer_report = copy_of_setting("MUBLAS_REPORT");
    char *const outer_estimate = copy_of_setting("MUBLAS_ESTIMATE");
    char **program = take_options(arguments, &has_report);
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
    if (!can_report(has_report))
        return EXIT_BAD_COMMAND_LINE;
    char *const unreachable_calls = look_into(path, &is_refused);
    if (!preload_set_environment(shim, true))
        return complain(CANNOT_RUN, path, "the environment cannot be extended");
    const struct start start = {path, program, unreachable_calls, is_refused};
    return start_program(&start, has_changed("MUBLAS_REPORT", outer_report) ||
                                     has_changed("MUBLAS_ESTIMATE", outer_estimate));
}
