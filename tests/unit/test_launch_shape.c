/* Launch shapes: which are refused, and what the others make of a call. */
#include "gpu/launch.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>

static const struct launch_shape usual = {128, 32, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER};

static struct blas_call call_of(enum blas_family family, enum blas_type type, int64_t m, int64_t n)
{
    return (struct blas_call){.family = family, .type = type, .m = m, .n = n, .a = {.ld = m > n ? m : n},
                              .x = {.length = n, .increment = 1}, .y = {.length = m, .increment = 1}};
}

static void test_fault(const struct blas_call *call, struct launch_shape shape, const char *wanted,
                       const char *what)
{
    const char *fault = launch_shape_fault(call, &shape);
    tap_ok(wanted ? fault && strstr(fault, wanted) : !fault, "%s: %s", what, fault ? fault : "admitted");
}

static void test_threads(void)
{
    const struct blas_call single = call_of(FAMILY_GEMV, TYPE_S, 500, 500);
    const struct blas_call doubles = call_of(FAMILY_GEMV, TYPE_D, 500, 500);
    struct launch_shape shape = usual;
    shape.threads_x = 12;
    test_fault(&single, shape, "Tx", "12 threads down in single precision");
    test_fault(&doubles, shape, NULL, "12 threads down in double precision");
    shape.threads_x = 0;
    test_fault(&doubles, shape, "Tx * Ty", "no threads");
    shape.threads_x = 4, shape.threads_y = 1;
    test_fault(&doubles, shape, "Tx * Ty", "4 threads");
    shape.threads_y = 128;
    test_fault(&doubles, shape, NULL, "512 threads");
    shape.threads_y = 129;
    test_fault(&doubles, shape, "Tx * Ty", "516 threads");
    shape.threads_x = 1u << 31, shape.threads_y = 1u << 31;
    test_fault(&doubles, shape, "Tx * Ty", "2^62 threads");
}

static void test_others(void)
{
    const struct blas_call gemv = call_of(FAMILY_GEMV, TYPE_D, 500, 500);
    const struct blas_call symv = call_of(FAMILY_SYMV, TYPE_D, 0, 500);
    struct launch_shape shape = usual;
    test_fault(&gemv, shape, NULL, "the usual shape");
    shape.edge = 96;
    test_fault(&gemv, shape, "edge", "edge 96");
    shape = usual, shape.leaf_columns = 5;
    test_fault(&gemv, shape, "U must", "U 5 of 4 leaf columns");
    shape.leaf_columns = 0;
    test_fault(&gemv, shape, "U must", "U 0");
    shape = usual, shape.order = (enum leaf_order)2;
    test_fault(&gemv, shape, "order", "an unknown order");
    shape = usual, shape.team_groups = 2;
    test_fault(&gemv, shape, "1 or 4", "teams of 2 groups");
    shape.team_groups = 4;
    test_fault(&gemv, shape, NULL, "teams of 4 groups");
    shape.threads_x = 4, shape.threads_y = 6;
    test_fault(&gemv, shape, "32 threads", "a team of 4 groups in 24 threads");
    shape = usual, shape.variant = (enum symv_variant)4;
    test_fault(&symv, shape, "variant", "an unknown variant");
    shape.variant = VARIANT_IN_ORDER;
    test_fault(&symv, shape, NULL, "symv in order");
    test_fault(&gemv, shape, "only symv", "gemv in order");
    shape.variant = VARIANT_STRIPS;
    test_fault(&symv, shape, "8 elements", "symv by strips of 128");
    test_fault(&gemv, shape, NULL, "gemv by strips of 128");
    shape.edge = 24;
    test_fault(&gemv, shape, "edge of a strip", "strips of 24");
    shape.edge = 8;
    test_fault(&gemv, shape, NULL, "strips of 8");
    test_fault(&symv, shape, NULL, "symv by strips of 8");
}

/* A shape that cannot run is refused, not bent. */
static void test_plan(void)
{
    struct launch_plan plan;
    struct launch_shape shape = usual;
    const struct blas_call symv = call_of(FAMILY_SYMV, TYPE_D, 0, 1000);
    launch_shape_override(shape);
    tap_ok(launch_plan_make(&symv, &plan) == STATUS_OK && plan.items == 36 && plan.threads == 128 &&
               launch_plan_blocks(&plan, 10) == 36, "a block for each of 36 tiles");
    shape.blocks_per_multiprocessor = 2;
    launch_shape_override(shape);
    tap_ok(launch_plan_make(&symv, &plan) == STATUS_OK && launch_plan_blocks(&plan, 10) == 20 &&
               launch_plan_blocks(&plan, 132) == 36, "no more than two blocks for a multiprocessor");
    shape.variant = VARIANT_BOTH_HALVES;
    launch_shape_override(shape);
    tap_ok(launch_plan_make(&symv, &plan) == STATUS_OK && plan.items == 64, "both halves have 64 tiles");
    shape.variant = VARIANT_IN_ORDER;
    launch_shape_override(shape);
    tap_ok(launch_plan_make(&symv, &plan) == STATUS_OK && plan.items == 36 &&
               plan.workspace_bytes == 8 * RUNNING_SUMS * 128 * sizeof(double),
           "in order wants little workspace");
    shape.threads_y = 100;
    launch_shape_override(shape);
    tap_ok(launch_plan_make(&symv, &plan) == STATUS_UNSUPPORTED, "too many threads are refused");
    launch_shape_override((struct launch_shape){.edge = 0});
    tap_ok(launch_plan_make(&symv, &plan) == STATUS_OK, "and without them the call is planned");
}

static void test_mapping(unsigned x, unsigned y, unsigned edge, unsigned groups, unsigned down,
                         unsigned across)
{
    const struct launch_shape shape = {edge, x, y, 1, 0, ORDER_DOWN, groups, VARIANT_LAST_ARRIVER};
    const struct block_mapping mapping = launch_shape_mapping(&shape);
    tap_ok(mapping.teams_down == down && mapping.teams_across == across,
           "%u x %u threads at edge %u are %u x %u teams", x, y, edge, mapping.teams_down,
           mapping.teams_across);
}

/* The shape chosen for matrices lower or narrower than a tile has no idle teams. */
static void test_chosen(int64_t m, int64_t n, enum blas_trans trans, unsigned down, unsigned across)
{
    struct blas_call call = call_of(FAMILY_GEMV, TYPE_D, m, n);
    call.trans = trans;
    const struct launch_shape shape = launch_shape_choose(&call);
    const struct block_mapping mapping = launch_shape_mapping(&shape);
    tap_ok(!launch_shape_fault(&call, &shape) && mapping.teams_down == down && mapping.teams_across == across,
           "%lld x %lld, %s: %u x %u teams of %u in %u threads", (long long)m, (long long)n,
           trans ? "transposed" : "as it is", mapping.teams_down, mapping.teams_across, mapping.team_groups,
           shape.threads_x * shape.threads_y);
}

/* Edge 0: no strips. */
static void test_strips(int64_t m, int64_t n, enum blas_trans trans, unsigned edge, unsigned threads)
{
    struct blas_call call = call_of(FAMILY_GEMV, TYPE_D, m, n);
    call.trans = trans;
    const struct launch_shape shape = launch_shape_choose(&call);
    const bool strips = shape.variant == VARIANT_STRIPS;
    tap_ok(!launch_shape_fault(&call, &shape) && strips == (edge > 0) &&
               (!strips || (shape.edge == edge && shape.threads_x * shape.threads_y == threads)),
           "%lld x %lld, %s: %s of %u, %u threads", (long long)m, (long long)n,
           trans ? "transposed" : "as it is", strips ? "strips" : "tiles", shape.edge,
           shape.threads_x * shape.threads_y);
}

/* Columns that are not aligned: strips of long rows only of S, whatever was learned. */
static void test_narrow(void)
{
    const struct launch_shape strips = {32, 256, 1, 1, 0, ORDER_DOWN, 1, VARIANT_STRIPS};
    struct blas_call call = call_of(FAMILY_GEMV, TYPE_D, 8192, 8192);
    tap_ok(launch_shape_choose(&call).variant == VARIANT_STRIPS && launch_shape_can(&call, &strips),
           "aligned columns");
    call.a.ld = 8193;
    tap_ok(launch_shape_choose(&call).variant == VARIANT_LAST_ARRIVER && !launch_shape_can(&call, &strips),
           "an odd leading dimension");
    call.a.ld = 8192, call.a.pointer = (void *)8;
    tap_ok(launch_shape_choose(&call).variant == VARIANT_LAST_ARRIVER && !launch_shape_can(&call, &strips),
           "an odd first element");
    call.a.pointer = (void *)32;
    tap_ok(launch_shape_choose(&call).variant == VARIANT_STRIPS, "a first element at a sector");
    call.a.pointer = (void *)16;
    tap_ok(launch_shape_choose(&call).variant == VARIANT_LAST_ARRIVER, "a first element amid a sector");
    call.trans = TRANS_TRANSPOSE;
    tap_ok(launch_shape_choose(&call).variant == VARIANT_STRIPS && launch_shape_can(&call, &strips),
           "transposed");
    call = call_of(FAMILY_GEMV, TYPE_S, 8192, 8192);
    tap_ok(launch_shape_choose(&call).threads_x == 512, "single precision, aligned: 512 threads");
    call.a.ld = 8193;
    tap_ok(launch_shape_choose(&call).variant == VARIANT_STRIPS &&
               launch_shape_choose(&call).threads_x == 256,
           "single precision, odd: strips of 256 threads");
    call = call_of(FAMILY_GEMV, TYPE_D, 4095, 4095);
    tap_ok(launch_shape_can(&call, &strips), "shorter rows, odd");
}

static void test_items(int64_t n, uintptr_t y, unsigned threads, unsigned ahead, int64_t items)
{
    struct launch_shape shape = {256, threads, 1, ahead, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER};
    struct blas_call call = call_of(FAMILY_AXPY, TYPE_D, 1, n);
    call.y.pointer = (void *)y;
    tap_ok(launch_shape_vector_items(&call, &shape) == items,
           "axpy of %lld at %lu by %u threads, %u ahead: %lld items", (long long)n, (unsigned long)y, threads,
           ahead, (long long)items);
}

/* Chunks of axpy begin at memory lines, and whole warps take part. */
static void test_vectors(void)
{
    test_items(1024, 0, 256, 2, 1);
    test_items(1024, 8, 256, 2, 2);
    test_items(1024, 1280, 256, 2, 1);
    test_items(1025, 0, 256, 2, 2);
    test_items(1024, 0, 256, 3, 1);
    test_items(1024, 0, 256, 1, 2);
    test_items(2049, 0, 256, 8, 2);
    test_items(1024, 0, 252, 2, 2);
    test_items(64, 0, 8, 1, 1);
}

/* Symmetric matrices: large tiles, but not where a device would run the last of them nearly alone. */
static void test_symmetric(enum blas_type type, int64_t n, unsigned edge, unsigned groups,
                           enum symv_variant variant)
{
    const struct blas_call call = call_of(FAMILY_SYMV, type, n, n);
    const struct launch_shape shape = launch_shape_choose(&call);
    tap_ok(!launch_shape_fault(&call, &shape) && shape.edge == edge && shape.team_groups == groups &&
               shape.variant == variant,
           "type %d, %lld: edge %u, teams of %u, variant %d", (int)type, (long long)n, shape.edge,
           shape.team_groups, (int)shape.variant);
}

/* Sums of more than one chain want room and counters for each. */
static void test_chains(void)
{
    const struct blas_call call = call_of(FAMILY_GEMV, TYPE_D, 300, 16385);
    struct launch_plan plan;
    struct launch_shape shape = usual;
    launch_shape_override(shape);
    tap_ok(launch_plan_make(&call, &plan) == STATUS_OK && plan.items == 3 * 129 &&
               plan.workspace_bytes == 3 * (129 * 128 + 2 * 256) * sizeof(double) &&
               plan.counter_bytes == (3 * (1 + 2) + 1) * sizeof(unsigned), "two chains for each segment");
    launch_shape_override((struct launch_shape){.edge = 0});
}

UNIT_TEST(test_launch_shape)
{
    test_threads();
    test_others();
    test_plan();
    test_narrow();
    test_vectors();
    test_mapping(64, 4, 256, 1, 8, 4);
    test_mapping(64, 4, 64, 1, 2, 16);
    test_mapping(4, 5, 128, 1, 1, 2);
    test_mapping(20, 3, 128, 1, 2, 3);
    test_mapping(512, 1, 256, 1, 8, 8);
    test_mapping(64, 4, 256, 4, 8, 1);
    test_mapping(8, 12, 64, 4, 1, 3);
    test_chosen(32, 524288, TRANS_NONE, 1, 4);
    test_chosen(33, 524288, TRANS_NONE, 2, 8);
    test_chosen(32, 65536, TRANS_NONE, 1, 8);
    test_chosen(524288, 32, TRANS_TRANSPOSE, 4, 1);
    test_chosen(65536, 32, TRANS_TRANSPOSE, 8, 1);
    test_chosen(100, 524288, TRANS_NONE, 4, 8);
    test_chosen(200, 524288, TRANS_NONE, 7, 4);
    test_chosen(20, 9000, TRANS_NONE, 1, 2);
    test_strips(524288, 32, TRANS_NONE, 256, 256);
    test_strips(32, 524288, TRANS_TRANSPOSE, 32, 32);
    test_strips(1024, 1024, TRANS_NONE, 8, 256);
    test_strips(1024, 1024, TRANS_TRANSPOSE, 8, 256);
    test_strips(256, 256, TRANS_NONE, 16, 128);
    test_strips(256, 256, TRANS_TRANSPOSE, 16, 256);
    test_strips(2048, 2048, TRANS_NONE, 16, 256);
    test_strips(70, 4096, TRANS_NONE, 0, 0);
    test_strips(4096, 4096, TRANS_NONE, 32, 512);
    test_strips(8192, 8192, TRANS_NONE, 32, 256);
    test_strips(10272, 10272, TRANS_NONE, 32, 512);
    test_strips(8192, 8192, TRANS_TRANSPOSE, 32, 256);
    test_strips(16384, 16384, TRANS_TRANSPOSE, 0, 0);
    test_strips(16384, 16384, TRANS_NONE, 0, 0);
    test_strips(1024, 16384, TRANS_NONE, 0, 0);
    test_chosen(16384, 16384, TRANS_NONE, 8, 1);
    test_symmetric(TYPE_S, 16384, 256, 4, VARIANT_LAST_ARRIVER);
    test_symmetric(TYPE_D, 8192, 256, 4, VARIANT_LAST_ARRIVER);
    test_symmetric(TYPE_D, 12288, 128, 4, VARIANT_LAST_ARRIVER);
    test_symmetric(TYPE_D, 6144, 64, 4, VARIANT_LAST_ARRIVER);
    test_symmetric(TYPE_D, 2048, 64, 4, VARIANT_LAST_ARRIVER);
    test_symmetric(TYPE_S, 2048, 8, 1, VARIANT_STRIPS);
    test_symmetric(TYPE_W, 16384, 256, 1, VARIANT_LAST_ARRIVER);
    test_chains();
    return tap_done();
}
