#include "command/run/run.h"
#include "common/launcher.h"
#include "common/settings.h"
#include "gpu/device_sharing.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 10, START_MS = 10000, END_MS = 5000 };

static void pipe_folder(const struct mps_folder *folder, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.*s/pipe", PATH_MAX - 8, folder->path);
}

static bool answers(const struct mps_folder *folder)
{
    char path[PATH_MAX];
    pipe_folder(folder, path);
    return mps_daemon_answers(path);
}

/* Lets this process, and what it becomes, use the folder's daemon. */
static bool mps_process_name(const struct mps_folder *folder)
{
    char pipes[PATH_MAX], logs[PATH_MAX];
    pipe_folder(folder, pipes);
    snprintf(logs, sizeof logs, "%.*s/log", PATH_MAX - 8, folder->path);
    return setenv("CUDA_MPS_PIPE_DIRECTORY", pipes, 1) == 0 && setenv("CUDA_MPS_LOG_DIRECTORY", logs, 1) == 0;
}

static void close_from(int first)
{
    enum { FILES_MOST = 1024 }; /* of Linux before 5.9 */
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0) == 0)
        return;
#endif
    for (int file = first; file < FILES_MOST; file++)
        close(file);
}

/* Closes all files but `kept`, which become the first behind standard error, and leads standard input, output
 * and error nowhere: neither may a reader wait for a process that stays behind. */
static void mps_process_keep_files(int *const *kept, int count)
{
    const int nowhere = open("/dev/null", O_RDWR);
    int high[8];
    for (int i = 0; i < count; i++)
        high[i] = fcntl(*kept[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1 + count);
    for (int i = 0; i <= STDERR_FILENO; i++)
        dup2(nowhere, i);
    for (int i = 0; i < count; i++)
        *kept[i] = dup3(high[i], STDERR_FILENO + 1 + i, O_CLOEXEC);
    close_from(STDERR_FILENO + 1 + count);
}

/* The daemon shows devices by its own CUDA_VISIBLE_DEVICES, and a rank by its own again. */
static void become(const char *program, const struct mps_folder *folder, bool starts, int input)
{
    char *const start[] = {"nvidia-cuda-mps-control", "-d", NULL}, *const control[] = {start[0], NULL};
    setsid();
    if (mps_process_name(folder)) {
        unsetenv("LD_PRELOAD");
        unsetenv("CUDA_VISIBLE_DEVICES");
        mps_process_keep_files((int *const[]){&input}, input >= 0);
        if (input >= 0)
            dup2(input, STDIN_FILENO);
        if (chdir("/") == 0)
            execv(program, starts ? start : control);
    }
    _exit(127);
}

static void wait_for_end(pid_t process)
{
    while (process > 0 && waitpid(process, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* Until it answers, or does so no more. */
static bool await(const struct mps_folder *folder, bool wanted, int milliseconds)
{
    for (int waited = 0; answers(folder) != wanted; waited += STEP_MS) {
        if (waited >= milliseconds)
            return false;
        poll(NULL, 0, STEP_MS);
    }
    return true;
}

/* One that never returns must not hold up the rank. */
static void wait_or_kill(pid_t process, int milliseconds)
{
    for (int waited = 0; process > 0 && waited < milliseconds; waited += STEP_MS) {
        if (waitpid(process, NULL, WNOHANG) != 0)
            return;
        poll(NULL, 0, STEP_MS);
    }
    if (process > 0) {
        kill(process, SIGKILL);
        wait_for_end(process);
    }
}

/* Starts the folder's control daemon by `program`, NVIDIA's, and waits until it answers. False: it does not
 * within some seconds. The caller has the folder's lock. */
static bool mps_process_start(const char *program, const struct mps_folder *folder)
{
    if (answers(folder))
        return true;
    const pid_t process = fork();
    if (process == 0)
        become(program, folder, true, -1);
    wait_or_kill(process, START_MS);
    return process > 0 && await(folder, true, START_MS / 4);
}

static void ask_to_end(const struct mps_folder *folder)
{
    char program[PATH_MAX];
    int input[2];
    if (!mps_daemon_program(program) || pipe2(input, O_CLOEXEC) != 0)
        return;
    const pid_t process = fork();
    if (process == 0)
        become(program, folder, false, input[0]);
    close(input[0]);
    if (process > 0 && write(input[1], "quit\n", 5) < 0)
        kill(process, SIGKILL);
    close(input[1]);
    wait_or_kill(process, END_MS);
}

/* Kills the process whose number it has written, in a folder that is nobody else's. */
static void kill_daemon(const struct mps_folder *folder)
{
    char path[PATH_MAX];
    long process = 0;
    snprintf(path, sizeof path, "%.*s/pipe/nvidia-cuda-mps-control.pid", PATH_MAX - 64, folder->path);
    FILE *const stream = fopen(path, "re");
    if (!stream)
        return;
    if (fscanf(stream, "%ld", &process) == 1 && process > 1)
        kill((pid_t)process, SIGKILL);
    fclose(stream);
}

/* Asks the daemon to end, and sees to it. Nothing happens if it does not run. The caller has the folder's
 * lock. */
static void mps_process_end(const struct mps_folder *folder)
{
    if (!answers(folder))
        return;
    ask_to_end(folder);
    if (!await(folder, false, END_MS))
        kill_daemon(folder);
}

/* A launcher takes no longer between its first rank and its last. */
enum { COMING_SECONDS = 5, LOOK_MS = 500 };

int rank_process_open(const struct mps_rank *rank)
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
        process = rank_process_open(&ranks[i]);
    free(ranks);
    return process;
}

void rank_process_wait(int process)
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
            rank_process_wait(process);
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
        rank_process_wait(process);
    }
    mps_process_end(folder);
    mps_folder_remove(folder);
    _exit(0);
}

static bool can_wait(void)
{
    const struct mps_rank self = {getpid(), process_started(getpid())};
    const int process = rank_process_open(&self);
    if (process >= 0)
        close(process);
    return process >= 0;
}

/* Starts a process aside, with the watcher's lock of the open folder, that ends the MPS of a job of so many
 * ranks on this machine with the last of them, however they end. It waits for all of them to come for some
 * seconds, and then until those that came are gone. False: this system cannot wait for processes. The caller
 * has the folder's lock. */
static bool mps_watch_begin(struct mps_folder *folder, int ranks)
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

/* Without messages: the program says what is wrong with settings. */
static bool is_wanted(void)
{
    bool are_faulty;
    const struct settings *const wanted = settings_copied(&are_faulty);
    return wanted->mps && wanted->offload != OFFLOAD_NEVER && device_sharing_sharers_foreseen() > 1 &&
           !mps_daemon_answers(mps_daemon_folder());
}

/* So that the ranks do not try one after the other. */
static bool has_failed(const struct mps_folder *folder, bool now)
{
    char path[PATH_MAX];
    struct stat mark;
    snprintf(path, sizeof path, "%.*s/failed", PATH_MAX - 8, folder->path);
    if (now)
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    return stat(path, &mark) == 0;
}

static void start_mps(struct mps_folder *folder, const char *program)
{
    if (has_failed(folder, false))
        return;
    if (mps_process_start(program, folder)) {
        mps_process_name(folder);
        return;
    }
    has_failed(folder, true);
    fprintf(stderr, "mublas run: %s does not start MPS; ranks take turns on the device\n", program);
}

static void lock_again(const struct mps_folder *folder)
{
    while (flock(folder->lock, LOCK_EX) != 0 && errno == EINTR)
        continue;
}

/* In the open folder, which stays while this rank runs: other ranks go on while a service starts. `program` starts
 * MPS; NULL: it is not wanted, or not installed. */
static void start(struct mps_folder *folder, bool wants_service, const char *program)
{
    const struct mps_rank self = {getpid(), process_started(getpid())};
    const bool is_first = folder->watcher >= 0;
    if (!mps_folder_add(folder, &self))
        return;
    if (is_first && !mps_watch_begin(folder, local_rank()->ranks)) {
        mps_folder_remove(folder);
        return;
    }
    if (wants_service) {
        flock(folder->lock, LOCK_UN);
        if (service_start(folder->path))
            return;
        lock_again(folder);
    }
    if (program)
        start_mps(folder, program);
}

void sharing_begin(bool gets_calls)
{
    char program[PATH_MAX];
    struct launcher_process found;
    struct mps_folder folder;
    const char *fault;
    const bool wants_service = gets_calls && service_is_wanted(), wants_mps = is_wanted() && mps_daemon_program(program);
    if ((!wants_service && !wants_mps) || !launcher_process_find(local_rank()->variable, &found))
        return;
    const struct mps_rank launcher = {found.process, found.started};
    if (!mps_folder_open(&folder, &launcher, &fault)) {
        if (fault)
            fprintf(stderr, "mublas run: %s is not started: %s\n", wants_service ? "a service" : "MPS", fault);
        return;
    }
    if (folder.watcher >= 0)
        mps_folder_sweep(mps_process_end);
    start(&folder, wants_service, wants_mps ? program : NULL);
    mps_folder_close(&folder);
}
