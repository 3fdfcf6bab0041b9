/* shared_transfer.h - what tests of transfers by several threads share: memory of the emulated device, what it
 * should hold, and transfers by so many helpers. */
#ifndef MUBLAS_TESTS_SHARED_TRANSFER_H
#define MUBLAS_TESTS_SHARED_TRANSFER_H

#include "emulated_lane.h"
#include "mirror/transfer/transfer.h"
#include "said_processors.h"

enum { DEVICE_BYTES = 96 << 20, GUARD = 64, LARGE = 40 << 20 };

static struct lane *lane;
static CUdeviceptr device;
static unsigned char *image; /* what device memory should be or was */

static uint64_t random_state = 1;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

static unsigned char *allocate(size_t bytes)
{
    unsigned char *memory = malloc(bytes);
    if (!memory)
        abort();
    return memory;
}

/* Never the same twice, and no period that a piece's length could have. */
static void fill_randomly(unsigned char *memory, size_t bytes)
{
    uint64_t state = draw(UINT64_C(1) << 31) + 1;
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        memcpy(memory + i, &state, 8);
    }
    memset(memory + i, 7, bytes - i);
}

static bool all_are(const unsigned char *memory, size_t bytes, unsigned char value)
{
    return bytes == 0 || (memory[0] == value && memcmp(memory, memory + 1, bytes - 1) == 0);
}

static bool upload(struct transfer transfer, int helpers)
{
    enum status status = STATUS_BUSY;
    if (helpers == 0)
        return transfer_upload_alone(&transfer) == STATUS_OK;
    return shared_transfer_run(&transfer, 1, helpers, true, &status) && status == STATUS_OK;
}

static bool download(struct transfer transfer, int helpers)
{
    enum status status = STATUS_BUSY;
    if (helpers == 0)
        return transfer_download_alone(&transfer) == STATUS_OK;
    return shared_transfer_run(&transfer, 1, helpers, false, &status) && status == STATUS_OK;
}

static void open_memory(void)
{
    lane = emulated_lane();
    image = malloc(DEVICE_BYTES);
    if (!image || device_allocate(emulated_device, DEVICE_BYTES, &device) != STATUS_OK)
        tap_skip_all("not enough memory");
}

static int close_memory(void)
{
    lane_release(lane);
    device_leave(emulated_device, &emulated_scope);
    return tap_done();
}

#endif
