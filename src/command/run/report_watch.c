#include "command/run/report_watch.h"
#include "interpose/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
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

static bool find(struct earlier *earlier)
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

void report_watch_begin(const char *program)
{
    struct earlier earlier;
    if (getpid() == 1 || !find(&earlier))
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
