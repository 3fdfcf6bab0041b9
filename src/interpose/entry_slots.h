/* entry_slots.h - where calls past their gate go in the interfaces whose names do not
 * tell the integer width: to the entries of the width that the host turned out to have. */
#ifndef MUBLAS_ENTRY_SLOTS_H
#define MUBLAS_ENTRY_SLOTS_H

#include "interpose/host_blas.h"

/* SLOT_dgemv_, SLOT_cblas_dgemv, ...: the offloaded symbols of such interfaces. */
enum entry_slot {
#define SLOT_32(symbol)
#define SLOT_64(symbol)
#define SLOT_DETECTED(symbol) SLOT_##symbol,
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#include "interpose/symbols.def"
#undef SLOT_32
#undef SLOT_64
#undef SLOT_DETECTED
    SLOT_COUNT
};

/* What forward.S jumps through. First a thunk that calls host_blas_enter. */
extern host_function *entry_slots[SLOT_COUNT];

/* Where this call goes on; sets the slots of the interface once its host is known.
 * `caller` is the call's return address. */
host_function *host_blas_enter(enum entry_slot slot, const void *caller);

/* The interface's host has gone: find out anew. */
void entry_slots_reset(enum interface interface);

#endif
