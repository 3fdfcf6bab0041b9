/* preload.h - the environment in which a program runs under the shim. */
#ifndef MUBLAS_PRELOAD_H
#define MUBLAS_PRELOAD_H

#include <stdbool.h>

/* The shim beside this command as the build leaves it, else where `make install` puts it.
 * NULL: nowhere. Static storage. */
const char *preload_find_shim(void);

/* Put the shim first in LD_PRELOAD of this process's environment, for the program that comes
 * by exec; huge_pages: with glibc's tunable for them, unless the user has set it, so that scans
 * are ten times cheaper and nothing is to be gathered later. False: out of memory. */
bool preload_set_environment(const char *shim, bool huge_pages);

#endif
