/* callers.h - finds the host BLAS that serves a caller.
 *
 * The plain names need this where no BLAS is in the program's search order but libraries loaded with
 * RTLD_LOCAL, such as Python's extensions, each bring their own: possibly different ones, even of different
 * integer width, by the same names. The caller's dependencies tell which it means. The library that was met
 * first serves a caller that has none, such as one that passes pointers on by a tail call.
 *
 * These shared hosts are known by numbers below HOSTS_MAX. All functions are thread-safe, and hold no lock
 * while they look symbols up. */
#ifndef MUBLAS_CALLERS_H
#define MUBLAS_CALLERS_H

#include "host/loaded_object.h"
#include "host/thunks.h"

#include <stdatomic.h>

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
