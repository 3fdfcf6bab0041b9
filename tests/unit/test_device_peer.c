/* Copies from device to device, and which of them a failure is taken for. */
#include "emulated_lane.h"
#include "gpu/device.h"
#include "tap.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 5000 };

static struct device *devices[2];
static struct lane *lanes[2];
static CUdeviceptr memory[2];

static void open_device(int number)
{
    struct device_scope scope;
    if (device_wake_at(number, &devices[number]) != STATUS_OK ||
        device_enter(devices[number], &scope) != STATUS_OK ||
        lane_acquire(devices[number], &lanes[number]) != STATUS_OK ||
        device_allocate(devices[number], BYTES, &memory[number]) != STATUS_OK)
        tap_skip_all("two emulated devices are needed");
    device_leave(devices[number], &scope);
}

static enum status copy(void)
{
    struct device_scope scope;
    enum status status = device_enter(devices[0], &scope);
    if (status != STATUS_OK)
        return status;
    status = device_peer_copy(devices[0], memory[0], devices[1], memory[1], BYTES, lanes[0]->stream);
    if (status == STATUS_OK)
        status = lane_synchronise(lanes[0], "copying");
    device_leave(devices[0], &scope);
    return status;
}

static void test_copy(void)
{
    static unsigned char sent[BYTES], come[BYTES];
    for (int i = 0; i < BYTES; i++)
        sent[i] = (unsigned char)(i * 7);
    device_poke(memory[0], sent, BYTES);
    const enum status status = copy();
    device_peek(come, memory[1], BYTES);
    tap_ok(status == STATUS_OK && memcmp(sent, come, BYTES) == 0, "what was sent has come");
}

/* Before mublas has noticed. */
static void lose(int number)
{
    struct device_scope scope;
    char fault[64];
    snprintf(fault, sizeof fault, "cuStreamQuery@%d:1:719:sticky", number);
    set_faults(fault);
    if (device_enter(devices[number], &scope) == STATUS_OK) {
        driver()->stream_query(lanes[number]->stream);
        device_leave(devices[number], &scope);
    }
}

UNIT_TEST(test_device_peer)
{
    setenv("EMULATED_DEVICES", "2", 1);
    setenv("EMULATED_PEER", "0", 1);
    setenv("MUBLAS_DEVICE", "all", 1);
    open_device(0);
    open_device(1);
    test_copy();
    lose(1);
    tap_ok(copy() == STATUS_DEVICE_LOST && device_is_usable(devices[0]) && !device_is_usable(devices[1]),
           "the other one is lost: it is left alone, and the first is not");
    lose(0);
    tap_ok(copy() == STATUS_DEVICE_LOST && !device_is_usable(devices[0]), "the first is lost, too");
    return tap_done();
}
