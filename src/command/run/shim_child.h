/* shim_child.h - the environment of programs under the shim, and this command again as such a process, whose
 * calls are treated as those of programs. For one thread at a time. */
#ifndef MUBLAS_SHIM_CHILD_H
#define MUBLAS_SHIM_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Finds the shim beside this command's file, in .libs there (where the build leaves it) or in the lib folders
 * that go with it (../lib, ../lib/MULTIARCH, ../lib64), so that a copied folder works; else where `make
 * install` puts it. Static storage. NULL, and one line that begins with `who`: there is none that can be
 * preloaded. */
const char *preload_find_shim(const char *who);

/* Puts the shim first in LD_PRELOAD of this process's environment, for the program that it becomes by exec.
 * `huge_pages`: sets glibc's tunable for them, unless the user has set it; scans of memory are ten times
 * cheaper then. False: out of memory. */
bool preload_set_environment(const char *shim, bool huge_pages);

/* A routine's row in a program's report (MUBLAS_REPORT). */
struct offload_row {
    unsigned long long calls, on_device, on_host;
    char reason[96]; /* the first one why a call stayed on the host; "": none */
};

/* Finds a routine's row by its name in the report ("dsymv", "total"). False: there is no such row or file. */
bool offload_report_row(const char *path, const char *routine, struct offload_row *row);

/* The resolved path of the program's host BLAS. False: the report does not say it. */
bool offload_report_host(const char *path, char *host, size_t bytes);

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
