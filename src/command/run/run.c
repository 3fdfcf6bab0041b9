#include "command/run/run.h"
#include "command/commands.h"
#include "interpose/report/report_file.h"
#include "tuner/online/recipe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A report that is there. */
struct earlier {
    char *file;
    struct stat state;
};

static bool find_earlier_report(struct earlier *earlier)
{
    const char *const form = getenv("MUBLAS_REPORT");
    const struct reporter reporter = {getpid(), world_rank(), false};
    if (!form || !strchr(form, '/')) /* standard error, or none */
        return false;
    earlier->file = report_file_name(form, &reporter);
    if (earlier->file && lstat(earlier->file, &earlier->state) == 0 && S_ISREG(earlier->state.st_mode))
        return true;
    free(earlier->file);
    return false;
}

static bool is_as_before(const struct earlier *earlier)
{
    struct stat now;
    const struct stat *const before = &earlier->state;
    return lstat(earlier->file, &now) == 0 && now.st_dev == before->st_dev && now.st_ino == before->st_ino &&
           now.st_size == before->st_size && now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

/* All but standard error and one, which becomes 0: readers of the others must not wait for this process. */
static void keep_one_file(int file)
{
    enum { FILES_MOST = 1024 }; /* of Linux before 5.9 */
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(file, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) == 0)
        return;
#endif
    for (int other = STDERR_FILENO + 1; other < FILES_MOST; other++)
        close(other);
}

static void wait_for_end(int process)
{
    struct pollfd ended = {.fd = process, .events = POLLIN};
    while (poll(&ended, 1, -1) < 0 && errno == EINTR)
        continue;
}

/* A session of its own: the terminal's signals are the program's. */
static void watch(const struct earlier *earlier, int process, const char *program)
{
    setsid();
    keep_one_file(process);
    wait_for_end(STDIN_FILENO);
    if (is_as_before(earlier))
        fprintf(stderr, "mublas run: %s is of an earlier run: %s has ended and wrote no report there "
                        "(none is written after a signal, exec or _exit)\n", earlier->file, program);
    _exit(0);
}

static void watch_from_aside(const struct earlier *earlier, int process, const char *program)
{
    const pid_t between = fork();
    if (between == 0) {
        if (fork() == 0)
            watch(earlier, process, program);
        _exit(0);
    }
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* Watches a file of MUBLAS_REPORT's name that is there. Once this process, which by then is `program`, has
 * ended, a line on standard error says that the file is of an earlier run, if it is still the same. A process
 * without a parent waits for that, so the program's children are its own. Not for the first process of a
 * container, whose end is everybody's. */
static void report_watch_begin(const char *program)
{
    struct earlier earlier;
    if (getpid() == 1 || !find_earlier_report(&earlier))
        return;
#ifdef SYS_pidfd_open
    const int process = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (process >= 0) {
        watch_from_aside(&earlier, process, program);
        close(process);
    }
#endif
    free(earlier.file);
}

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
        fprintf(stderr, "mublas run: --estimate='%s' is neither h100 nor a recipe: %s\n", source, fault);
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

/* `file`: as the report's writer makes it of MUBLAS_REPORT. Another file takes the place of one that is there,
 * or else it is written over. */
static const char *file_fault(const char *file)
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
        return "an estimate is text: a page cannot have it";
    if (!is_report_wanted() || strcmp(form, "1") == 0 || !strchr(form, '/'))
        return NULL;
    char *const file = report_file_name(form, &reporter);
    const char *const fault = file ? file_fault(file) : NULL;
    free(file);
    return fault;
}

/* By a report or an estimate. */
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

/* A line says of a program that mublas gets none of its calls: *is_refused. A report says too what mublas
 * does not get to see of others; looking for that takes the longer the more libraries there are. */
static bool look_into(const char *path, bool *is_refused)
{
    bool good = true;
    char *setting = NULL;
    char *const found = unreachable(path, is_refused);
    if (*is_refused && found && is_told_at_end())
        fprintf(stderr, "mublas run: there will be no %s of %s\n", is_estimate_wanted() ? "estimate" : "report",
                found);
    else if (*is_refused && found)
        fprintf(stderr, "mublas run: mublas gets no call of %s\n", found);
    else if (is_told_at_end() && asprintf(&setting, "%ld:%zu:%s:%s", (long)getpid(), strlen(path), path,
                                            found ? found : "") >= 0)
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

static int become(const char *path, char **program)
{
    execv(path, program);
    return complain(errno == ENOENT ? NOT_FOUND : CANNOT_RUN, path, strerror(errno));
}

/* The loader preloads nothing into a program that gains rights, and takes such settings from its children. */
static int become_without(const char *path, char **program, const char *reason)
{
    fprintf(stderr, "mublas run: %s runs without mublas: %s\n", path, reason);
    return become(path, program);
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
        fprintf(stderr, "mublas run: %s: a report cannot be written there: %s\n", getenv("MUBLAS_REPORT"),
                reason);
        return EXIT_BAD_COMMAND_LINE;
    }
    if (!look_into(path, &is_refused) || !preload_set_environment(shim, true))
        return complain(CANNOT_RUN, path, "the environment cannot be extended");
    if (!is_refused)
        report_watch_begin(*program);
    if (!is_estimate_wanted())
        mps_begin();
    return become(path, program);
}
