/* A field of shapes while the device changes its pace. */
#include "tuner/learn/shape_timer.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

enum { IN, LEFT, SHAPES };

static bool has(const struct contestant *contestant, int rounds, double seconds)
{
    return contestant->rounds == rounds &&
           (rounds == 0 || fabs(contestant_time(contestant, 1).seconds / seconds - 1) < 1e-12);
}

UNIT_TEST(test_shape_field)
{
    struct shape_timer timer = {.rounds = 0};
    struct shape_field field = {.timer = &timer};
    if (!shape_field_make(&field, SHAPES))
        return 1;
    const struct contestant *in = &field.contestants[IN], *left = &field.contestants[LEFT],
                            *reference = &field.contestants[SHAPES];
    for (int i = 0; i <= SHAPES; i++)
        field.contestants[i].in = i != LEFT;
    tap_ok(shape_field_is_steady(&field, 10) && shape_field_is_steady(&field, 10.5),
           "5%% more is the same pace");
    for (int round = 0; round < 3; round++)
        for (int i = 0; i <= SHAPES; i++) {
            struct contestant *contestant = &field.contestants[i];
            contestant->times[contestant->rounds++] = i == LEFT ? 12 : 10;
        }
    tap_ok(!shape_field_is_steady(&field, 16) && !shape_field_is_steady(&field, 16) &&
               timer.rounds_lost == 2 && has(in, 3, 10),
           "a slow round or two are lost");
    tap_ok(shape_field_is_steady(&field, 16) && timer.shifts == 1, "the third is a new pace");
    tap_ok(has(in, 0, 0) && has(reference, 0, 0), "at which those who are in begin anew");
    tap_ok(has(left, 3, 12 * 1.6), "and who has left is as far behind as he was");
    tap_ok(shape_field_is_steady(&field, 10) && has(left, 3, 12) && timer.shifts == 2, "back again, at once");
    shape_field_free(&field);
    return tap_done();
}
