/* thunks.h - the stubs of thunks.S, to which a call goes whose host is not known by its symbol alone: one
 * of each kind per symbol, at equal distances. Also read by the assembler. */
#ifndef MUBLAS_HOST_THUNKS_H
#define MUBLAS_HOST_THUNKS_H

#define RESOLVE_THUNK_BYTES 32
#if defined __aarch64__
#define DISPATCH_THUNK_BYTES 112
#else
#define DISPATCH_THUNK_BYTES 96
#endif

/* The tables that dispatch thunks read, host_blas.h. First call_table: the entry of a call is found by 16
 * bits of its return address and a number that no other symbol has, so that the address and the place tell
 * the symbol; targets stand CALL_TARGETS bytes behind their sites. Then caller_cache: words, found by the
 * return address's bits CALLER_CACHE_MASK, that hold an address and a host's number above it. */
#define CALL_SYMBOL_BITS 14
#define CALL_SYMBOL(symbol) ((symbol) * 9949 & ((1 << CALL_SYMBOL_BITS) - 1)) /* odd: all differ */
#define CALL_TABLE_LENGTH ((1 << 16) + (1 << CALL_SYMBOL_BITS))
#define CALL_TARGETS (8 * CALL_TABLE_LENGTH) /* a multiple of 4096 */
#if defined __aarch64__
#define CALL_ADDRESS_SHIFT 2
#else
#define CALL_ADDRESS_SHIFT 0
#endif
#define CALLER_CACHE_MASK 0x1ff8
#define CALLER_ADDRESS_BITS 60
#define HOSTS_MAX 16 /* what fits above */

#ifndef __ASSEMBLER__
#include <stddef.h>

extern const char dispatch_thunks[];

/* Its entry point; a constant expression where `number` is one. */
#define DISPATCH_THUNK(number) THUNK(dispatch_thunks, DISPATCH_THUNK_BYTES, number)
#define THUNK(thunks, bytes, number) ((host_function *)((thunks) + (size_t)(number) * (bytes)))
#endif

#endif
