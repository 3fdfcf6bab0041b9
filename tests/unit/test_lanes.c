/* Lanes: one for each call, a second for who keeps it long only while others are left. */
#include "emulated_lane.h"

int main(void)
{
    struct lane *first = emulated_lane(), *second = lane_acquire_another(emulated_device), *other, *last;
    tap_ok(second && second != first, "who has a lane gets a second while two others are free");
    tap_ok(lane_acquire(emulated_device, &other) == STATUS_OK && other != first && other != second,
           "another call has one of its own");
    tap_ok(lane_acquire_another(emulated_device) == NULL, "the last is nobody's second");
    tap_ok(lane_acquire(emulated_device, &last) == STATUS_OK && last != other, "a third call need not wait");
    lane_release(second);
    tap_ok(lane_acquire_another(emulated_device) == NULL, "nor is the only one that came back");
    lane_release(last);
    second = lane_acquire_another(emulated_device);
    tap_ok(second != NULL, "with two back there is a second again");
    lane_release(second);
    lane_release(other);
    lane_release(first);
    return tap_done();
}
