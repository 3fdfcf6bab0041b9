#include "interpose/known_shapes.h"

#include <stdatomic.h>

/* The last bit: it may pay. Each is read and written at once, whatever other threads do. */
enum { SHAPES_BITS = 9, MAY_PAY = 1 };
static _Atomic uint64_t known[1 << SHAPES_BITS];

/* Never 0, which stands for an unused place. */
static uint64_t key_of(uint64_t shape, const struct machine_model *model)
{
    const uint64_t mixed = (shape ^ (uintptr_t)model) * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93) | MAY_PAY;
}

enum shape_worth known_shapes_look_up(uint64_t shape, const struct machine_model *model)
{
    const uint64_t key = key_of(shape, model);
    const uint64_t found = atomic_load_explicit(&known[key >> (64 - SHAPES_BITS)], memory_order_relaxed);
    if ((found | MAY_PAY) != key || found == 0)
        return SHAPE_UNKNOWN;
    return found & MAY_PAY ? SHAPE_MAY_PAY : SHAPE_NEVER_PAYS;
}

void known_shapes_note(uint64_t shape, const struct machine_model *model, enum shape_worth worth)
{
    const uint64_t key = key_of(shape, model);
    const uint64_t value = worth == SHAPE_MAY_PAY ? key : key & ~(uint64_t)MAY_PAY;
    if (worth != SHAPE_UNKNOWN)
        atomic_store_explicit(&known[key >> (64 - SHAPES_BITS)], value, memory_order_relaxed);
}
