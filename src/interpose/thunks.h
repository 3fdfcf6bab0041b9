/* thunks.h - the stubs of thunks.S: one of each kind per symbol (per slot of
 * entry_slots), THUNK_BYTES apart. Also read by the assembler. */
#ifndef MUBLAS_THUNKS_H
#define MUBLAS_THUNKS_H

#ifdef __aarch64__
#define THUNK_BYTES 64
#else
#define THUNK_BYTES 32
#endif

#ifndef __ASSEMBLER__
extern const char count_thunks[], resolve_thunks[], enter_thunks[];

/* One of them as an entry point; a constant expression where `number` is one. */
#define THUNK(kind, number) ((host_function *)((kind##_thunks) + (size_t)(number) * THUNK_BYTES))
#endif

#endif
