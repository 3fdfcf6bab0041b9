/* thunks.h - the stubs of thunks.S: one of each kind per symbol (enter: per slot of
 * entry_slots), at equal distances. Also read by the assembler. */
#ifndef MUBLAS_THUNKS_H
#define MUBLAS_THUNKS_H

#define COUNT_THUNK_BYTES 32
#define RESOLVE_THUNK_BYTES 32
#define ENTER_THUNK_BYTES 32
#define DISPATCH_THUNK_BYTES 96

/* What dispatch thunks read, callers.h: the offsets in a record, and the cache: words, found by
 * the return address's bits CACHE_MASK, that hold an address and a host's number above it. */
#define CALLER_RECORD_SIZE 0
#define CALLER_RECORD_START 8
#define CALLER_RECORD_TARGET 16
#define CALLER_RECORD_BYTES 24
#define CALLER_CACHE_MASK 0x1ff8
#define CALLER_ADDRESS_BITS 60
#define HOSTS_MAX 16 /* what fits above */

#ifndef __ASSEMBLER__
#include <stddef.h>

extern const char count_thunks[], resolve_thunks[], enter_thunks[], dispatch_thunks[];

/* Their entry points; constant expressions where `number` is one. */
#define COUNT_THUNK(number) THUNK(count_thunks, COUNT_THUNK_BYTES, number)
#define RESOLVE_THUNK(number) THUNK(resolve_thunks, RESOLVE_THUNK_BYTES, number)
#define ENTER_THUNK(number) THUNK(enter_thunks, ENTER_THUNK_BYTES, number)
#define DISPATCH_THUNK(number) THUNK(dispatch_thunks, DISPATCH_THUNK_BYTES, number)
#define THUNK(thunks, bytes, number) ((host_function *)((thunks) + (size_t)(number) * (bytes)))
#endif

#endif
