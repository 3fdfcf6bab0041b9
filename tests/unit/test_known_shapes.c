/* Shapes of calls that never pay: what is noted is found, by its own routine, sizes and model alone. */
#include "interpose/policy.h"
#include "tap.h"
#include "tuner/online/crossover.h"
#include "unit_test.h"

static struct machine_model model, other_model;

static uint64_t shape(int routine, int64_t m, int64_t n, int64_t k)
{
    return KNOWN_SHAPE(routine, 'N', m, n, k);
}

static void test_one(void)
{
    const uint64_t some = shape(3, 100, 200, -1);
    tap_ok(known_shapes_look_up(some, &model) == SHAPE_UNKNOWN, "nothing is known at first");
    known_shapes_note(some, &model, SHAPE_NEVER_PAYS);
    tap_ok(known_shapes_look_up(some, &model) == SHAPE_NEVER_PAYS, "what never pays is known afterwards");
    tap_ok(known_shapes_look_up(some, &other_model) == SHAPE_UNKNOWN, "not by another model");
    tap_ok(known_shapes_look_up(shape(4, 100, 200, -1), &model) == SHAPE_UNKNOWN &&
               known_shapes_look_up(shape(3, 200, 100, -1), &model) == SHAPE_UNKNOWN &&
               known_shapes_look_up(KNOWN_SHAPE(3, 'T', 100, 200, -1), &model) == SHAPE_UNKNOWN,
           "nor of another routine, with sizes exchanged, or another flag");
    known_shapes_note(some, &model, SHAPE_MAY_PAY);
    tap_ok(known_shapes_look_up(some, &model) == SHAPE_MAY_PAY, "what may pay is known as well");
    known_shapes_note(some, &model, SHAPE_UNKNOWN);
    tap_ok(known_shapes_look_up(some, &model) == SHAPE_MAY_PAY, "and not forgotten");
}

static void test_many(void)
{
    enum { SIZES = 40 };
    int wrong = 0, kept = 0;
    for (int m = 1; m <= SIZES; m++)
        for (int n = 1; n <= SIZES; n++) {
            known_shapes_note(shape(1, m, n, 8), &model, (m + n) % 2 ? SHAPE_MAY_PAY : SHAPE_NEVER_PAYS);
            known_shapes_note(shape(1, n, m, 9), &model, SHAPE_MAY_PAY);
        }
    for (int m = 1; m <= SIZES; m++)
        for (int n = 1; n <= SIZES; n++) {
            const enum shape_worth found = known_shapes_look_up(shape(1, m, n, 8), &model);
            kept += found != SHAPE_UNKNOWN;
            wrong += found != SHAPE_UNKNOWN && found != ((m + n) % 2 ? SHAPE_MAY_PAY : SHAPE_NEVER_PAYS);
        }
    tap_ok(wrong == 0, "of more than there is room for none is taken for another");
    tap_ok(kept > 0 && kept < SIZES * SIZES, "and the last are known: %d of %d", kept, SIZES * SIZES);
}

UNIT_TEST(test_known_shapes)
{
    test_one();
    test_many();
    return tap_done();
}
