/* callers.h - which host BLAS serves which caller.
 *
 * Needed for the plain names, where no BLAS is in the program's search order but
 * libraries loaded with RTLD_LOCAL, such as Python's extensions, each bring their own:
 * possibly different ones, even of different integer width, by the same names. The
 * caller's dependencies tell which it means. A caller that has none, such as one that
 * passes pointers on by a tail call, is served by the library that was met first.
 * Thread-safe; holds no lock while it looks symbols up. */
#ifndef MUBLAS_CALLERS_H
#define MUBLAS_CALLERS_H

#include "host/shared_hosts.h"

#include <stdatomic.h>

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

/* What serves a call by this symbol from the return address `caller`, and the caller's host.
 * NULL: neither the host nor what the caller is linked with has it; or, with no host, there
 * is no BLAS to be found at all. */
host_function *callers_function(enum symbol symbol, const void *caller, struct host **host);

/* What dispatch_thunks would jump to by call_table; NULL: they would look further. */
host_function *callers_noted(enum symbol symbol, const void *caller);

/* A library in the dependencies of the caller's own that has `symbol`; to be released. */
bool callers_search(const char *symbol, const void *caller, struct host_library *library);

#endif
