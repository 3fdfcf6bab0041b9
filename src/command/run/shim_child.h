/* shim_child.h - this command once more, as a process under the shim: what it does there is
 * what programs get. One at a time uses its streams; not for threads. */
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
    char folder[64], report[80]; /* of its own, for MUBLAS_REPORT */
};

struct shim_child_settings {
    const char *offload; /* MUBLAS_OFFLOAD */
    const char *tracking; /* MUBLAS_TRACKING; NULL: as it is */
    const char *recipe;   /* MUBLAS_RECIPE; NULL: as it is */
    bool huge_pages;      /* as `mublas run` sets them */
};

/* Try whether there can be such a process, and whether it finds a host BLAS: `command` (TIMED_CALLS_COMMAND) says so by
 * its exit status. False: one line of complaint. */
bool shim_child_possible(const char *who, const char *command);

/* Start `mublas COMMAND ARGUMENT` (argument may be NULL). False: it cannot be, one line of
 * complaint, which begins with `who`. */
bool shim_child_start(struct shim_child *child, const struct shim_child_settings *child_settings, const char *who,
                      const char *command, const char *argument);

/* Close its input, wait for its end; its status as of waitpid. Its report can be read until
 * shim_child_clean removes it. */
int shim_child_wait(struct shim_child *child);
void shim_child_clean(struct shim_child *child);

#endif
