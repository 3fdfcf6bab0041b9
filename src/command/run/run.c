#include "command/commands.h"
#include "command/run/preload.h"
#include "command/run/program_file.h"
#include "command/run/report_watch.h"
#include "command/run/mps.h"

#include <errno.h>
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
        else if (strncmp(option, "--offload=", 10) == 0) {
            if (!set_mode(option + 10))
                return NULL;
        } else {
            fprintf(stderr, "mublas run: '%s' is not an option; mublas run --help lists them\n", option);
            return NULL;
        }
    }
    return arguments;
}

static bool is_report_wanted(void)
{
    const char *const report = getenv("MUBLAS_REPORT");
    return report && *report && strcmp(report, "0") != 0;
}

/* So that it does not depend on the folders in which programs start and end. A folder's name may have what
 * stands for numbers in a report's name. */
static bool make_report_absolute(void)
{
    const char *const report = getenv("MUBLAS_REPORT");
    char folder[PATH_MAX], *whole;
    if (!is_report_wanted() || strcmp(report, "1") == 0 || report[0] == '/' ||
        !getcwd(folder, sizeof folder) || strchr(folder, '%'))
        return true;
    if (asprintf(&whole, "%s/%s", folder, report) < 0)
        return false;
    const bool good = setenv("MUBLAS_REPORT", whole, 1) == 0;
    free(whole);
    return good;
}

static const char *folder_fault(const char *file)
{
    char folder[PATH_MAX];
    struct stat there;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(file, '/') - file + 1), file);
    return stat(folder, &there) == 0 && S_ISDIR(there.st_mode) ? NULL
                                                               : "there is no such folder to write a report to";
}

/* What the end of a long run would say is said before it begins. NULL: nothing. */
static const char *report_fault(void)
{
    const char *const report = getenv("MUBLAS_REPORT");
    struct stat there;
    if (!is_report_wanted() || strcmp(report, "1") == 0 || strchr(report, '%') || !strchr(report, '/'))
        return NULL;
    if (lstat(report, &there) == 0)
        return S_ISDIR(there.st_mode)   ? "a report cannot be written there: it is a folder"
               : S_ISLNK(there.st_mode) ? "a report cannot be written there: symbolic links are not followed"
                                        : NULL;
    return folder_fault(report);
}

/* The report says too what mublas does not get to see. One that gets nothing to see cannot report: that is
 * said, and *is_refused. */
static bool look_into(const char *path, bool *is_refused)
{
    bool good = true;
    char *setting = NULL;
    *is_refused = false;
    if (!is_report_wanted())
        return true;
    char *const found = inspect_unreachable(path, is_refused);
    if (*is_refused && found)
        fprintf(stderr, "mublas run: there will be no report of %s\n", found);
    else if (asprintf(&setting, "%ld:%zu:%s:%s", (long)getpid(), strlen(path), path, found ? found : "") >= 0)
        good = setenv("MUBLAS_UNREACHABLE", setting, 1) == 0;
    else
        setting = NULL;
    free(setting);
    free(found);
    return good;
}

static int complain(int status, const char *subject, const char *reason)
{
    fprintf(stderr, "mublas run: %s: %s\n", subject, reason);
    return status;
}

int run_program(char **arguments)
{
    char path[PATH_MAX];
    bool is_refused;
    char **program = take_options(arguments);
    if (!program)
        return EXIT_BAD_COMMAND_LINE;
    if (!*program)
        return complain(EXIT_BAD_COMMAND_LINE, "no program",
                        "mublas run [--report[=FILE]] [--progress] [--offload=MODE] -- PROGRAM ...");
    const char *shim = preload_find_shim("mublas run");
    if (!shim)
        return NOT_FOUND;
    if (!program_file_find(*program, path, sizeof path))
        return complain(NOT_FOUND, *program, "no such program");
    /* Users would think that mublas does nothing. */
    const char *reason = program_file_refusal(path);
    if (reason)
        return complain(CANNOT_RUN, path, reason);
    if (!make_report_absolute())
        return complain(CANNOT_RUN, path, "the environment cannot be extended");
    if ((reason = report_fault()))
        return complain(EXIT_BAD_COMMAND_LINE, getenv("MUBLAS_REPORT"), reason);
    if (!look_into(path, &is_refused) || !preload_set_environment(shim, true))
        return complain(CANNOT_RUN, path, "the environment cannot be extended");
    if (!is_refused)
        report_watch_begin(*program);
    mps_begin();
    execv(path, program);
    return complain(errno == ENOENT ? NOT_FOUND : CANNOT_RUN, path, strerror(errno));
}
