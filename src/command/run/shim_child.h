/* shim_child.h - runs this command again, as a process under the shim, whose calls are treated as those of
 * programs. For one thread at a time. */
#ifndef MUBLAS_SHIM_CHILD_H
#define MUBLAS_SHIM_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct shim_child {
    pid_t process;
    FILE *requests; /* its standard input */
    FILE *answers;  /* its standard output */
    char folder[64], report[80]; /* a folder of its own, and its report there */
};

struct shim_child_settings {
    const char *offload; /* MUBLAS_OFFLOAD */
    const char *tracking; /* MUBLAS_TRACKING; NULL: unchanged */
    const char *recipe;   /* MUBLAS_RECIPE; NULL: unchanged */
    const char *eigensolver; /* MUBLAS_EIGENSOLVER; NULL: unchanged */
    bool huge_pages;      /* as `mublas run` sets them */
};

/* Tries whether such a process can be started and finds a host BLAS, by the exit status of `command`
 * (TIMED_CALLS_COMMAND). False after one line of complaint. */
bool shim_child_possible(const char *who, const char *command);

/* Starts `mublas COMMAND ARGUMENT` (the argument may be NULL). False after one line that begins with
 * `who`. */
bool shim_child_start(struct shim_child *child, const struct shim_child_settings *child_settings,
                      const char *who, const char *command, const char *argument);

/* Closes its input and waits for its end. Returns waitpid's status. The report can be read until
 * shim_child_clean removes it. */
int shim_child_wait(struct shim_child *child);
void shim_child_clean(struct shim_child *child);

#endif
