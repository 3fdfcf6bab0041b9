/* preload.h - the environment in which a program runs under the shim. */
#ifndef MUBLAS_PRELOAD_H
#define MUBLAS_PRELOAD_H

#include <stdbool.h>

/* Finds the shim beside this command's file, in .libs there (where the build leaves it) or in the lib folders
 * that go with it (../lib, ../lib/MULTIARCH, ../lib64), so that a copied folder works; else where `make
 * install` puts it. Static storage. NULL, and one line that begins with `who`: there is none that can be
 * preloaded. */
const char *preload_find_shim(const char *who);

/* Puts the shim first in LD_PRELOAD of this process's environment, for the program that it becomes by exec.
 * `huge_pages`: sets glibc's tunable for them, unless the user has set it; scans of memory are ten times
 * cheaper then. False: out of memory. */
bool preload_set_environment(const char *shim, bool huge_pages);

#endif
