/* forwarding.h - the tables that stubs jump through: where calls go on that stay on the host, with their
 * counters, and the entries of offloaded symbols whose names do not tell the width of integers, one for each
 * width. */
#ifndef MUBLAS_FORWARDING_H
#define MUBLAS_FORWARDING_H

#include "host/host_blas.h"

/* The targets that counted calls jump to, by symbol; NULL: not known. forwarding.c fills them, thunks.S reads
 * them. */
extern host_function *counted_targets[SYMBOL_COUNT];

/* Count a forwarded call from the return address `caller`; where it goes on. For the counting stubs of
 * thunks.S. */
host_function *forwarding_count(enum symbol symbol, const void *caller);

/* Returns what host_blas_function does, for a call that goes on as if it had not passed its gate, counted if
 * calls are; in a few nanoseconds. To jump through forward_slots instead takes a sibling call, by which alone
 * thunks know the caller. */
host_function *forwarding_pass_on(enum symbol symbol, const void *caller);

/* SLOT_dgemv_, SLOT_cblas_dgemv, ...: the symbols whose names do not tell the width. */
enum entry_slot {
#define SLOT_32(symbol)
#define SLOT_64(symbol)
#define SLOT_DETECTED(symbol) SLOT_##symbol,
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#include "host/symbols.def"
#undef SLOT_32
#undef SLOT_64
#undef SLOT_DETECTED
    SLOT_COUNT
};

/* Returns the function in which a call from the return address `caller` goes on: asks its host for the width.
 * For the entering stubs of thunks.S. */
host_function *width_entries_enter(enum entry_slot slot, const void *caller);

#endif
