/* host_paths.h - host BLAS libraries that are opened by their path or name: what
 * MUBLAS_HOST_BLAS and --with-host-blas say, what mublas took the place of, well-known names.
 *
 * Holds no lock; thread-safe. Not for constructors: dlopen may run other libraries' own. */
#ifndef MUBLAS_HOST_PATHS_H
#define MUBLAS_HOST_PATHS_H

#include "host/host_library.h"

/* The first of these that has `symbol`, an interface's sentinel, never mublas itself; with
 * `wide`, for a plain name, it must take 64-bit integers. A set or configured library that is
 * no BLAS or cannot be opened is logged, once. Of LAPACK's names the system's LAPACK comes after what was set
 * or configured. */
bool host_paths_search(const char *symbol, bool wide, struct host_library *library);

/* For an interface of 64-bit integers that nobody has: of what was set or configured, and
 * of libraries that are well known for it, the first whose plain names take them. Calls
 * into the libraries to find out. */
bool host_paths_search_plain(enum interface interface, struct host_library *library);

/* Say so, once, if MUBLAS_HOST_BLAS names a file that cannot be read, also where it is
 * not needed because the program brings a BLAS. */
void host_paths_check_setting(void);

#endif
