/* Routines whose data keeps failing on the device stay on the host, by routine and sizes. */
#include "interpose/lapack/call.h"
#include "tap.h"
#include "unit_test.h"

static struct route_shape shape_of(int64_t m, int64_t n)
{
    return (struct route_shape){.family = LAPACK_POTRF, .type = TYPE_D, .m = m, .n = n};
}

UNIT_TEST(test_losses)
{
    const struct route_shape square = shape_of(500, 500), other = shape_of(501, 501),
                             tall = shape_of(600, 500);
    tap_ok(!losses_forbid(SYMBOL_dpotrf_, &square), "at first nothing is lost");
    losses_note(SYMBOL_dpotrf_, &square, true);
    tap_ok(!losses_forbid(SYMBOL_dpotrf_, &square), "one attempt that failed is followed by another");
    losses_note(SYMBOL_dpotrf_, &square, true);
    tap_ok(losses_forbid(SYMBOL_dpotrf_, &square), "two in a row are enough");
    losses_note(SYMBOL_dpotrf_, &square, true);
    tap_ok(losses_forbid(SYMBOL_dpotrf_, &square), "and stay so");
    tap_ok(!losses_forbid(SYMBOL_dpotrf_, &other) && !losses_forbid(SYMBOL_dpotrf_, &tall),
           "for these sizes alone");
    tap_ok(!losses_forbid(SYMBOL_dgetrf_, &square), "and this routine alone");
    losses_note(SYMBOL_dpotrf_, &other, true);
    losses_note(SYMBOL_dpotrf_, &other, false);
    losses_note(SYMBOL_dpotrf_, &other, true);
    tap_ok(!losses_forbid(SYMBOL_dpotrf_, &other), "a success between them begins anew");
    return tap_done();
}
