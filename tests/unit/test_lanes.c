/* Lanes: one for each call, a second for who keeps it long only while others are left; they go with the
 * device. */
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
    device_leave(emulated_device, &emulated_scope);
    device_close(emulated_device);
    tap_ok(take_census().used_bytes == 0 && take_census().pinned == 0, "nothing of a closed device is left");
    tap_ok(device_enter(emulated_device, &emulated_scope) == STATUS_DEVICE_LOST &&
               device_wake(&emulated_device) == STATUS_DEVICE_LOST,
           "nor is it entered or woken again");
    device_close(emulated_device);
    tap_ok(!device_is_usable(emulated_device), "closing it twice does no harm");
    return tap_done();
}
