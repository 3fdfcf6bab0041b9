/* known_shapes.h - shapes of calls of which is known whether a device could ever be the better place.
 *
 * A gate (forward.S) bounds calls by one product of sizes, and so lets many pass that can never pay. To
 * find that out for each anew takes a microsecond where the host's own work has driven mublas out of the
 * processor's caches, as much as a tenth of such a call. So what was found is kept by the routine and
 * all its flags and integers, for a look of some nanoseconds before anything else. A cache and no more: what
 * is not in it is worked out again. Any thread may call these. */
#ifndef MUBLAS_KNOWN_SHAPES_H
#define MUBLAS_KNOWN_SHAPES_H

#include <stddef.h>
#include <stdint.h>

struct machine_model;

enum shape_worth { SHAPE_UNKNOWN, SHAPE_NEVER_PAYS, SHAPE_MAY_PAY };

/* What stands for a call of `routine` with these flags and integers: a polynomial of them, which two calls
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
