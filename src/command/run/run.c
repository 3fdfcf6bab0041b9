#include "command/run/run.h"
#include "command/commands.h"
#include "interpose/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

bool program_file_find(const char *name, char *path, size_t size)
{
    const char *directories = getenv("PATH");
    if (strchr(name, '/') || !directories)
        return snprintf(path, size, "%s", name) < (int)size && access(path, F_OK) == 0;
    for (const char *next = directories; next; next = strchr(next, ':')) {
        next += *next == ':';
        int length = (int)strcspn(next, ":");
        if (snprintf(path, size, "%.*s/%s", length ? length : 1, length ? next : ".", name) < (int)size &&
            access(path, X_OK) == 0)
            return true;
    }
    return false;
}

const char *program_file_refusal(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return strerror(errno);
    if (file.st_mode & S_ISUID)
        return "it is set-user-id, and the loader preloads nothing into such programs";
    if ((file.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
        return "it is set-group-id, and the loader preloads nothing into such programs";
    if (getxattr(path, "security.capability", NULL, 0) > 0)
        return "it has file capabilities, and the loader preloads nothing into such programs";
    return NULL;
}

/* The program that `env` would run: its first argument that is neither an option nor
 * a variable. */
static const char *behind_env(char *words)
{
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        if (*word != '-' && !strchr(word, '='))
            return word;
    return NULL;
}

bool program_file_interpreter(const char *path, char *interpreter, size_t size)
{
    char line[PATH_MAX];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    ssize_t length = read(file, line, sizeof line - 1);
    close(file);
    if (length < 2 || line[0] != '#' || line[1] != '!')
        return false;
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    char *arguments = NULL;
    const char *program = strtok_r(line + 2, " \t\r", &arguments);
    const char *slash = program ? strrchr(program, '/') : NULL;
    if (program && strcmp(slash ? slash + 1 : program, "env") == 0)
        program = behind_env(arguments);
    return program && snprintf(interpreter, size, "%s", program) < (int)size;
}

void run_keep_files(bool is_alone)
{
    enum { FILES_MOST = 1024 }; /* of Linux before 5.9 */
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    if (is_alone)
        dup2(nowhere, STDERR_FILENO);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) == 0)
        return;
#endif
    for (int other = STDERR_FILENO + 1; other < FILES_MOST; other++)
        close(other);
}

/* It stops as the program does, so that a shell sees one job. */
static bool has_ended(pid_t process, int *status)
{
    int state;
    for (;;) {
        const pid_t which = waitpid(-1, &state, WNOHANG | WUNTRACED); /* orphans, too: it may be a container's first */
        if (which <= 0)
            return which < 0 && errno == ECHILD;
        if (which != process)
            continue;
        if (WIFSTOPPED(state)) {
            raise(SIGSTOP);
            continue;
        }
        *status = state;
        return true;
    }
}

/* The terminal's signals come to the program by themselves; those that somebody sends to this process are for
 * the program, too. */
static int wait_for(pid_t process, const sigset_t *signals)
{
    int status = 0;
    siginfo_t signal;
    while (!has_ended(process, &status)) {
        if (sigwaitinfo(signals, &signal) < 0 || signal.si_signo == SIGCHLD)
            continue;
        if (signal.si_code <= 0)
            kill(process, signal.si_signo);
    }
    return status;
}

/* Ends as the program did. */
static void end_alike(int status)
{
    static const struct rlimit no_core = {0, 0};
    sigset_t signals;
    if (!WIFSIGNALED(status))
        exit(WEXITSTATUS(status));
    setrlimit(RLIMIT_CORE, &no_core); /* the program has left its own */
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&signals);
    sigaddset(&signals, WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    raise(WTERMSIG(status));
    exit(128 + WTERMSIG(status));
}

/* What ends this process at once ends the program, too, as if they were one. */
static void follow(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(128 + SIGKILL);
}

/* Starts the program as a child: `become` is called in it, and comes back from there only if it failed. Waits
 * for its end, merges the parts, and ends as the program did. Meanwhile this process stops and goes on with
 * the program, passes on the signals that it is sent, and takes the program with it where it is killed. */
static void run_and_merge(const struct run_parts *parts, char **program, void become(void *context), void *context)
{
    sigset_t signals, before;
    struct sigaction by_default = {.sa_handler = SIG_DFL}, of_child;
    const pid_t self = getpid();
    sigfillset(&signals);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&signals, faults[i]);
    sigaction(SIGCHLD, &by_default, &of_child);
    sigprocmask(SIG_SETMASK, &signals, &before);
    const pid_t process = fork();
    if (process <= 0) { /* where there can be no other process, this one becomes the program */
        if (process == 0)
            follow(self);
        sigaction(SIGCHLD, &of_child, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        become(context);
        return;
    }
    run_keep_files(false);
    const int status = wait_for(process, &signals);
    run_parts_end(parts, process, status, program);
    end_alike(status);
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
                                                               : "there is no such folder to write a report "
                                                                 "to";
}

/* Says before a long run begins why its end could not write a report. NULL: nothing. */
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

/* A program that gets nothing to see cannot report: that is said, and *is_refused. Returns what of it is not
 * seen, to be freed; NULL: nothing. */
static char *look_into(const char *path, bool *is_refused)
{
    *is_refused = false;
    if (!is_report_wanted())
        return NULL;
    char *const found = inspect_unreachable(path, is_refused);
    if (*is_refused && found)
        fprintf(stderr, "mublas run: there will be no report of %s\n", found);
    return found;
}

static int complain(int status, const char *subject, const char *reason)
{
    fprintf(stderr, "mublas run: %s: %s\n", subject, reason);
    return status;
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
    if (!is_report_wanted() || start->is_refused)
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

static void become_child(void *context)
{
    exit(become(context));
}

/* One report of all processes, unless the report's name keeps them apart, or a `mublas run` around this one
 * merges them. */
static bool merges(bool has_own_report)
{
    const char *const report = getenv("MUBLAS_REPORT"), *const outer = getenv("MUBLAS_REPORT_PARTS");
    if (!is_report_wanted() || (strcmp(report, "1") != 0 && strchr(report, '%')))
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
    mps_begin();
    if (has_parts)
        run_and_merge(&parts, start->program, become_child, (void *)start);
    return become(start);
}

int run_program(char **arguments)
{
    char path[PATH_MAX];
    bool is_refused;
    const bool had_report = is_report_wanted();
    char *const outer_report = had_report ? strdup(getenv("MUBLAS_REPORT")) : NULL;
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
    char *const unreachable = look_into(path, &is_refused);
    if (!preload_set_environment(shim, true))
        return complain(CANNOT_RUN, path, "the environment cannot be extended");
    const struct start start = {path, program, unreachable, is_refused};
    const char *const report = getenv("MUBLAS_REPORT");
    return start_program(&start, report && (!outer_report || strcmp(outer_report, report) != 0));
}
