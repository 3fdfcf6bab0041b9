#include "interpose/lapack/losses.h"

#include <stdatomic.h>

/* A word: the shape shifted left, and the losses in a row below. Two shapes that share a place forget each
 * other's. */
enum { PLACES = 1024, COUNT_BITS = 2, LOSSES_MOST = 2 };
static _Atomic uint64_t places[PLACES];

static uint64_t word_of(enum symbol symbol, const struct route_shape *shape)
{
    const uint64_t sizes = (uint64_t)shape->m << 20 ^ (uint64_t)shape->n;
    return ((uint64_t)symbol << 42 ^ sizes) << COUNT_BITS;
}

static _Atomic uint64_t *place_of(uint64_t shape)
{
    return &places[(shape * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}

static unsigned losses_of(uint64_t word, uint64_t shape)
{
    return (word ^ shape) < 1 << COUNT_BITS ? (unsigned)(word ^ shape) : 0;
}

bool losses_forbid(enum symbol symbol, const struct route_shape *route)
{
    const uint64_t shape = word_of(symbol, route);
    return losses_of(atomic_load_explicit(place_of(shape), memory_order_relaxed), shape) >= LOSSES_MOST;
}

void losses_note(enum symbol symbol, const struct route_shape *route, bool lost)
{
    const uint64_t shape = word_of(symbol, route);
    _Atomic uint64_t *const place = place_of(shape);
    const unsigned before = losses_of(atomic_load_explicit(place, memory_order_relaxed), shape);
    if (lost || before > 0)
        atomic_store_explicit(place, shape | (lost && before < LOSSES_MOST ? before + 1 : lost ? before : 0),
                              memory_order_relaxed);
}
