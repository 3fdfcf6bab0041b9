#include "interpose/policy.h"
#include "tuner/online/crossover.h"

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

enum {
#define FAMILY_ROUTINE(name, family, type, gate) ROUTINE_##name,
#include "common/routines.def"
    ROUTINE_COUNT
};

enum {
#define FAMILY_ROUTINE(name, family, type, gate) GATE_##name = gate,
#include "common/routines.def"
};

static const struct {
    uint8_t family, type;
} routines[ROUTINE_COUNT] = {
#define FAMILY_ROUTINE(name, family, type, gate) {family, type},
#include "common/routines.def"
};

uint64_t offload_floors[SYMBOL_COUNT] = {
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, name, ...) \
    [SYMBOL_##symbol] = (uint64_t)(int64_t)GATE_##name,
#define ROUTE_SYMBOL(symbol, ...) [SYMBOL_##symbol] = ROUTE_ORDER_LEAST,
#include "host/symbols.def"
};

/* 0: forwarded, or LAPACK's. */
static const uint8_t routine_after[SYMBOL_COUNT] = {
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, name, ...) [SYMBOL_##symbol] = ROUTINE_##name + 1,
#include "host/symbols.def"
};

static bool lapack_enters;

static void set_floor(enum symbol symbol, uint64_t floor)
{
    __atomic_store_n(&offload_floors[symbol], floor, __ATOMIC_RELAXED);
}

static bool is_lapack(int symbol)
{
    return interface_is_lapack(symbol_interface((enum symbol)symbol));
}

void floors_let_lapack_in(void)
{
    lapack_enters = true;
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (is_lapack(i))
            set_floor((enum symbol)i, 0);
}

void floors_begin(enum offload_mode mode, bool all_enter)
{
    if (mode == OFFLOAD_AUTO && !all_enter)
        return;
    for (int i = 0; i < SYMBOL_COUNT; i++)
        set_floor((enum symbol)i, mode == OFFLOAD_NEVER && !all_enter ? UINT64_MAX : 0);
}

void floors_set(enum offload_mode mode, const struct machine_model *model, bool is_learned)
{
    uint64_t gates[ROUTINE_COUNT];
    for (int i = 0; i < ROUTINE_COUNT; i++)
        gates[i] = policy_gate(mode, model, (enum blas_family)routines[i].family,
                               (enum blas_type)routines[i].type, is_learned);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (routine_after[i])
            set_floor((enum symbol)i, gates[routine_after[i] - 1]);
        else if (is_lapack(i))
            set_floor((enum symbol)i, lapack_enters ? 0 : policy_route_floor(mode));
}
