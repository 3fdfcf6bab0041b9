#include "command/run/run.h"
#include "common/launcher.h"
#include "interpose/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER_PREFIX "mublas-report-"

static unsigned hash_of(const char *text)
{
    unsigned hash = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* The ranks that share the folder; 0: it is this process's own. */
static int ranks_of_job(struct mps_rank *owner)
{
    struct launcher_process launcher;
    const struct local_rank world = world_rank(), *const local = local_rank();
    const char *const variable = local->variable ? local->variable : world.variable;
    const int ranks = local->ranks > 0 ? local->ranks : world.ranks;
    *owner = (struct mps_rank){getpid(), process_started(getpid())};
    if (world.rank < 0 || ranks == 1 || !variable || !launcher_process_find(variable, &launcher))
        return 0;
    *owner = (struct mps_rank){launcher.process, launcher.started};
    return ranks > 0 ? ranks : INT_MAX;
}

/* Parts that nobody will merge any more: their `mublas run`, or its launcher, is gone. */
static void sweep(const char *place)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, FOLDER_PREFIX "%lu.", (unsigned long)geteuid());
    private_folders_remove_left(place, prefix);
}

/* On several machines each has a report of its own. */
static void name_machine(struct run_parts *parts, const char *report)
{
    const struct local_rank world = world_rank(), *const local = local_rank();
    char host[HOST_BYTES] = "";
    snprintf(parts->report, sizeof parts->report, "%s", report);
    if (local->ranks <= 0 || world.ranks <= local->ranks || strcmp(report, "1") == 0 ||
        gethostname(host, sizeof host - 1) != 0)
        return;
    const char *const dot = report_file_is_page(report) ? strrchr(report, '.') : report + strlen(report);
    snprintf(parts->report, sizeof parts->report, "%.*s.%s%s", (int)(dot - report), report, host, dot);
}

/* The lock of the ranks' folder; who has it may have removed the folder. */
static int lock_ranks(const struct run_parts *parts)
{
    char path[PATH_MAX + 8];
    struct stat state;
    snprintf(path, sizeof path, "%s/ranks", parts->folder);
    const int file = open(path, O_CREAT | O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (file >= 0 && flock(file, LOCK_EX) != 0 && errno == EINTR)
        continue;
    if (file >= 0 && fstat(file, &state) == 0 && state.st_nlink > 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* A line of the ranks' file: one that came, or has ended. */
struct rank_line {
    struct mps_rank rank;
    bool has_ended;
};

static bool add_rank_line(int file, bool has_ended)
{
    struct rank_line line;
    memset(&line, 0, sizeof line);
    line.rank = (struct mps_rank){getpid(), process_started(getpid())};
    line.has_ended = has_ended;
    return write(file, &line, sizeof line) == (ssize_t)sizeof line;
}

bool run_parts_begin(struct run_parts *parts, const char *report)
{
    enum { TRIES = 20 };
    struct mps_rank owner;
    const char *const place = private_folder_place();
    parts->ranks = ranks_of_job(&owner);
    sweep(place);
    name_machine(parts, report);
    snprintf(parts->folder, sizeof parts->folder, "%s/" FOLDER_PREFIX "%lu.%ld.%llx.%x", place,
             (unsigned long)geteuid(), (long)owner.process, owner.begun, hash_of(report));
    for (int i = 0; i < TRIES; i++) {
        if (mkdir(parts->folder, 0700) != 0 && errno != EEXIST)
            return false;
        const int folder = private_folder_open(parts->folder);
        if (folder < 0 && errno == ENOENT)
            continue;
        if (folder < 0)
            return false;
        close(folder);
        const int file = lock_ranks(parts);
        if (file < 0)
            continue; /* it was removed meanwhile */
        const bool good = add_rank_line(file, false) && setenv("MUBLAS_REPORT_PARTS", parts->folder, 1) == 0;
        close(file);
        return good;
    }
    return false;
}

/* True: others may leave parts yet. *all_came: no more ranks are to come. */
static bool others_run(int file, int ranks, bool *all_came)
{
    struct rank_line line;
    int came = 0, running = 0;
    lseek(file, 0, SEEK_SET);
    while (read(file, &line, sizeof line) == (ssize_t)sizeof line) {
        came += !line.has_ended;
        const bool runs = process_started(line.rank.process) == line.rank.begun;
        /* One that was killed ends without a line. */
        running += line.has_ended ? (runs ? -1 : 0) : runs;
    }
    *all_came = came >= ranks;
    return running > 0;
}

/* Of a process that left none because a signal ended it. */
static void leave_lost(const struct run_parts *parts, pid_t process, int status, const char *program)
{
    char path[PATH_MAX + 64];
    const struct local_rank world = world_rank();
    if (!WIFSIGNALED(status))
        return;
    snprintf(path, sizeof path, "%s/" RUN_LOST_PREFIX "%ld", parts->folder, (long)process);
    FILE *const file = fopen(path, "wxe");
    if (!file)
        return;
    fprintf(file, "%ld %d %d %d %.200s\n", (long)process, world.rank, world.ranks, WTERMSIG(status), program);
    fclose(file);
}

/* The last of a job's ranks merges, and so does every one that cannot know whether others will come. */
static void parts_end(const struct run_parts *parts, pid_t process, int status, char **program)
{
    bool all_came = true;
    const int file = lock_ranks(parts);
    leave_lost(parts, process, status, *program);
    if (file >= 0)
        add_rank_line(file, true);
    if (file < 0 || !others_run(file, parts->ranks, &all_came)) {
        merged_report_write(parts, program);
        if (all_came)
            private_folder_remove(parts->folder);
    }
    if (file >= 0)
        close(file);
}

/* All but standard error: who reads or writes the others waits for the program alone. */
static void keep_standard_error(void)
{
    enum { FILES_MOST = 1024 }; /* of Linux before 5.9 */
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
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

void run_and_merge(const struct run_parts *parts, char **program, void become(void *context), void *context)
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
    keep_standard_error();
    const int status = wait_for(process, &signals);
    parts_end(parts, process, status, program);
    end_alike(status);
}
