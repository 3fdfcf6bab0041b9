/* Lanes: one for each call, a second for who keeps it long only while others are left; who finds none waits
 * as long as patience lasts; they go with the device. And lanes that are not of the pool. */
#include "emulated_lane.h"
#include "unit_test.h"

#include <string.h>

static struct lane *lanes[LANE_COUNT];

static bool is_another(int count)
{
    bool another = lanes[count] != NULL;
    for (int i = 0; i < count; i++)
        another = another && lanes[i] != lanes[count];
    return another;
}

static bool take_all_from(int first)
{
    bool good = true;
    for (int i = first; i < LANE_COUNT; i++)
        good = lane_acquire(emulated_device, &lanes[i]) == STATUS_OK && is_another(i) && good;
    return good;
}

static void test_patience(void)
{
    struct patience none = patience_of_us(0), some = patience_of_us(2000);
    struct lane *lane = NULL;
    tap_ok(lane_acquire_within(emulated_device, &none, &lane) == STATUS_BUSY && !lane,
           "without patience none is had");
    tap_ok(lane_acquire_within(emulated_device, &some, &lane) == STATUS_BUSY && !lane,
           "with some, none after a while");
    lane_release(lanes[0]);
    tap_ok(lane_acquire_within(emulated_device, &none, &lane) == STATUS_OK && lane == lanes[0],
           "one that is free needs no patience");
}

/* While the pool has no lane left. */
static void test_own(void)
{
    const struct emulated_census before = take_census();
    struct lane *own[2] = {NULL, NULL}, *failed = NULL;
    tap_ok(lane_create_own(emulated_device, &own[0]) == STATUS_OK &&
               lane_create_own(emulated_device, &own[1]) == STATUS_OK && own[0] != own[1] &&
               own[0]->stream != own[1]->stream && own[0]->stream != lanes[0]->stream,
           "a lane of one's own needs none of the pool, and has a stream of its own");
    tap_ok(!own[0]->staging && lane_reserve_staging(own[0]) == STATUS_OK && own[0]->staging &&
               lane_reserve_scratch(own[0], 1000) == STATUS_OK &&
               lane_synchronise(own[0], "testing") == STATUS_OK,
           "with staging and scratch where it is asked for");
    lane_destroy_own(own[0]);
    lane_destroy_own(own[1]);
    lane_destroy_own(NULL);
    const struct emulated_census after = take_census();
    tap_ok(memcmp(&before, &after, sizeof before) == 0, "and leaves nothing behind");
    set_faults("cuEventCreate:2:2");
    tap_ok(lane_create_own(emulated_device, &failed) == STATUS_OUT_OF_MEMORY && !failed,
           "one that fails is none");
    set_faults("");
    const struct emulated_census last = take_census();
    tap_ok(memcmp(&before, &last, sizeof before) == 0, "and leaves nothing behind either");
}

UNIT_TEST(test_lanes)
{
    lanes[0] = emulated_lane();
    lanes[1] = lane_acquire_another(emulated_device);
    tap_ok(is_another(1), "who has a lane gets a second while others are free");
    tap_ok(take_all_from(2), "other calls have lanes of their own, the last one too");
    tap_ok(lane_acquire_another(emulated_device) == NULL, "where none is left there is no second");
    test_patience();
    test_own();
    lane_release(lanes[1]);
    tap_ok(lane_acquire_another(emulated_device) == NULL, "the only one that came back is nobody's second");
    lane_release(lanes[2]);
    lanes[1] = lane_acquire_another(emulated_device);
    tap_ok(lanes[1] != NULL, "with two back there is a second again");
    lane_release(lanes[1]);
    for (int i = 3; i < LANE_COUNT; i++)
        lane_release(lanes[i]);
    lane_release(lanes[0]);
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
