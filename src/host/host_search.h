/* host_search.h - the program's host libraries, which have BLAS or LAPACK: how one is told from mublas,
 * opened and released, where its routines are, which calls come from inside it, and where one is searched
 * for. All functions are thread-safe. */
#ifndef MUBLAS_HOST_SEARCH_H
#define MUBLAS_HOST_SEARCH_H

#include "common/loader.h"
#include "host/symbols.h"

#include <stdbool.h>
#include <stdint.h>

/* Code before main must not ask the loader (common/loader.h). So mublas notes the objects that the program
 * was started with behind this library in its search order, the order in which dl_iterate_phdr shows them.
 * An object that a constructor has opened by dlopen stands behind, may be nobody's but its own and may go
 * again. One sign tells it: no object before it asks for it by name. */

/* The first of them that defines the name, as object_symbols_find says; NULL: none does, or what does is
 * not of the start. */
const struct object_symbols *start_objects_find(const char *name, const void **address);

/* Did this library come with the start of the program, and not by dlopen? */
bool start_objects_have_own(void);

/* The name of a symbol by which every library that mublas makes is recognised. */
#define HOST_LIBRARY_MARKER "mublas_interposes_blas"
/* And those that stand for libblas64.so.3. */
#define HOST_LIBRARY_WIDE_MARKER "mublas_takes_64_bits_by_plain_names"
/* The marker of liblapack.so.3 (lapack_passing.S) instead, which only passes routes on; a text: the name
 * by which the loader knows the LAPACK that it replaced. */
#define HOST_LIBRARY_PASSING_MARKER "mublas_passes_lapack_to"

/* A library found: how to look up its routines, what it is and how it was found. The functions that find one
 * hold no lock and change nothing. */
struct host_library {
    void *handle;       /* for dlsym; RTLD_NEXT for the program's own search order */
    const char *path;   /* of the object that defines the symbol searched for; never freed */
    const char *origin; /* a phrase for people, static */
    uintptr_t start, end; /* its code, known not to be mublas */
    bool is_callers;      /* `handle` keeps the library that called: host_library_release */
};

/* True when another library of mublas comes before this one in the search order, as
 * when the shim is preloaded into a program linked with libmublas.so. That one does all
 * the work; this one neither offloads nor reports, and passes the calls that reach it
 * past the other (by a handle, or since it is the other's host's host) to its own host. */
bool host_library_stands_behind(void);

/* Is another library of mublas loaded besides this one? It may have a host of its own. */
bool host_library_has_company(void);

/* For the constructor: note the objects that the program was started with (start_objects_find). */
void host_library_note_start(void);

/* The next BLAS after mublas in that, by the tables of these objects alone: nothing is asked of the
 * loader, allocated or left behind. The library found stays loaded. False: none there. `library` has no
 * handle, and its routines are found by the second of these; NULL where it is to be asked for later. */
bool host_library_at_start(const char *symbol, struct host_library *library);
host_function *host_library_start_function(const struct host_library *library, const char *symbol);

/* A routine of the library, NULL if it lacks it or only mublas itself answers. */
host_function *host_library_function(const struct host_library *library, const char *symbol);

/* Does `handle` answer for the symbol? Fills in the library, with the bounds of the code that has it. */
bool host_library_in(void *handle, const char *symbol, const char *origin, struct host_library *library);
bool host_library_next_in_order(const char *symbol, struct host_library *library); /* by RTLD_NEXT */

/* Is it Netlib's reference BLAS, which is many times slower than others? Told by the symbols of its object, without
 * the loader: it has the reference's helpers and no name that optimised libraries have besides. */
bool host_library_is_reference(const struct host_library *library);

/* When all has been looked up: let the library that called be unloaded as the program likes. */
void host_library_release(struct host_library *library);

/* A host's CBLAS may call its own Fortran routines by their exported names, and those one another, which
 * comes to mublas again. Such nested calls are run, but not counted, since the program made one call. The
 * LAPACK in a host is not meant: its calls are counted. */

/* Code that lies from start to end belongs to a host. */
void nested_note_host(uintptr_t start, uintptr_t end);

/* True when the return address lies in a BLAS routine of a noted host, told by its name. */
bool nested_in_host(const void *caller);

/* Calls from outside [begin, begin + bytes) are in no host that is known: for thunks.S, which asks no more
 * of those. While another host becomes known a call may be told wrong, which costs a count. */
struct nested_hull {
    uintptr_t begin, bytes;
};
extern struct nested_hull nested_hull;

/* The places that a host BLAS may come from, in the order of preference, and the libraries
 * that are opened by their path or name: those of MUBLAS_HOST_BLAS and --with-host-blas, the one that
 * mublas took the place of, well-known names.
 *
 * This search holds no lock and changes nothing but loaded libraries. Constructors must not search by path:
 * dlopen may run other libraries' own. */

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

/* Say so, once, if MUBLAS_HOST_BLAS names a library and this one serves calls of the interface in its place,
 * since the program brings it. */
void host_paths_tell_unused(enum interface interface, const struct host_library *used);

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
