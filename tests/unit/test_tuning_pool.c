/* What axpy wrote among the matrices is gone before another routine's bits are looked at. */
#include "emulated_lane.h"
#include "tuner/learn/timing/shape_verify.h"
#include "tuner/online/tuning_class.h"

#include <string.h>

enum { MATRIX_BYTES = 8 << 20, VECTOR_BYTES = 1 << 20, N = 64, AT = 6 << 20, SOME = 4096 };

static bool verify(struct shape_timer *timer, const char *class)
{
    const struct blas_call call = tuning_class_call(tuning_class_parse(class), N, N);
    const struct launch_shape built_in = launch_shape_built_in(&call);
    enum shape_outcome outcome;
    return shape_verify(timer, &call, &built_in, 1, false, &outcome) == STATUS_OK && outcome == SHAPE_RIGHT;
}

int main(void)
{
    static unsigned char before[SOME], spoilt[SOME], after[SOME];
    struct tuning_pool pool;
    struct lane *lane = emulated_lane();
    const enum status status = tuning_pool_open(&pool, lane, MATRIX_BYTES, VECTOR_BYTES);
    struct shape_timer timer = {.pool = &pool, .lane = lane};
    tap_ok(status == STATUS_OK && device_peek(before, pool.matrices + AT, SOME), "the pool is filled");
    memset(spoilt, 0xff, SOME);
    tap_ok(verify(&timer, "saxpy") && device_poke(pool.matrices + AT, spoilt, SOME),
           "axpy writes among the matrices");
    tap_ok(verify(&timer, "saxpy") && device_peek(after, pool.matrices + AT, SOME) &&
               memcmp(after, spoilt, SOME) == 0,
           "which the next axpy leaves as it is");
    tap_ok(verify(&timer, "dsymv") && device_peek(after, pool.matrices + AT, SOME) &&
               memcmp(after, before, SOME) == 0,
           "before symv is looked at they are as they were");
    device_poke(pool.matrices + AT, spoilt, SOME);
    tap_ok(verify(&timer, "dsymv") && device_peek(after, pool.matrices + AT, SOME) &&
               memcmp(after, spoilt, SOME) == 0,
           "once: filling them takes time");
    tuning_pool_close(&pool);
    lane_release(lane);
    device_leave(emulated_device, &emulated_scope);
    return tap_done();
}
