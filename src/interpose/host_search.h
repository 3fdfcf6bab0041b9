/* host_search.h - where a host BLAS may come from, in the order of preference.
 *
 * Holds no lock and changes nothing but loaded libraries; thread-safe. */
#ifndef MUBLAS_HOST_SEARCH_H
#define MUBLAS_HOST_SEARCH_H

#include "interpose/host_blas.h"

#include <stdbool.h>
#include <stdint.h>

/* The name of a symbol by which every library that mublas makes is recognised. */
#define HOST_SEARCH_MARKER "mublas_interposes_blas"
/* And those that stand for libblas64.so.3. */
#define HOST_SEARCH_WIDE_MARKER "mublas_takes_64_bits_by_plain_names"
/* The marker of liblapack.so.3 (lapack_passing.S) instead, which only passes routes on; a text: the name by which
 * the loader knows the LAPACK that it replaced. */
#define HOST_SEARCH_PASSING_MARKER "mublas_passes_lapack_to"

/* True in libmublas.so, which is what the program links as its BLAS: what comes after
 * it in the search order is then no choice of anybody's, and a host BLAS is bound by its
 * path alone: set, configured, or well known. False in the shim. */
extern bool host_search_by_path;
/* Is it so for this name? LAPACK's are found in the search order always. */
bool host_search_is_by_path(const char *symbol);

/* True in libblas64.so.3: programs mean 64-bit integers by plain names, and of libraries that
 * have plain names only those that take them are a host. */
extern bool host_search_wide;

/* A library found: how to look up its routines, what it is and how it was found. */
struct host_library {
    void *handle;       /* for dlsym; RTLD_NEXT for the program's own search order */
    const char *path;   /* of the object that defines the symbol searched for; never freed */
    const char *origin; /* a phrase for people, static */
    uintptr_t start, end; /* its code, known not to be mublas */
    bool is_callers;      /* `handle` keeps the library that called: host_search_release */
};

/* True when another library of mublas comes before this one in the search order, as
 * when the shim is preloaded into a program linked with libmublas.so. That one does all
 * the work; this one neither offloads nor reports, and passes the calls that reach it
 * past the other (by a handle, or since it is the other's host's host) to its own host. */
bool host_search_stands_behind(void);

/* For calls before all constructors, when dlopen would run those, without the environment: what the program
 * was started with has by that name next in the search order, NULL if nothing. */
host_function *host_search_early(const char *symbol);

/* For the constructor: note what the program was started with (start_objects.h). */
void host_search_begin(void);

/* The next BLAS after mublas in that, by the tables of these objects alone: nothing is asked of the loader, allocated or
 * left behind. What is found stays loaded. False: none there, or host_search_by_path. `library` then has no
 * handle, and its routines are found by the second of these; NULL where it is to be asked for later. */
bool host_search_at_start(const char *symbol, struct host_library *library);
host_function *host_search_start_function(const struct host_library *library, const char *symbol);

/* The next BLAS after mublas in the program's search order. False: none there now, or
 * host_search_by_path. Asks the loader: not in a constructor. */
bool host_search_next(const char *symbol, struct host_library *library);

/* The same, then any BLAS that the program loaded for itself (RTLD_LOCAL). False where
 * host_search_by_path. */
bool host_search_program(const char *symbol, struct host_library *library);

/* The same, then a library that was set or configured, then well-known names: the
 * first that has `symbol`. A set or configured one that cannot be used is logged.
 * Where host_search_by_path, what the program loaded comes last instead of first, and where
 * host_search_wide, or libblas64.so.3 of mublas stands behind, not at all; but a LAPACK of the program's comes
 * first always. `symbol` is an interface's sentinel. */
bool host_search(const char *symbol, struct host_library *library);

/* A routine of the library, NULL if it lacks it or only mublas itself answers. */
host_function *host_search_function(const struct host_library *library, const char *symbol);

/* True when plain names mean 64-bit integers to who looks them up by this handle (RTLD_NEXT:
 * the program), since what answers for `symbol` is mublas' libblas64.so.3. False for other names. */
bool host_search_means_wide(void *handle, const char *symbol);

/* Does `handle` answer for the symbol? Fills in the library. */
bool host_search_in(void *handle, const char *symbol, const char *origin, struct host_library *library);

/* Fill in the bounds and the file name of the object that `inside` lies in. */
void host_search_describe(struct host_library *library, const void *inside);

/* When all has been looked up: let the library that called be unloaded as the program likes. */
void host_search_release(struct host_library *library);

#endif
