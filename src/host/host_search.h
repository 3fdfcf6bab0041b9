/* host_search.h - the places that a host BLAS may come from, in the order of preference, and the libraries
 * that are opened by their path or name: those of MUBLAS_HOST_BLAS and --with-host-blas, the one that
 * mublas took the place of, well-known names.
 *
 * The search holds no lock and changes nothing but loaded libraries; it is thread-safe. Constructors must
 * not search by path: dlopen may run other libraries' own. */
#ifndef MUBLAS_HOST_SEARCH_H
#define MUBLAS_HOST_SEARCH_H

#include "host/host_library.h"

/* The first library opened by its path or name that has `symbol`, an interface's sentinel, never mublas
 * itself; with `wide`, for a plain name, it must take 64-bit integers. A set or configured library that is
 * no BLAS or cannot be opened is logged, once. The system's LAPACK comes after a set or configured library,
 * for LAPACK's names. */
bool host_paths_search(const char *symbol, bool wide, struct host_library *library);

/* For an interface of 64-bit integers that nobody has: of what was set or configured, and
 * of libraries that are well known for it, the first whose plain names take them. Calls
 * into the libraries to find out. */
bool host_paths_search_plain(enum interface interface, struct host_library *library);

/* Say so, once, if MUBLAS_HOST_BLAS names a file that cannot be read, also where it is
 * not needed because the program brings a BLAS. */
void host_paths_check_setting(void);

/* True in libmublas.so, which is what the program links as its BLAS: what comes after
 * it in the search order is then no choice of anybody's, and a host BLAS is bound by its
 * path alone: set, configured, or well known. False in the shim. */
extern bool host_search_by_path;
/* Is it so for this name? LAPACK's are found in the search order always. */
bool host_search_is_by_path(const char *symbol);

/* True in libblas64.so.3: programs mean 64-bit integers by plain names, and of libraries that
 * have plain names only those that take them are a host. */
extern bool host_search_wide;

/* For calls before all constructors, when dlopen would run those, without the environment: what the program
 * was started with has by that name next in the search order, NULL if nothing. */
host_function *host_search_early(const char *symbol);

/* host_library_at_start, but where host_search_is_by_path. */
bool host_search_at_start(const char *symbol, struct host_library *library);

/* The next BLAS after mublas in the program's search order. False: none there now, or
 * host_search_by_path. Asks the loader: not in a constructor. */
bool host_search_next(const char *symbol, struct host_library *library);

/* The same, then any BLAS that the program loaded for itself (RTLD_LOCAL). False where
 * host_search_by_path. */
bool host_search_program(const char *symbol, struct host_library *library);

/* The same, then a library that was set or configured, then well-known names: the first that has `symbol`.
 * A set or configured one that cannot be used is logged. Libraries that the program loaded come last instead
 * of first if host_search_by_path, and not at all if host_search_wide, or if libblas64.so.3 of mublas stands
 * behind; but a LAPACK of the program's comes first always. `symbol` is an interface's sentinel. */
bool host_search(const char *symbol, struct host_library *library);

/* True when plain names mean 64-bit integers to who looks them up by this handle (RTLD_NEXT:
 * the program), since what answers for `symbol` is mublas' libblas64.so.3. False for other names. */
bool host_search_means_wide(void *handle, const char *symbol);

#endif
