/* The parts of run.h that wait for a program whose report is merged, and that tell of processes without one. */
#include "command/run/run.h"
#include "common/launcher.h"
#include "common/text.h"
#include "interpose/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* "PROCESS RANK RANKS SIGNAL PROGRAM" in a file of this name and its number. */
#define LOST_PREFIX "lost-"

/* A process left none because a signal ended it. */
void absent_leave(const struct run_parts *parts, pid_t process, int status, const char *program)
{
    char path[PATH_MAX + 64];
    const struct local_rank world = world_rank();
    if (!WIFSIGNALED(status))
        return;
    snprintf(path, sizeof path, "%s/" LOST_PREFIX "%ld", parts->folder, (long)process);
    FILE *const file = fopen(path, "wxe");
    if (!file)
        return;
    fprintf(file, "%ld %d %d %d %.200s\n", (long)process, world.rank, world.ranks, WTERMSIG(status), program);
    fclose(file);
}

static bool begins(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Tells of a part that found no room. */
static bool read_fault(const char *name, struct absent *absent)
{
    *absent = (struct absent){.made_calls = true};
    return begins(name, REPORT_FAULT_PREFIX) &&
           sscanf(name + sizeof REPORT_FAULT_PREFIX - 1, "%d.%d.%d.%ld", &absent->reason, &absent->rank,
                  &absent->ranks, &absent->process) == 4;
}

bool absent_read(const char *path, const char *name, struct absent *absent)
{
    if (read_fault(name, absent))
        return true;
    const bool is_lost = begins(name, LOST_PREFIX);
    FILE *const file = is_lost || begins(name, REPORT_NOTE_PREFIX) ? regular_file_open(path) : NULL;
    *absent = (struct absent){.made_calls = !is_lost};
    if (!file)
        return false;
    const bool good = fscanf(file, "%ld %d %d", &absent->process, &absent->rank, &absent->ranks) == 3 &&
                      (!is_lost || fscanf(file, "%d", &absent->signal) == 1) &&
                      fscanf(file, " %255[^\n]", absent->program) == 1;
    fclose(file);
    return good;
}

void absent_print(FILE *stream, const struct absent *absent, const char *folder)
{
    if (ftell(stream) > 0)
        fputc(' ', stream);
    fprintf(stream, "Process %ld", absent->process);
    if (absent->rank >= 0)
        fprintf(stream, ", rank %d", absent->rank);
    if (absent->program[0])
        fprintf(stream, " (%s)", absent->program);
    fputc(' ', stream);
    if (absent->made_calls)
        fputs("made calls and ", stream);
    fputs("left no report: ", stream);
    if (absent->reason)
        fprintf(stream, "%s: %s.", folder, strerror(absent->reason));
    else if (absent->signal)
        fprintf(stream, "signal %d (%s) ended it.", absent->signal, strsignal(absent->signal));
    else if (process_is_alive((pid_t)absent->process))
        fputs("it has not ended.", stream);
    else
        fputs("a signal, exec or _exit ended it.", stream);
}

void run_keep_files(bool keeps_output, bool keeps_error)
{
    enum { FILES_MOST = 1024 }; /* of Linux before 5.9 */
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    if (!keeps_output)
        dup2(nowhere, STDOUT_FILENO);
    if (!keeps_error)
        dup2(nowhere, STDERR_FILENO);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) == 0)
        return;
#endif
    for (int other = STDERR_FILENO + 1; other < FILES_MOST; other++)
        close(other);
}

/* It stops as the program does by the terminal, so that a shell sees one job, which it lets go on as a whole. A
 * user who stops the program alone lets that alone go on. */
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
            if (WSTOPSIG(state) != SIGSTOP)
                raise(SIGSTOP);
            continue;
        }
        *status = state;
        return true;
    }
}

/* The end of this process at once ends the program, too, as if they were one. */
static void follow(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(128 + SIGKILL);
}

/* A process of this one's group that does nothing but write down which signals came to all of the group. Returns
 * where they are read; -1: there is none. */
static int group_watch_begin(const sigset_t *signals)
{
    int ends[2], number;
    const pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return -1;
    const pid_t process = fork();
    if (process == 0) {
        follow(parent);
        while (sigwait(signals, &number) == 0)
            if (write(ends[1], &number, sizeof number) < 0 && errno != EAGAIN)
                break;
        _exit(0);
    }
    close(ends[1]);
    if (process < 0)
        close(ends[0]);
    return process < 0 ? -1 : ends[0];
}

/* The watching process may hear of it a moment later. */
static bool came_to_group(int watch, int signal)
{
    enum { PATIENCE_MS = 50 };
    struct pollfd there = {.fd = watch, .events = POLLIN};
    int number;
    while (watch >= 0 && poll(&there, 1, PATIENCE_MS) == 1 && read(watch, &number, sizeof number) == sizeof number)
        if (number == signal)
            return true;
    return false;
}

/* The terminal's signals, and others that are sent to the whole group, come to the program by themselves; those
 * that somebody sends to this process alone are for the program. */
static int wait_for(pid_t process, const sigset_t *signals, int watch)
{
    int status = 0;
    siginfo_t signal;
    while (!has_ended(process, &status)) {
        if (sigwaitinfo(signals, &signal) < 0 || signal.si_signo == SIGCHLD)
            continue;
        const bool is_programs = came_to_group(watch, signal.si_signo);
        if (signal.si_code <= 0 && !is_programs)
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
    run_keep_files(report_file_stream(parts->report) == STDOUT_FILENO, true);
    const int status = wait_for(process, &signals, group_watch_begin(&signals));
    run_parts_end(parts, process, status, program);
    end_alike(status);
}
