/* thunks.h - the stubs of thunks.S, as those of host/thunks.h: one that counts per symbol, and one per
 * slot of entry_slots that asks where to enter. Also read by the assembler.
 *
 * Each stub of a kind takes as many bytes as stand here, so that its number tells its address. */
#ifndef MUBLAS_THUNKS_H
#define MUBLAS_THUNKS_H

#include "host/thunks.h"

#define COUNT_THUNK_BYTES 32
#define ENTER_THUNK_BYTES 32

#ifndef __ASSEMBLER__
extern const char count_thunks[], enter_thunks[];

#define COUNT_THUNK(number) THUNK(count_thunks, COUNT_THUNK_BYTES, number)
#define ENTER_THUNK(number) THUNK(enter_thunks, ENTER_THUNK_BYTES, number)
#endif

#endif
