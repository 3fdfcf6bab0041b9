#include "interpose/floors.h"
#include "interpose/policy.h"
#include "tuner/online/route_times.h"

enum {
#define FAMILY_ROUTINE(name, family, type, gate) ROUTINE_##name,
#include "common/families.def"
    ROUTINE_COUNT
};

enum {
#define FAMILY_ROUTINE(name, family, type, gate) GATE_##name = gate,
#include "common/families.def"
};

static const struct {
    uint8_t family, type;
} routines[ROUTINE_COUNT] = {
#define FAMILY_ROUTINE(name, family, type, gate) {family, type},
#include "common/families.def"
};

uint64_t offload_floors[SYMBOL_COUNT] = {
#define ROW(prefix, suffix, width, name) [SYMBOL_##prefix##name##suffix] = (uint64_t)(int64_t)GATE_##name,
#include "interpose/offloaded_symbols.inc"
#define ROW(prefix, suffix, width, name) [SYMBOL_##prefix##name##suffix] = ROUTE_ORDER_LEAST,
#define ROUTE(name, family, type, order, words) LAPACK_INTERFACES(ROW, name)
#include "host/lapack.def"
#undef ROUTE
#undef ROW
};

/* 0: forwarded, or LAPACK's. */
static const uint8_t routine_after[SYMBOL_COUNT] = {
#define ROW(prefix, suffix, width, name) [SYMBOL_##prefix##name##suffix] = ROUTINE_##name + 1,
#include "interpose/offloaded_symbols.inc"
};

static bool lapack_enters;

static void set(enum symbol symbol, uint64_t floor)
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
            set((enum symbol)i, 0);
}

void floors_begin(enum offload_mode mode, bool all_enter)
{
    if (mode == OFFLOAD_AUTO && !all_enter)
        return;
    for (int i = 0; i < SYMBOL_COUNT; i++)
        set((enum symbol)i, mode == OFFLOAD_NEVER && !all_enter ? UINT64_MAX : 0);
}

void floors_set(enum offload_mode mode, const struct machine_model *model, bool is_learned)
{
    uint64_t gates[ROUTINE_COUNT];
    for (int i = 0; i < ROUTINE_COUNT; i++)
        gates[i] = policy_gate(mode, model, (enum blas_family)routines[i].family,
                               (enum blas_type)routines[i].type, is_learned);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (routine_after[i])
            set((enum symbol)i, gates[routine_after[i] - 1]);
        else if (is_lapack(i))
            set((enum symbol)i, lapack_enters ? 0 : policy_route_floor(mode));
}
