/* host_blas.h - finds and binds the host BLAS, and says which function serves each symbol. Thread-safe.
 *
 * Until a host BLAS is bound, and for ever where it lacks a routine, calls go to a resolver (thunks.S),
 * which asks host_blas_resolve and goes on with the call's arguments untouched; or the program stops with
 * one clear line. Each interface (interfaces.h) has its own host library: a wheel's scipy_ names live
 * elsewhere than libblas.so.3. The constructor only looks symbols up, in the tables of the objects that the
 * program was started with. When BLAS is not there (it comes in by dlopen, or MUBLAS_HOST_BLAS names it)
 * the first call binds. mublas never binds to itself. */
#ifndef MUBLAS_HOST_BLAS_H
#define MUBLAS_HOST_BLAS_H

#include "host/host_search.h"
#include "host/symbols.h"

#include <stdbool.h>

/* The function that serves all calls of a symbol; NULL: none is known, or each caller's own host does. */
host_function *known_function(enum symbol symbol);

/* A keeper of tables of what serves symbols. `serve`: this function serves the symbol from now on, or each
 * caller's own host does; neither: its library has gone. */
struct known_functions_listener {
    void (*serve)(enum symbol symbol, host_function *function, bool by_caller);
    void (*unbind)(enum interface interface);
};

/* Tell the listener of what is known already and of all that comes. Once, by the constructor. */
void known_functions_listen(const struct known_functions_listener *listener);

/* For the constructor. Asks the loader nothing and allocates nothing (invariant 5): the program's own
 * malloc may not be ready. */
void host_blas_bind_at_load(void);

/* True when the plain names have no BLAS in the program's search order: each caller then
 * gets its own (callers.h). */
bool host_blas_is_shared(enum interface interface);

/* The bound libraries, from number 0, of which there may be several where the interface is
 * shared; NULL after the last. Static storage. */
const struct host_library *host_blas_library(enum interface interface, int number);

/* Are all BLAS libraries that are bound by now Netlib's reference (host_library_is_reference), and is there one? */
bool host_blas_is_reference(void);

/* Say what host_paths_tell_unused says of the libraries that the program was started with: before any call of
 * the others' routines, whose libraries are looked at when they are bound. */
void host_blas_tell_unused(void);

/* The host's routine for a call with the return address `caller`, for the resolvers of
 * thunks.S. Binds where needed: next in the search order, then what the calling library
 * depends on, then a BLAS already loaded locally, then MUBLAS_HOST_BLAS, then the
 * configured default, then well-known names. A set or configured library that cannot be
 * used is logged in one line. Does not return when there is none: one line, then abort.
 * Thread-safe; holds no lock while it looks symbols up, because the loader's own lock
 * may be held by a thread that waits for this one. */
host_function *host_blas_resolve(enum symbol symbol, const void *caller);

/* Bind each interface that is bound by its path and has not been yet, while libraries can still be opened:
 * by its first call it may be too late. Says nothing where there is none to be found. */
void host_blas_bind_now(void);

/* The host's routine to call in the caller's stead. */
host_function *host_blas_function(enum symbol symbol, const void *caller);

/* The width of the integers that the host takes by this interface's names.
 * WIDTH_DETECTED: it does not tell, or callers have hosts that differ. Asks the library (symbols.h), once, if
 * the name does not settle it; so never in a constructor. */
enum integer_width host_blas_width(enum interface interface);

#endif
