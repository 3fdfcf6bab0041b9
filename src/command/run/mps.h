/* mps.h - NVIDIA's MPS for a parallel job, without which the ranks on a device take turns, and the job's
 * folder. */
#ifndef MUBLAS_MPS_H
#define MUBLAS_MPS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The folder has MPS's pipes and logs, the ranks that use it, and the lock by which one of them starts it.
 * XDG_RUNTIME_DIR holds it, where that is the user's alone, or /tmp does; user and launcher name it, so that
 * all ranks of a launch on one machine find the same. One that is not a folder of this user and nobody else's
 * is refused: links are not followed. */
struct mps_folder {
    char path[PATH_MAX];
    int lock;    /* held by who has the struct */
    int ranks;   /* the list of ranks */
    int watcher; /* -1: another process watches; else the lock of who does, to be given to one */
};

/* A process, and when it began, since numbers come again. */
struct mps_rank {
    pid_t process;
    unsigned long long begun; /* in the kernel's ticks since it was booted */
};

/* Open, or make, the folder of the launcher's ranks on this machine, and wait for its lock. False: *fault is
 * why not, in words, or NULL where there is nothing to say. */
bool mps_folder_open(struct mps_folder *folder, const struct mps_rank *launcher, const char **fault);

/* A child's own way to the lock, which it does not have: what it inherited is its parent's. */
bool mps_folder_lock_again(struct mps_folder *folder);

/* One more rank. */
bool mps_folder_add(struct mps_folder *folder, const struct mps_rank *rank);

/* The ranks that were added, to be freed; NULL: out of memory, or none. */
struct mps_rank *mps_folder_ranks(const struct mps_folder *folder, int *count);

/* Give the lock, the other files too. */
void mps_folder_close(struct mps_folder *folder);

/* All that is in it, and it. With the lock. */
void mps_folder_remove(const struct mps_folder *folder);

/* End by `end` what runs in folders that are nobody's any more, since those who watched were killed, and
 * remove them. */
void mps_folder_sweep(void (*end)(const struct mps_folder *folder));

/* For `mublas run`, about to become the program: where its launcher's ranks share a device, MPS is installed
 * and nobody runs it, let the job have it, and tell the program's environment. The first rank on the machine
 * starts it in the job's folder. A process aside watches both, and removes them after the last rank. Changes
 * nothing of the machine. Says one line where the folder cannot be trusted or MPS does not start; else
 * nothing. */
void mps_begin(void);

#endif
