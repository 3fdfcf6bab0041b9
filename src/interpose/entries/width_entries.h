/* width_entries.h - the entries of offloaded symbols whose names do not tell the width of integers, one for
 * each width, and which of them a call is for. */
#ifndef MUBLAS_WIDTH_ENTRIES_H
#define MUBLAS_WIDTH_ENTRIES_H

#include "host/host_blas.h"

/* SLOT_dgemv_, SLOT_cblas_dgemv, ...: those symbols. */
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

enum symbol width_entry_symbol(enum entry_slot slot);

/* The entry of a width, which is not WIDTH_DETECTED. */
host_function *width_entry_of(enum entry_slot slot, enum integer_width width);

/* Be told what width all calls of an interface have from now on, WIDTH_DETECTED: one that is not known. */
void width_entries_listen(void (*settle)(enum interface interface, enum integer_width width));

/* Where a call from the return address `caller` goes on: asks its host for the width. For the entering stubs
 * of thunks.S. */
host_function *width_entries_enter(enum entry_slot slot, const void *caller);

#endif
