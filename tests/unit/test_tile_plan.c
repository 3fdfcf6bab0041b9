/* Level 3 calls cut into tiles: every element of the output is in one tile, blocks fit the places that
 * were counted for them, and large calls go to the device only where that pays. */
#include "interpose/execute/tile_runner.h"
#include "policy_calls.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>

enum { SIDE_MOST = 70 };

static uint64_t state = 20261122;

static int64_t below(int64_t limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (int64_t)(state * UINT64_C(2685821657736338717) >> 33) % limit;
}

static struct blas_matrix matrix(uintptr_t at, int64_t rows, int64_t columns, enum blas_part part)
{
    return (struct blas_matrix){(void *)at, rows, columns, rows + 3, part};
}

/* A call as the entries pack it, on addresses that nobody reads. */
static struct blas_call call_of(enum blas_family family, enum blas_type type, int64_t m, int64_t n, int64_t k)
{
    static const uintptr_t a = 1 << 20, b = 1 << 24, c = 1 << 28;
    struct blas_call call = {.family = family, .type = type, .m = m, .n = n, .k = k,
                             .uplo = (enum blas_uplo)below(2), .side = (enum blas_side)below(2),
                             .trans = (enum blas_trans)below(2), .trans_b = (enum blas_trans)below(2)};
    const enum blas_part triangle = call.uplo == UPLO_LOWER ? PART_LOWER : PART_UPPER;
    const bool upright = call.trans == TRANS_NONE, update = family >= FAMILY_SYRK && family <= FAMILY_HER2K;
    call.alpha.z[0] = 2;
    call.beta.z[0] = 3;
    if (update) {
        call.m = 0;
        call.a = matrix(a, upright ? n : k, upright ? k : n, PART_FULL);
        if (family == FAMILY_SYR2K || family == FAMILY_HER2K)
            call.b = matrix(b, call.a.rows, call.a.columns, PART_FULL);
        call.c = matrix(c, n, n, triangle);
    } else if (family == FAMILY_GEMM) {
        call.a = matrix(a, upright ? m : k, upright ? k : m, PART_FULL);
        call.b = matrix(b, call.trans_b == TRANS_NONE ? k : n, call.trans_b == TRANS_NONE ? n : k, PART_FULL);
        call.c = matrix(c, m, n, PART_FULL);
    } else {
        const int64_t order = call.side == SIDE_LEFT ? m : n;
        call.k = 0;
        call.a = matrix(a, order, order, triangle);
        if (!blas_is_in_place(&call))
            call.b = matrix(b, m, n, PART_FULL);
        call.c = matrix(c, m, n, PART_FULL);
    }
    return call;
}

static bool is_inside(const struct blas_matrix *block, const struct blas_matrix *whole, size_t element,
                      int64_t *row, int64_t *column)
{
    const int64_t offset = (int64_t)(((uintptr_t)block->pointer - (uintptr_t)whole->pointer) / element);
    *row = offset % whole->ld;
    *column = offset / whole->ld;
    return block->ld == whole->ld && offset >= 0 && *row + block->rows <= whole->rows &&
           *column + block->columns <= whole->columns;
}

static bool fits(const struct blas_matrix *block, size_t element, uint64_t place)
{
    const uint64_t column = ((uint64_t)block->rows * element + 15) / 16 * 16;
    return !block->pointer || column * (uint64_t)block->columns <= place;
}

/* How often each element of the output was in a tile. */
static unsigned char counts[SIDE_MOST][SIDE_MOST];

static bool count_tile(const struct blas_call *call, const struct blas_call *step, size_t element)
{
    int64_t row, column;
    if (!is_inside(&step->c, &call->c, element, &row, &column))
        return false;
    for (int64_t j = 0; j < step->c.columns; j++)
        for (int64_t i = 0; i < step->c.rows; i++)
            if (step->c.part == PART_FULL || (step->c.part == PART_LOWER ? i >= j : i <= j))
                counts[row + i][column + j]++;
    return true;
}

static bool is_covered(const struct blas_call *call)
{
    for (int64_t j = 0; j < call->c.columns; j++)
        for (int64_t i = 0; i < call->c.rows; i++) {
            const bool part = call->c.part == PART_FULL || (call->c.part == PART_LOWER ? i >= j : i <= j);
            if (counts[i][j] != part)
                return false;
        }
    return true;
}

/* Walk the plan; the bytes that a step's blocks have, those just used not counted again. */
static bool walk(struct tile_plan *plan, double *bytes_up)
{
    const struct blas_call *call = &plan->call;
    const size_t element = blas_element_bytes(call->type);
    const void *latest[2] = {NULL, NULL};
    struct tile_step step;
    bool good = true, first = true;
    memset(counts, 0, sizeof counts);
    *bytes_up = 0;
    while (tile_plan_next(plan, &step)) {
        const struct blas_matrix *factors[] = {&step.call.a, &step.call.b};
        good = good && step.first == first && fits(&step.call.c, element, tile_plan_tile_bytes(plan)) &&
               fits(&step.call.a, element, tile_plan_a_bytes(plan)) &&
               fits(&step.call.b, element, tile_plan_b_bytes(plan));
        for (int i = 0; i < 2; i++)
            if (factors[i]->pointer && factors[i]->pointer != latest[i]) {
                latest[i] = factors[i]->pointer;
                *bytes_up += (double)(factors[i]->rows * factors[i]->columns) * (double)element;
            }
        if (step.first) {
            good = good && count_tile(call, &step.call, element);
            *bytes_up += (double)(step.call.c.rows * step.call.c.columns) * (double)element;
        }
        first = step.last;
    }
    return good && first && is_covered(call);
}

static void test_random_calls(void)
{
    for (int family = FAMILY_GEMM; family < FAMILY_COUNT; family++) {
        int good = 0, within = 0, cut = 0;
        enum { ROUNDS = 300 };
        for (int round = 0; round < ROUNDS; round++) {
            const bool hermitian = family == FAMILY_HEMM || family == FAMILY_HERK || family == FAMILY_HER2K;
            const enum blas_type type = (enum blas_type)(hermitian ? 2 + below(2) : below(4));
            const struct blas_call call = call_of((enum blas_family)family, type, 1 + below(SIDE_MOST),
                                                  1 + below(SIDE_MOST), 1 + below(SIDE_MOST));
            const uint64_t bytes = 5200 + (uint64_t)below(60000);
            struct tile_plan plan;
            double bytes_up;
            if (!tile_plan_make(&plan, &call, bytes) || tile_plan_bytes(&plan) > bytes)
                continue;
            const double expected = tile_plan_bytes_up(&plan);
            cut += plan.rows < call.c.rows || plan.columns < call.c.columns;
            good += walk(&plan, &bytes_up);
            within += expected <= 3 * bytes_up && bytes_up <= 3 * expected;
        }
        tap_ok(good == ROUNDS && cut > ROUNDS / 4, "family %d: %d of %d plans right, %d cut", family, good,
               ROUNDS, cut);
        tap_ok(within > ROUNDS * 9 / 10, "and %d send what was foreseen, within a factor", within);
    }
}

static void test_large(void)
{
    struct tile_plan plan;
    struct tile_step step;
    int steps = 0;
    const struct blas_call call = call_of(FAMILY_GEMM, TYPE_D, 100000, 100000, 100000);
    bool made = tile_plan_make(&plan, &call, (uint64_t)64 << 30);
    tap_ok(made && plan.rows == plan.columns && plan.rows >= 50000 && plan.depth >= 2048,
           "100000 in 64 GiB: tiles of %lld, blocks of %lld", (long long)plan.rows, (long long)plan.depth);
    while (tile_plan_next(&plan, &step))
        steps++;
    tap_ok(steps > 40 && steps < 200, "%d steps", steps);
    tap_ok(!tile_plan_make(&plan, &call, 2000), "nothing can be cut to 2000 bytes");
    tap_ok(tile_plan_make(&plan, &call, UINT64_MAX) && plan.rows == 100000 && plan.columns == 100000,
           "with room for all of C it is one tile");
}

/* Groups of tiles partition the tiles, and may be done in any order: no step reads what a tile of another
 * group writes. */
static bool groups_are_right(const struct blas_call *call, int64_t wanted)
{
    struct tile_plan plan, other;
    struct tile_step step, foreign;
    int64_t tiles, last = -1;
    if (!tile_plan_make_groups(&plan, call, 1 << 20, wanted))
        return false;
    const int64_t groups = tile_plan_groups(&plan, &tiles);
    const uintptr_t bytes = blas_element_bytes(call->type);
    other = plan;
    while (tile_plan_next(&plan, &step)) {
        const int64_t tile = plan.tile - step.last;
        const uintptr_t begin = (uintptr_t)step.call.c.pointer;
        last = tile;
        for (int64_t group = 0; group < groups; group += 1 + groups / 4) {
            tile_plan_seek(&other, group * tiles);
            if (group == tile / tiles || !tile_plan_next(&other, &foreign))
                continue;
            const struct blas_matrix *sources[] = {&foreign.call.a, &foreign.call.b};
            for (int i = 0; i < 2; i++)
                if (sources[i]->pointer && (uintptr_t)sources[i]->pointer >= begin &&
                    (uintptr_t)sources[i]->pointer < begin + (uintptr_t)step.call.c.rows * bytes)
                    return false;
        }
    }
    return groups >= wanted && last == groups * tiles - 1;
}

static void test_groups(void)
{
    for (enum blas_family family = FAMILY_GEMM; family <= FAMILY_TRSM; family++) {
        int right = 0;
        for (int round = 0; round < 8; round++) {
            const struct blas_call call = call_of(family, TYPE_D, 60 + below(60), 60 + below(60), 60 + below(60));
            right += groups_are_right(&call, 1 + below(6));
        }
        tap_ok(right == 8, "family %d: %d of 8 plans fall into groups of their own", family, right);
    }
    struct tile_plan whole, cut;
    const struct blas_call call = call_of(FAMILY_GEMM, TYPE_D, 1000, 1000, 1000);
    tap_ok(tile_plan_make(&whole, &call, 1 << 30) && tile_plan_make_groups(&cut, &call, 1 << 30, 1) &&
               cut.rows == whole.rows && cut.columns == whole.columns,
           "what need not be cut is not");
    tap_ok(!tile_plan_make_groups(&cut, &call, 1 << 30, 1 << 20), "more groups than blocks of 8 cannot be had");
}

static bool goes_to_device(int64_t m, int64_t n, int64_t k, uint64_t budget)
{
    const struct machine_model model = crossover_builtin_model(NULL, 16);
    const struct blas_call call = call_of(FAMILY_GEMM, TYPE_D, m, n, k);
    struct tile_plan plan;
    if (!tile_plan_make(&plan, &call, budget))
        return false;
    const uint64_t bytes = (uint64_t)tile_plan_bytes_up(&plan);
    const struct residency residency = {.bytes = bytes, .missing_bytes = bytes};
    return decide(OFFLOAD_AUTO, &model, &call, &residency).device;
}

static void test_policy(void)
{
    const uint64_t gib = 1 << 30;
    tap_ok(goes_to_device(100000, 100000, 100000, 64 * gib), "a large square product pays, in tiles");
    tap_ok(!goes_to_device(200000, 200000, 16, 64 * gib),
           "a product of rank 16 does not: its result comes and goes");
    tap_ok(!goes_to_device(20000, 20000, 20000, 4096), "nor do tiles of a few elements");
}

UNIT_TEST(test_tile_plan)
{
    test_random_calls();
    test_large();
    test_groups();
    test_policy();
    return tap_done();
}
