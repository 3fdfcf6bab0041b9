/* Decisions: what the recipe says for a size, the same each time, whoever asks. */
#include "tuner/online/recipe.h"
#include "recipe_example.h"
#include "tap.h"
#include "unit_test.h"

static struct recipe example;

static bool same(const struct launch_shape *a, const struct launch_shape *b)
{
    return a->edge == b->edge && a->threads_x == b->threads_x && a->threads_y == b->threads_y &&
           a->leaf_columns == b->leaf_columns &&
           a->blocks_per_multiprocessor == b->blocks_per_multiprocessor && a->order == b->order &&
           a->team_groups == b->team_groups && a->variant == b->variant;
}

static struct blas_call call_of(const char *class, int64_t m, int64_t n)
{
    return tuning_class_call(tuning_class_parse(class), m, n);
}

static void test_rules(void)
{
    const struct class_recipe *rules = &example.classes[tuning_class_parse("dsymv")][TUNING_SQUARE];
    int right = 0, sizes = 0;
    for (int64_t n = 1; n < 3000; n += 7, sizes++) {
        const struct blas_call call = call_of("dsymv", n, n);
        const struct launch_shape shape = launch_shape_choose(&call);
        right += same(&shape, &rules->intervals[n > 1280].shape);
    }
    tap_ok(right == sizes, "%d of %d sizes of dsymv have their rule's shape", right, sizes);
}

static void test_absent(void)
{
    const struct blas_call call = call_of("ssymv", 700, 700),
                           level3 = {.family = FAMILY_SYR2K, .type = TYPE_D};
    const struct launch_shape chosen = launch_shape_choose(&call), built_in = launch_shape_built_in(&call);
    struct launch_shape shape;
    tap_ok(same(&chosen, &built_in) && !decision_shape(LAUNCH_PLACE_FIRST, &call, &shape),
           "a class that was not tuned has its built-in");
    tap_ok(!decision_shape(LAUNCH_PLACE_FIRST, &level3, &shape), "and level 3 none");
}

/* Sizes whose decision is kept, and larger ones. */
static void test_occupancy(void)
{
    const int class = tuning_class_parse("dgemv_none");
    const struct class_recipe *rules = &example.classes[class][TUNING_WIDE];
    int right = 0, sizes = 0;
    for (int64_t size = 1; size < 100000; size = size * 5 / 4 + 1, sizes++) {
        const struct blas_call call = tuning_class_call_at(class, TUNING_WIDE, size);
        struct launch_shape shape = launch_shape_choose(&call), wanted;
        right += decision_of(rules, class, TUNING_WIDE, size, true, &wanted) &&
                 same(&shape, &wanted) && shape.blocks_per_multiprocessor == 3;
    }
    tap_ok(right == sizes, "%d of %d sizes of a wide dgemv are decided by the occupancies", right, sizes);
    struct launch_shape shape;
    tap_ok(decision_of(rules, tuning_class_parse("daxpy"), TUNING_SQUARE, 9, true, &shape) &&
               same(&shape, &rules->intervals[0].shape),
           "an axpy, which has no tiles, by the rules of older recipes");
}

/* A learned edge of 64 would make more items than there can be blocks. */
static void test_too_large(void)
{
    struct recipe small;
    memset(&small, 0, sizeof small);
    struct class_recipe *rules = &small.classes[tuning_class_parse("ssymv")][TUNING_SQUARE];
    rules->interval_count = 1;
    rules->intervals[0] = (struct recipe_interval){INT64_MAX, example_small};
    decision_use(&small);
    const struct blas_call call = call_of("ssymv", 1, INT64_C(6) << 20), usual = call_of("ssymv", 1, 6 << 10);
    const struct launch_shape large = launch_shape_choose(&call), shape = launch_shape_choose(&usual);
    tap_ok(large.edge == 256 && shape.edge == 64, "a shape that makes too many items is not taken");
}

static void test_off(void)
{
    const struct blas_call call = call_of("dsymv", 300, 300);
    const struct launch_shape built_in = launch_shape_built_in(&call);
    decision_use(&example);
    struct launch_shape shape = launch_shape_choose(&call);
    tap_ok(shape.variant == VARIANT_BOTH_HALVES && shape.threads_x == 16, "the recipe again");
    decision_use(NULL);
    shape = launch_shape_choose(&call);
    tap_ok(same(&shape, &built_in), "and off");
}

/* Each device has its own. */
static void test_places(void)
{
    static struct recipe empty;
    const struct blas_call call = call_of("dsymv", 300, 300);
    const struct launch_shape built_in = launch_shape_built_in(&call);
    decision_use(NULL);
    tap_ok(decision_use_at(2, &example) && decision_use_at(3, &empty), "recipes of two devices");
    struct launch_shape shape = launch_shape_choose_at(2, &call), other = launch_shape_choose_at(1, &call);
    tap_ok(shape.variant == VARIANT_BOTH_HALVES && same(&other, &built_in),
           "one beside a first that has none launches by its own");
    decision_use(&example);
    shape = launch_shape_choose_at(3, &call);
    other = launch_shape_choose_at(1, &call);
    tap_ok(same(&shape, &built_in) && other.variant == VARIANT_BOTH_HALVES,
           "one without launches by the built-in rules, one like the first by the first's");
    shape = launch_shape_choose(&call);
    tap_ok(shape.variant == VARIANT_BOTH_HALVES, "the first by its own");
}

UNIT_TEST(test_decision)
{
    example_make(&example);
    decision_use(&example);
    test_rules();
    test_absent();
    test_occupancy();
    test_too_large();
    test_off();
    test_places();
    return tap_done();
}
