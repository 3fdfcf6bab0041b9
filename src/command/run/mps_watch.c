#include "command/run/mps_watch.h"
#include "command/run/mps_process.h"
#include "common/launcher_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A launcher takes no longer between its first rank and its last. */
enum { COMING_SECONDS = 5, LOOK_MS = 500 };

static int open_process(const struct mps_rank *rank)
{
#ifdef SYS_pidfd_open
    const int process = (int)syscall(SYS_pidfd_open, rank->process, 0);
    if (process >= 0 && process_started(rank->process) == rank->begun)
        return process;
    if (process >= 0)
        close(process);
#endif
    return -1;
}

/* One that still runs; -1: none does. */
static int open_any(const struct mps_folder *folder, int *count)
{
    int process = -1;
    struct mps_rank *const ranks = mps_folder_ranks(folder, count);
    for (int i = 0; i < *count && process < 0; i++)
        process = open_process(&ranks[i]);
    free(ranks);
    return process;
}

static void wait_for(int process)
{
    struct pollfd ended = {.fd = process, .events = POLLIN};
    while (poll(&ended, 1, -1) < 0 && errno == EINTR)
        continue;
    close(process);
}

/* Until no rank runs, nor may come. */
static void wait_for_ranks(const struct mps_folder *folder, int ranks, time_t started)
{
    int process, count;
    for (;;) {
        while ((process = open_any(folder, &count)) >= 0)
            wait_for(process);
        if (count >= ranks || time(NULL) > started + COMING_SECONDS)
            return;
        poll(NULL, 0, LOOK_MS);
    }
}

static void watch(struct mps_folder *folder, int ranks)
{
    int process, count;
    const time_t started = time(NULL);
    setsid();
    if (!mps_folder_lock_again(folder) || chdir("/") != 0)
        _exit(1);
    mps_process_keep_files((int *const[]){&folder->lock, &folder->ranks, &folder->watcher}, 3);
    signal(SIGPIPE, SIG_IGN);
    for (;;) {
        wait_for_ranks(folder, ranks, started);
        while (flock(folder->lock, LOCK_EX) != 0 && errno == EINTR)
            continue;
        process = open_any(folder, &count);
        if (process < 0)
            break;
        flock(folder->lock, LOCK_UN); /* one came meanwhile */
        wait_for(process);
    }
    mps_process_end(folder);
    mps_folder_remove(folder);
    _exit(0);
}

static bool can_wait(void)
{
    const struct mps_rank self = {getpid(), process_started(getpid())};
    const int process = open_process(&self);
    if (process >= 0)
        close(process);
    return process >= 0;
}

bool mps_watch_begin(struct mps_folder *folder, int ranks)
{
    if (!can_wait())
        return false;
    const pid_t between = fork();
    if (between == 0) {
        if (fork() == 0)
            watch(folder, ranks);
        _exit(0);
    }
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        continue;
    return between > 0;
}
