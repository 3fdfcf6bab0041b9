/* slots.h - the tables that the stubs of forward.S jump through, which may always be jumped through.
 *
 * forward_slots, by symbol: to the host's own entry points, or to counting stubs (thunks.S) when a report
 * was asked for or it is not known yet whether it was, or to the resolvers of host/thunks.h. entry_slots,
 * for calls past their gate in the interfaces whose names do not tell the integer width: to the entries of
 * the width that the host turned out to have. */
#ifndef MUBLAS_SLOTS_H
#define MUBLAS_SLOTS_H

#include "host/host_blas.h"

extern host_function *forward_slots[SYMBOL_COUNT];

/* SLOT_dgemv_, SLOT_cblas_dgemv, ...: the offloaded symbols of such interfaces. */
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

/* First a thunk that calls slots_enter. */
extern host_function *entry_slots[SLOT_COUNT];

/* Where this call goes on; sets the slots of the interface once its host is known.
 * `caller` is the call's return address. */
host_function *slots_enter(enum entry_slot slot, const void *caller);

/* Count a forwarded call; where it goes on. For the counting stubs of thunks.S. */
host_function *slots_count(enum symbol symbol, const void *caller);

/* What host_blas_function says, for a call that goes on as if it had not passed its gate, counted like
 * those; in a few nanoseconds. To jump through forward_slots instead takes a sibling call, by which alone
 * thunks know the caller. */
host_function *slots_pass_on(enum symbol symbol, const void *caller);

#endif
