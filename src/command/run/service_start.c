/* The part of run.h that starts the service of a job. */
#include "command/run/run.h"
#include "common/settings.h"
#include "gpu/device_sharing.h"
#include "service/client/link.h"
#include "service/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READY_MS = 20000, PATH_BYTES = PATH_MAX + 64 };

bool service_is_wanted(void)
{
    bool are_faulty;
    return settings_copied(&are_faulty)->offload != OFFLOAD_NEVER && !service_refusal_here() &&
           device_sharing_sharers_foreseen() > 1;
}

/* A file of the job's folder for this identity: other ranks may have other devices. */
static int open_file(const char *folder, const char *what, const struct service_identity *identity, int flags)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s-%s", folder, what, identity->name);
    return open(path, flags | O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
}

static bool has_file(const char *folder, const char *what, const struct service_identity *identity, int flags)
{
    const int file = open_file(folder, what, identity, flags);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static bool runs(const struct service_identity *identity)
{
    const char *why;
    const int socket = service_connect_socket(identity, &why);
    if (socket >= 0)
        close(socket);
    return socket >= 0;
}

/* Nothing of the rank is left to the server but its environment: no file, terminal, preload or binding to a core. */
static void become(int ready, int log)
{
    static const char *const ours[] = {"LD_PRELOAD", "MUBLAS_REPORT", "MUBLAS_REPORT_PARTS", "MUBLAS_PROGRESS",
                                       "MUBLAS_UNREACHABLE"};
    char program[PATH_MAX];
    cpu_set_t all;
    sigset_t none;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    dup2(ready, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    run_keep_files(true, true);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        unsetenv(ours[i]);
    if (length > 0 && chdir("/") == 0) {
        program[length] = '\0';
        execl(program, "mublas", "serve", (char *)NULL);
    }
    _exit(127);
}

/* A process without a parent, which nobody waits for. */
static bool start_process(int ready, int log)
{
    const pid_t between = fork();
    if (between == 0) {
        if (fork() == 0)
            become(ready, log);
        _exit(0);
    }
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        continue;
    return between > 0;
}

/* It says a line once it serves, and closes its end where it does not. */
static bool wait_until_ready(int end)
{
    char text[256];
    struct pollfd said = {.fd = end, .events = POLLIN};
    int count;
    do
        count = poll(&said, 1, READY_MS);
    while (count < 0 && errno == EINTR);
    return count > 0 && read(end, text, sizeof text) > 0;
}

/* What the server said last, but where there is no device at all: a program without one needs no line. */
static void complain(int log)
{
    static const char begin[] = "mublas serve: ";
    char text[512], *line = text, *next;
    const ssize_t length = pread(log, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    while ((next = strchr(line, '\n')) && next[1])
        line = next + 1;
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, begin, sizeof begin - 1) == 0)
        line += sizeof begin - 1;
    if (strncmp(line, SERVER_NO_DEVICE, sizeof SERVER_NO_DEVICE - 1) != 0)
        fprintf(stderr, "mublas run: the service does not start: %s; each rank opens the device itself "
                        "(MUBLAS_SERVICE=never leaves the service out)\n", *line ? line : "it says nothing");
}

/* With the lock of this identity. */
static bool start(const char *folder, const struct service_identity *identity)
{
    int ends[2];
    bool is_ready = false;
    const int log = open_file(folder, "service-log", identity, O_CREAT | O_TRUNC);
    if (log < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        if (log >= 0)
            close(log);
        return false;
    }
    const int ready = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int high_log = fcntl(log, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(ends[1]);
    const bool is_started = ready >= 0 && high_log >= 0 && start_process(ready, high_log);
    close(ready);
    is_ready = is_started && wait_until_ready(ends[0]);
    close(ends[0]);
    if (!is_ready) {
        has_file(folder, "service-failed", identity, O_CREAT);
        complain(log);
    }
    close(log);
    close(high_log);
    return is_ready;
}

bool service_start(const char *folder)
{
    static struct service_identity identity;
    if (!service_identity_make(&identity))
        return false;
    const int lock = open_file(folder, "service", &identity, O_CREAT);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
        continue;
    const bool serves = lock >= 0 && (runs(&identity) || (!has_file(folder, "service-failed", &identity, 0) &&
                                                          start(folder, &identity)));
    if (lock >= 0)
        close(lock);
    return serves;
}
