/* preload.h - the environment in which a program runs under the shim. */
#ifndef MUBLAS_PRELOAD_H
#define MUBLAS_PRELOAD_H

#include <stdbool.h>

/* The shim: beside this command's file, in .libs there (where the build leaves it), in the lib folders that go with
 * it (../lib, ../lib/MULTIARCH, ../lib64), so that a copied folder works; else where `make install` puts it. NULL:
 * there is none that can be preloaded, one line of complaint, which begins with `who`. Static storage. */
const char *preload_find_shim(const char *who);

/* Put the shim first in LD_PRELOAD of this process's environment, for the program that comes
 * by exec; huge_pages: with glibc's tunable for them, unless the user has set it, so that scans
 * are ten times cheaper and nothing is to be gathered later. False: out of memory. */
bool preload_set_environment(const char *shim, bool huge_pages);

#endif
