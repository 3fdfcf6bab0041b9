#include "interpose/lapack/call.h"

#include <stdatomic.h>

static const struct lapack_routine routines[] = {
#define ROUTE(name, family, type, order, words, ...) \
    {#name, LAPACK_##family, TYPE_##type, order, words, {__VA_ARGS__}},
#include "host/lapack.def"
#undef ROUTE
};

/* A routine's symbols stand one after the other in symbols.def, and LAPACK's last. */
const struct lapack_routine *lapack_routine_of(enum symbol symbol)
{
    enum { FORMS = INTERFACE_COUNT - INTERFACE_LAPACK_NAME_, COUNT = sizeof routines / sizeof *routines };
    return &routines[((int)symbol - (SYMBOL_COUNT - FORMS * COUNT)) / FORMS];
}

/* Fortran compilers append a length for each string. */
enum { HIDDEN_MAX = 4 };

void host_run_words(const struct lapack_call *call, uint64_t words[LAPACK_WORDS_MAX])
{
    for (int i = 0; i < LAPACK_WORDS_MAX; i++)
        words[i] = i < call->routine->words + HIDDEN_MAX ? frame_word(call->frame, i + 1) : 0;
}

/* More arguments than a routine takes do not matter to it: callers clean the stack. */
void host_run_with(host_function *host, const uint64_t w[LAPACK_WORDS_MAX])
{
    typedef void routine(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                         uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                         uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                         uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    ((routine *)host)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13],
                      w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23], w[24], w[25],
                      w[26], w[27], w[28], w[29], w[30], w[31]);
}

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
