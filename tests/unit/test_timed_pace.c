/* A device that changes its pace for good while shapes are timed: their times are all of the new one. */
#include "emulated_lane.h"
#include "tuner/learn/shape_timer.h"
#include "tuner/online/tuning_class.h"
#include "unit_test.h"

#include <math.h>
#include <stdlib.h>

enum { MATRIX_BYTES = 8 << 20, VECTOR_BYTES = 1 << 20, N = 256, ROUNDS = 7, SHAPES = 2, TIMINGS = 3 };

UNIT_TEST(test_timed_pace)
{
    static const struct timing_plan plan = {ROUNDS, ROUNDS, {0, 0, 0, 0}, 0, 40e-6, false, true};
    static const struct launch_shape shapes[SHAPES] = {
        {64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER},
        {128, 32, 4, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}};
    setenv("EMULATED_TIME", "execute 0; throttle 520 100000000 1.5", 1); /* amid the second timing */
    struct tuning_pool pool;
    struct lane *lane = emulated_lane();
    const enum status status = tuning_pool_open(&pool, lane, MATRIX_BYTES, VECTOR_BYTES);
    struct shape_timer timer = {.pool = &pool, .lane = lane, .bandwidth = 3e12};
    const struct blas_call call = tuning_class_call(tuning_class_parse("dsymv"), N, N);
    struct tuning_time times[TIMINGS][SHAPES];
    bool timed = status == STATUS_OK && graph_replay_open();
    long shifts[TIMINGS];
    for (int i = 0; i < TIMINGS; i++) {
        timed = timed && shape_timer_time(&timer, &call, shapes, SHAPES, &plan, times[i], NULL) == STATUS_OK;
        shifts[i] = timer.shifts;
    }
    tap_ok(timed && shifts[0] == 0 && shifts[1] == 1 && shifts[2] == 1,
           "the pace changes amid the second of %d timings", TIMINGS);
    tap_ok(timed && times[0][0].rounds == ROUNDS && times[1][0].rounds == ROUNDS &&
               times[1][1].rounds == ROUNDS,
           "which has %d rounds all the same, like the first", ROUNDS);
    tap_ok(timed && fabs(times[1][1].seconds / times[2][1].seconds - 1) < 1e-9 &&
               fabs(times[1][1].seconds / times[0][1].seconds - 1.5) < 1e-9,
           "all at the new pace");
    tuning_pool_close(&pool);
    lane_release(lane);
    device_leave(emulated_device, &emulated_scope);
    return tap_done();
}
