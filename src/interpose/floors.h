/* floors.h - what the gates of forward.S compare a call's size with.
 *
 * Integers that are there before any code of mublas runs: the least of any host by the built-in model
 * (common/families.def). So a call below them goes to the host BLAS without a system call or floating
 * point, the first of a process included. The first call above them, and each change of the model,
 * sets them all anew. */
#ifndef MUBLAS_FLOORS_H
#define MUBLAS_FLOORS_H

#include "common/settings.h"
#include "host/symbols.h"
#include "tuner/online/crossover.h"

#include <stdint.h>

/* Below these an entry jumps straight to the host: crossover_size (crossover.h), compared as
 * unsigned 64-bit. One per symbol; read by forward.S and, atomically, by offload.c. */
extern uint64_t offload_floors[SYMBOL_COUNT];

/* For the constructor: 0 or UINT64_MAX where the mode says so. `all_enter`: there is something to say
 * at the first call, whatever its size. */
void floors_begin(enum offload_mode mode, bool all_enter);

/* From now on every call of LAPACK enters, whatever its order, since a report wants its time: a clock costs
 * little beside any of them. */
void floors_let_lapack_in(void);

/* By this model from now on (policy_gate). Not by two threads at once; others may call BLAS meanwhile. */
void floors_set(enum offload_mode mode, const struct machine_model *model, bool is_learned);

#endif
