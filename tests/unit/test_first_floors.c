/* The floors that gates have from the beginning: integers in a table, which are to be the least of what the
 * built-in model says of any host. */
#include "interpose/policy.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>

static const struct row {
    const char *name;
    enum blas_family family;
    enum blas_type type;
    int64_t gate;
} rows[] = {
#define FAMILY_ROUTINE(name, family, type, gate) {#name, family, type, gate},
#include "common/routines.def"
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static uint64_t least_gate(const struct row *row)
{
    static const size_t cache_bytes[] = {0, 1 << 20, 32 << 20, 1 << 30};
    uint64_t least = UINT64_MAX;
    for (int cores = 1; cores <= 1024; cores += cores < 64 ? 1 : 32)
        for (int vector_bytes = 16; vector_bytes <= 64; vector_bytes *= 2)
            for (size_t i = 0; i < sizeof cache_bytes / sizeof *cache_bytes; i++) {
                struct machine_model model = crossover_builtin_model(NULL, cores);
                crossover_use_processors(&model, vector_bytes, cache_bytes[i]);
                const uint64_t gate = policy_gate(OFFLOAD_AUTO, &model, row->family, row->type, false);
                least = gate < least ? gate : least;
            }
    return least;
}

static void test_rows(void)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        const uint64_t least = least_gate(&rows[i]);
        tap_ok((uint64_t)rows[i].gate == least, "%s: %lld is the least gate of any host (%lld)", rows[i].name,
               (long long)rows[i].gate, (long long)least);
    }
}

/* dgemm for dgemm_, cblas_dgemm, scipy_dgemm_64_. */
static const struct row *row_of(enum symbol symbol)
{
    const char *name = symbol_name(symbol);
    name += strncmp(name, "scipy_", 6) == 0 ? 6 : 0;
    name += strncmp(name, "cblas_", 6) == 0 ? 6 : 0;
    for (int i = 0; i < ROW_COUNT; i++) {
        const size_t length = strlen(rows[i].name);
        const char *rest = name + length;
        if (strncmp(name, rows[i].name, length) == 0 &&
            (!*rest || strcmp(rest, "_") == 0 || strcmp(rest, "64_") == 0 || strcmp(rest, "_64_") == 0 ||
             strcmp(rest, "_64") == 0))
            return &rows[i];
    }
    return NULL;
}

static int wrong_floors(enum offload_mode mode, const struct machine_model *model, bool is_learned)
{
    int wrong = 0;
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        const struct row *row = row_of((enum symbol)i);
        if (interface_is_lapack(symbol_interface((enum symbol)i)))
            wrong += offload_floors[i] != (model ? policy_route_floor(mode) : ROUTE_ORDER_LEAST);
        else if (symbol_is_offloaded((enum symbol)i) != (row != NULL))
            wrong++;
        else if (row)
            wrong += offload_floors[i] != (model
                                               ? policy_gate(mode, model, row->family, row->type, is_learned)
                                               : (uint64_t)row->gate);
    }
    return wrong;
}

static int floors_other_than(uint64_t floor)
{
    int count = 0;
    for (int i = 0; i < SYMBOL_COUNT; i++)
        count += symbol_is_offloaded((enum symbol)i) && offload_floors[i] != floor;
    return count;
}

UNIT_TEST(test_first_floors)
{
    const struct machine_model model = crossover_builtin_model(NULL, 16);
    test_rows();
    tap_ok(wrong_floors(OFFLOAD_AUTO, NULL, false) == 0, "each symbol begins with its routine's");
    floors_begin(OFFLOAD_AUTO, false);
    tap_ok(wrong_floors(OFFLOAD_AUTO, NULL, false) == 0, "and keeps it in auto mode");
    floors_set(OFFLOAD_AUTO, &model, false);
    tap_ok(wrong_floors(OFFLOAD_AUTO, &model, false) == 0,
           "by a model before a recipe is read: a part of its floor");
    floors_set(OFFLOAD_AUTO, &model, true);
    tap_ok(wrong_floors(OFFLOAD_AUTO, &model, true) == 0 &&
               offload_floors[SYMBOL_dgemv_] == policy_floor(OFFLOAD_AUTO, &model, FAMILY_GEMV, TYPE_D),
           "then its floor");
    floors_begin(OFFLOAD_NEVER, false);
    tap_ok(floors_other_than(UINT64_MAX) == 0, "never: none passes");
    floors_begin(OFFLOAD_ALWAYS, false);
    tap_ok(floors_other_than(0) == 0, "always: all pass");
    floors_begin(OFFLOAD_NEVER, false);
    floors_begin(OFFLOAD_NEVER, true);
    tap_ok(floors_other_than(0) == 0, "the first passes where there is something to say");
    floors_set(OFFLOAD_NEVER, &model, false);
    tap_ok(floors_other_than(UINT64_MAX) == 0, "and then none");
    floors_let_lapack_in();
    tap_ok(offload_floors[SYMBOL_dpotrf_] == 0 && offload_floors[SYMBOL_dgemv_] == UINT64_MAX,
           "for a report's times those of LAPACK do");
    floors_set(OFFLOAD_AUTO, &model, false);
    tap_ok(offload_floors[SYMBOL_dpotrf_] == 0 && offload_floors[SYMBOL_dgemv_] > 0, "whatever the model");
    return tap_done();
}
