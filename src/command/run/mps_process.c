#include "command/run/mps_process.h"
#include "gpu/mps_daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

bool mps_process_name(const struct mps_folder *folder)
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

void mps_process_keep_files(int *const *kept, int count)
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

bool mps_process_start(const char *program, const struct mps_folder *folder)
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

void mps_process_end(const struct mps_folder *folder)
{
    if (!answers(folder))
        return;
    ask_to_end(folder);
    if (!await(folder, false, END_MS))
        kill_daemon(folder);
}
