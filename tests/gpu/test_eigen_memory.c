/* That a write which a step of the eigensolver must not make is found, wherever it is. */
#include "eigen_memory.h"
#include "tap.h"

enum { FIRST, EMPTY, LAST };
enum { BYTES = 300, PART = 100, PART_BYTES = 50 };

/* After a write of a byte so far behind this operand's begin. */
static enum status after_write(struct lane *lane, int operand, long place)
{
    struct eigen_memory memory = {0};
    eigen_memory_take(&memory, FIRST, BYTES);
    eigen_memory_take(&memory, EMPTY, 0);
    eigen_memory_take(&memory, LAST, BYTES);
    enum status status = eigen_memory_make(lane, &memory);
    eigen_memory_allow_part(&memory, FIRST, PART, PART_BYTES);
    eigen_memory_allow(&memory, EMPTY);
    eigen_memory_allow(&memory, LAST);
    if (status == STATUS_OK)
        status = eigen_memory_send(&memory);
    if (status == STATUS_OK)
        status = device_check(
            lane->device,
            driver()->memory_set_async(eigen_memory_address(&memory, operand) + (CUdeviceptr)place, 7, 1,
                                       lane->stream),
            "writing");
    if (status == STATUS_OK)
        status = eigen_memory_fetch(&memory, "a write");
    eigen_memory_free(&memory);
    return status;
}

int main(void)
{
    static const struct {
        int operand;
        long place;
        enum status wanted;
    } writes[] = {
        {FIRST, PART, STATUS_OK},
        {FIRST, PART + PART_BYTES - 1, STATUS_OK},
        {LAST, 0, STATUS_OK},
        {LAST, BYTES - 1, STATUS_OK},
        {FIRST, -1, STATUS_DEVICE_ERROR},
        {FIRST, -256, STATUS_DEVICE_ERROR},
        {FIRST, 0, STATUS_DEVICE_ERROR},
        {FIRST, PART - 1, STATUS_DEVICE_ERROR},
        {FIRST, BYTES, STATUS_DEVICE_ERROR},
        {FIRST, PART + PART_BYTES, STATUS_DEVICE_ERROR},
        {EMPTY, -1, STATUS_DEVICE_ERROR},
        {EMPTY, 0, STATUS_DEVICE_ERROR},
        {LAST, -1, STATUS_DEVICE_ERROR},
        {LAST, BYTES, STATUS_DEVICE_ERROR},
        {LAST, BYTES + 255, STATUS_DEVICE_ERROR},
    };
    struct device *device;
    struct device_scope scope;
    struct lane *lane;
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK)
        tap_skip_all("no device");
    if (lane_acquire(device, &lane) != STATUS_OK)
        return 1;
    int wrong = 0;
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        wrong += after_write(lane, writes[i].operand, writes[i].place) != writes[i].wanted;
    tap_ok(wrong == 0, "what is allowed may be written, all else is found: %d of 15 are not", wrong);
    lane_release(lane);
    device_leave(device, &scope);
    return tap_done();
}
