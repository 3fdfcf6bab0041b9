/* floors.h - which calls go to the host without a further look: floors, which the gates of forward.S compare
 * a call's size with, and shapes that can never pay. */
#ifndef MUBLAS_FLOORS_H
#define MUBLAS_FLOORS_H

#include "common/settings.h"
#include "host/symbols.h"
#include "tuner/online/crossover.h"

#include <stddef.h>
#include <stdint.h>

/* Floors are integers that are there before any code of mublas runs: the least of any host by the built-in
 * model (common/routines.def). So a call below them goes to the host BLAS without a system call or floating
 * point, the first of a process included. The first call above them, and each change of the model, sets them
 * all anew. */

/* Below these an entry jumps straight to the host: crossover_size (crossover.h), compared as
 * unsigned 64-bit. One per symbol; read by forward.S and, atomically, by call/blas_kind.c. */
extern uint64_t offload_floors[SYMBOL_COUNT];

/* For the constructor: 0 or UINT64_MAX where the mode says so. `all_enter`: there is something to say
 * at the first call, whatever its size. */
void floors_begin(enum offload_mode mode, bool all_enter);

/* From now on every call of LAPACK enters, whatever its order, since a report wants its time: a clock costs
 * little beside any of them. */
void floors_let_lapack_in(void);

/* Set the floors by this model from now on (policy_gate). Not by two threads at once; others may call BLAS
 * meanwhile. */
void floors_set(enum offload_mode mode, const struct machine_model *model, bool is_learned);

/* Shapes of calls of which is known whether a device could ever be the better place.
 *
 * A gate (forward.S) bounds calls by one product of sizes, and so lets many pass that can never pay. To
 * find that out for each anew takes a microsecond where the host's own work has driven mublas out of the
 * processor's caches, as much as a tenth of such a call. So what was found is kept by the routine and
 * all its flags and integers, for a look of some nanoseconds before anything else. A cache and no more: what
 * is not in it is worked out again. Any thread may look up and note shapes. */
enum shape_worth { SHAPE_UNKNOWN, SHAPE_NEVER_PAYS, SHAPE_MAY_PAY };

/* The number for a call of `routine` with these flags and integers: a polynomial of them, which two calls
 * of a program share by a chance of 2^-60 or so. */
#define KNOWN_SHAPE(routine, ...)                                                             \
    known_shapes_sum((uint64_t)(routine), (const uint64_t[]){__VA_ARGS__},                    \
                     sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static inline uint64_t known_shapes_sum(uint64_t routine, const uint64_t *values, size_t count)
{
    uint64_t sum = routine;
#pragma GCC unroll 16
    for (size_t i = 0; i < count; i++)
        sum = sum * UINT64_C(0xaf251af3b0f025b5) + values[i];
    return sum;
}

/* As far as `model` tells, by which it was noted. */
enum shape_worth known_shapes_look_up(uint64_t shape, const struct machine_model *model);
void known_shapes_note(uint64_t shape, const struct machine_model *model, enum shape_worth worth);

#endif
