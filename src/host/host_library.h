/* host_library.h - a library that has BLAS or LAPACK: how it is told from mublas, where its routines are,
 * and which calls come from inside it. Thread-safe. */
#ifndef MUBLAS_HOST_LIBRARY_H
#define MUBLAS_HOST_LIBRARY_H

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

/* The search for a library holds no lock and changes nothing. */

/* The name of a symbol by which every library that mublas makes is recognised. */
#define HOST_LIBRARY_MARKER "mublas_interposes_blas"
/* And those that stand for libblas64.so.3. */
#define HOST_LIBRARY_WIDE_MARKER "mublas_takes_64_bits_by_plain_names"
/* The marker of liblapack.so.3 (lapack_passing.S) instead, which only passes routes on; a text: the name
 * by which the loader knows the LAPACK that it replaced. */
#define HOST_LIBRARY_PASSING_MARKER "mublas_passes_lapack_to"

/* A library found: how to look up its routines, what it is and how it was found. */
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

/* When all has been looked up: let the library that called be unloaded as the program likes. */
void host_library_release(struct host_library *library);

/* A host's CBLAS may call its own Fortran routines by their exported names, and those one another, which
 * comes to mublas again. Such nested calls are run, but not counted, since the program made one call. The
 * LAPACK in a host is not meant: its calls are counted. */

/* Code that lies from start to end belongs to a host. */
void nested_note_host(uintptr_t start, uintptr_t end);

/* True when the return address lies in a BLAS routine of a noted host, told by its name.
 * Thread-safe. */
bool nested_in_host(const void *caller);

/* Calls from outside [begin, begin + bytes) are in no host that is known: for thunks.S, which asks no more
 * of those. While another host becomes known a call may be told wrong, which costs a count. */
struct nested_hull {
    uintptr_t begin, bytes;
};
extern struct nested_hull nested_hull;

#endif
