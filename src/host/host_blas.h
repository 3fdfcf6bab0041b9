/* host_blas.h - finds and binds the host BLAS, and says which function serves each symbol. Thread-safe.
 *
 * Until a host BLAS is bound, and for ever where it lacks a routine, calls go to a resolver (thunks.S),
 * which asks host_blas_resolve and goes on with the call's arguments untouched; or the program stops with
 * one clear line. Each interface (symbols.def) has its own host library: a wheel's scipy_ names live
 * elsewhere than libblas.so.3. The constructor only looks symbols up, in the tables of the objects that the
 * program was started with. When BLAS is not there (it comes in by dlopen, or MUBLAS_HOST_BLAS names it)
 * the first call binds. mublas never binds to itself. */
#ifndef MUBLAS_HOST_BLAS_H
#define MUBLAS_HOST_BLAS_H

#include "host/host_search.h"
#include "host/symbols.h"
#include "host/thunks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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
 * gets its own (callers.c). */
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

/* Run `call`, of level 3, which mublas made up as a step of a larger one, on the host BLAS that serves calls
 * of `symbol` from `caller`, by the Fortran names that go with symbol's. Pointers are of host memory. False
 * for another call. */
bool host_level3_run(enum symbol symbol, const void *caller, const struct blas_call *call);

/* The width of the integers that the host takes by this interface's names.
 * WIDTH_DETECTED: it does not tell, or callers have hosts that differ. Asks the library (symbols.h), once, if
 * the name does not settle it; so never in a constructor. */
enum integer_width host_blas_width(enum interface interface);

/* The host BLAS that serves a caller (callers.c), and the program's libraries while they are loaded
 * (loaded_object.c): word of their unloading, host libraries that are kept, and the libraries that call BLAS,
 * each with its host. */

/* A host library stays loaded while mublas knows of it. A reference is enough, but for a library that is
 * being unloaded already, as when a plug-in's first call comes from its destructor. Such a library goes
 * whatever is done, and its retainer has to forget it then.
 *
 * The retaining functions wait for the loader only, those of calling objects for nobody: another thread may
 * be gone in a fork child. */

/* To be called when code from `start` to `end` goes after all; the loader's lock is held. */
typedef void retained_forget(uintptr_t start, uintptr_t end);

/* Keep the library, and the one that a function of it really comes from if that is another
 * and nobody else may keep it. */
void retained_keep(const struct host_library *library, retained_forget *forget);
void retained_keep_origin(const struct host_library *library, host_function *function,
                          retained_forget *forget);

/* The loaded libraries that call BLAS, and the host that serves each.
 *
 * All that is kept of a calling library, here and in callers.c, must go when the library does: another one,
 * which means another host, may be loaded to the same addresses. A library of whose unloading no word will
 * come is not kept at all: each of its calls is looked up anew. */
struct calling_object {
    uintptr_t start, end; /* of its code; 0, 0: none */
    int number;           /* of its host, -1: not known */
};

/* The object that the return address lies in, if it is kept, with its host for this interface:
 * it may take its Fortran and its C names from different libraries. Takes no lock: what a fork
 * child of a program with threads does not find here it looks up by dlopen, which may fail it. */
struct calling_object calling_objects_find(uintptr_t caller, enum interface interface);

/* Keep the object that the return address lies in, whose host for this interface is `number`.
 * `end` is 0 when it cannot be kept, or not while it is being unloaded; `start` as well when
 * the address is in no object, such as code made at run time. `forget` is called when the
 * object is about to be unloaded, maybe several times and at other times, with the loader's
 * lock held: it must not wait. */
struct calling_object calling_objects_keep(uintptr_t caller, enum interface interface, int number,
                                           void (*forget)(uintptr_t start, uintptr_t end));

/* Nobody has this host any more. Waits for nobody. */
void calling_objects_forget_host(int number);

/* The plain names need a search by caller where no BLAS is in the program's search order but libraries loaded
 * with RTLD_LOCAL, such as Python's extensions, each bring their own: possibly different ones, even of
 * different integer width, by the same names. The caller's dependencies tell which it means. The library that
 * was met first serves a caller that has none, such as one that passes pointers on by a tail call.
 *
 * These shared hosts are known by numbers below HOSTS_MAX. The functions from here on hold no lock while
 * they look symbols up. */

/* FILLED: by some thread just now. GONE: unloaded, and free for another. */
enum host_state { HOST_FILLED, HOST_PRESENT, HOST_GONE };

struct host {
    atomic_int state;
    struct host_library library;
    atomic_bool serves[INTERFACE_COUNT];    /* some caller by these names */
    atomic_int widths[INTERFACE_COUNT];     /* enum integer_width + 1 once known, 0 before */
    /* Routines of the DETECTED interfaces; NULL: for other interfaces, or if the library lacks it. */
    host_function *functions[SYMBOL_COUNT];
};

/* The loaded hosts that serve anybody by this interface's names, numbered from 0; NULL after the last. */
const struct host *shared_hosts_loaded(enum interface interface, int number);

/* The integer width of all hosts of this interface so far, WIDTH_DETECTED if they differ or do
 * not tell. Asks them where that is not known. */
enum integer_width shared_hosts_width(enum interface interface);

/* Read by dispatch_thunks: the return addresses of calls, each at its place for the symbol that
 * is called (thunks.h), and what serves it. A target is there before a site is, and never
 * changes: whoever has read any site of an entry may jump to the target. */
struct call_table {
    _Atomic uintptr_t sites[CALL_TABLE_LENGTH];
    host_function *_Atomic targets[CALL_TABLE_LENGTH];
};
extern struct call_table call_table;
_Static_assert(offsetof(struct call_table, targets) == CALL_TARGETS, "as thunks.S has it");
_Static_assert(SYMBOL_COUNT <= 1 << CALL_SYMBOL_BITS, "each symbol needs a number of its own");

/* Read by dispatch_thunks for calls whose place has another target: a word holds a return
 * address and, above it, the number of the host whose table in dispatch_tables serves it, if there is
 * something there for the symbol. */
extern _Atomic uint64_t caller_cache[CALLER_CACHE_MASK / 8 + 1];
extern host_function **dispatch_tables[HOSTS_MAX];

/* The function that serves a call by this symbol from the return address `caller`, and the caller's host.
 * NULL: neither the host nor what the caller is linked with has it; or, with no host, there
 * is no BLAS to be found at all. */
host_function *callers_function(enum symbol symbol, const void *caller, struct host **host);

/* The function that dispatch_thunks would jump to by call_table; NULL: they would look further. */
host_function *callers_noted(enum symbol symbol, const void *caller);

/* A library in the dependencies of the caller's own that has `symbol`; to be released. */
bool callers_search(const char *symbol, const void *caller, struct host_library *library);

#endif
