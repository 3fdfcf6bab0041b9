/* parallel_library.h - the host's ScaLAPACK for `mublas verify --parallel`, which opens it: the command is
 * linked with no MPI. Integers have 32 bits. */
#ifndef MUBLAS_VERIFY_PARALLEL_LIBRARY_H
#define MUBLAS_VERIFY_PARALLEL_LIBRARY_H

#include "host/symbols.h"
#include "scalapack/distribution.h"

#include <limits.h>
#include <stdint.h>

struct parallel_library {
    void *handle;
    char name[PATH_MAX];
};

/* Opens `files`, which has ScaLAPACK last behind the libraries that it needs and does not name, with colons
 * between; NULL: Debian's for the MPI whose launcher started this process. False after one line. */
bool parallel_library_open(const char *files, struct parallel_library *library);

/* Names of libraries with ScaLAPACK, from 0; NULL: there are no more. Those of other distributions and
 * vendors are among them. */
const char *parallel_library_known(int number);

/* The host's function, and mublas' in the shim that this process preloads. NULL: there is none. */
host_function *parallel_library_host(const struct parallel_library *library, const char *name);
host_function *parallel_library_shim(const char *name);

/* The grid of all processes, as square as they allow. */
struct parallel_grid {
    const struct parallel_library *library;
    int context, me;
    struct grid_place place;
};

/* Begins MPI, and makes the grid by way of mublas. False after one line: a function is missing. */
bool parallel_grid_open(const struct parallel_library *library, struct parallel_grid *grid);
void parallel_grid_close(const struct parallel_grid *grid); /* ends MPI */

/* Over all processes, which must all call. */
void parallel_grid_sum(const struct parallel_grid *grid, double *numbers, int64_t count);
double parallel_grid_largest(const struct parallel_grid *grid, double number);

#endif
