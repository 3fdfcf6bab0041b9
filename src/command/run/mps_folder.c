#include "command/run/run.h"
#include "common/launcher.h"
#include "common/text.h"
#include "gpu/device_sharing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char not_ours[] = "is not a folder of this user alone";

/* 0, or the reason as errno has it. */
static int try_room(const char *folder, off_t bytes)
{
    char path[PATH_MAX];
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    if (snprintf(path, sizeof path, "%s/room", folder) >= (int)sizeof path)
        return ENAMETOOLONG;
    const int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return errno;
    sigaction(SIGXFSZ, &ignored, &before); /* a limit of files is another matter */
    const int reason = posix_fallocate(file, 0, bytes);
    sigaction(SIGXFSZ, &before, NULL);
    close(file);
    unlink(path);
    return reason == ENOSPC || reason == EDQUOT ? reason : 0;
}

int private_folder_make(const char *path, off_t bytes, bool *made)
{
    *made = mkdir(path, 0700) == 0;
    const int folder = *made || errno == EEXIST ? private_folder_open(path) : -1;
    if (folder < 0)
        return errno;
    close(folder);
    return *made ? try_room(path, bytes) : 0;
}

static int open_file(int folder, const char *name)
{
    const int flags = O_CREAT | O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
    const int file = openat(folder, name, flags, 0600);
    if (file >= 0 && !private_file_is(file, S_IFREG)) {
        close(file);
        return -1;
    }
    return file;
}

/* Whoever has the lock of a folder may have removed it. */
static bool is_still_there(int file)
{
    struct stat state;
    return fstat(file, &state) == 0 && state.st_nlink > 0;
}

static bool wait_for_lock(int file)
{
    while (flock(file, LOCK_EX) != 0)
        if (errno != EINTR)
            return false;
    return is_still_there(file);
}

/* The other files are made by who has the lock. */
static bool open_rest(struct mps_folder *folder, int at)
{
    folder->ranks = open_file(at, "ranks");
    folder->watcher = open_file(at, "watcher");
    if (folder->ranks < 0 || folder->watcher < 0)
        return false;
    if (flock(folder->watcher, LOCK_EX | LOCK_NB) != 0) {
        close(folder->watcher);
        folder->watcher = -1;
    }
    return (mkdirat(at, "pipe", 0700) == 0 || errno == EEXIST) &&
           (mkdirat(at, "log", 0700) == 0 || errno == EEXIST);
}

/* In the open folder. False, and nothing open: it went away, or has other files. */
static bool take_folder(struct mps_folder *folder, int at)
{
    folder->ranks = folder->watcher = -1;
    folder->lock = open_file(at, "lock");
    if (folder->lock >= 0 && wait_for_lock(folder->lock) && open_rest(folder, at))
        return true;
    mps_folder_close(folder);
    return false;
}

bool mps_folder_open(struct mps_folder *folder, const struct mps_rank *launcher, const char **fault)
{
    enum { TRIES = 20 };
    static char text[PATH_MAX + 64];
    *fault = NULL;
    const int length =
        snprintf(folder->path, sizeof folder->path, "%s/" MPS_JOB_FOLDER "%lu.%ld.%llx", private_folder_place(),
                 (unsigned long)geteuid(), (long)launcher->process, launcher->begun);
    if (length >= (int)sizeof folder->path)
        return false;
    for (int i = 0; i < TRIES; i++) {
        const bool made = mkdir(folder->path, 0700) == 0;
        if (!made && errno != EEXIST)
            return false;
        const int at = private_folder_open(folder->path);
        if (at < 0 && errno == ENOENT)
            continue; /* it was removed meanwhile */
        const bool taken = at >= 0 && take_folder(folder, at);
        if (at < 0) {
            snprintf(text, sizeof text, "%s %s", folder->path, not_ours);
            *fault = text;
            return false;
        }
        close(at);
        if (taken)
            return true;
    }
    return false;
}

bool mps_folder_lock_again(struct mps_folder *folder)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/lock", folder->path);
    close(folder->lock);
    folder->lock = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
    return folder->lock >= 0;
}

bool mps_folder_add(struct mps_folder *folder, const struct mps_rank *rank)
{
    return write(folder->ranks, rank, sizeof *rank) == (ssize_t)sizeof *rank;
}

struct mps_rank *mps_folder_ranks(const struct mps_folder *folder, int *count)
{
    struct stat state;
    *count = 0;
    if (fstat(folder->ranks, &state) != 0 || state.st_size < (off_t)sizeof(struct mps_rank))
        return NULL;
    struct mps_rank *const ranks = malloc((size_t)state.st_size);
    const ssize_t got = ranks ? pread(folder->ranks, ranks, (size_t)state.st_size, 0) : 0;
    *count = got > 0 ? (int)((size_t)got / sizeof *ranks) : 0;
    return ranks;
}

void mps_folder_close(struct mps_folder *folder)
{
    int *const files[] = {&folder->ranks, &folder->watcher, &folder->lock};
    if (folder->lock >= 0)
        flock(folder->lock, LOCK_UN); /* another process may still have the file for a moment */
    for (int i = 0; i < 3; i++) {
        if (*files[i] >= 0)
            close(*files[i]);
        *files[i] = -1;
    }
}

static int remove_one(const char *path, const struct stat *state, int kind, struct FTW *at)
{
    (void)state, (void)kind, (void)at;
    remove(path);
    return 0;
}

void private_folder_remove(const char *path)
{
    enum { FILES_AT_ONCE = 8 };
    nftw(path, remove_one, FILES_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}

void mps_folder_remove(const struct mps_folder *folder)
{
    private_folder_remove(folder->path);
}

/* Nobody may be about to use it: its launcher is gone. */
static bool is_left(const char *name, const char *prefix)
{
    long process;
    unsigned long long begun;
    return strncmp(name, prefix, strlen(prefix)) == 0 &&
           sscanf(name + strlen(prefix), "%ld.%llx", &process, &begun) == 2 &&
           process_started((pid_t)process) != begun;
}

static void sweep_one(const char *folder_place, const char *name,
                      void (*end)(const struct mps_folder *folder))
{
    struct mps_folder folder;
    if (snprintf(folder.path, sizeof folder.path, "%s/%s", folder_place, name) >= (int)sizeof folder.path)
        return;
    const int at = private_folder_open(folder.path);
    if (at < 0)
        return;
    if (take_folder(&folder, at)) {
        if (folder.watcher >= 0) {
            end(&folder);
            mps_folder_remove(&folder);
        }
        mps_folder_close(&folder);
    }
    close(at);
}

void mps_folder_sweep(void (*end)(const struct mps_folder *folder))
{
    char prefix[64];
    const char *const folder_place = private_folder_place();
    DIR *const all = opendir(folder_place);
    snprintf(prefix, sizeof prefix, MPS_JOB_FOLDER "%lu.", (unsigned long)geteuid());
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (is_left(entry->d_name, prefix))
            sweep_one(folder_place, entry->d_name, end);
    if (all)
        closedir(all);
}

void private_folders_remove_left(const char *folder_place, const char *prefix)
{
    char path[PATH_MAX];
    DIR *const all = opendir(folder_place);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        if (!is_left(entry->d_name, prefix) ||
            snprintf(path, sizeof path, "%s/%s", folder_place, entry->d_name) >= (int)sizeof path)
            continue;
        const int folder = private_folder_open(path);
        if (folder >= 0)
            private_folder_remove(path);
        if (folder >= 0)
            close(folder);
    }
    if (all)
        closedir(all);
}
