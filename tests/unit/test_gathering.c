/* Huge pages under pinned matrices: when scans have cost as much as gathering, and what becomes
 * of the data. No time is measured here: what scans cost is made up. */
#include "mirror/pinning/pins.h"
#include "mirror/mirror_table.h"
#include "operand_table.h"
#include "unit_test.h"

enum { MATRIX_BYTES = 24 << 20 };

static void test_ledger(void)
{
    const uint64_t gib = (uint64_t)1 << 30;
    struct gathering_cost cost = {0};
    tap_ok(!gathering_pays(&cost, 100e3, gib) && gathering_pays(&cost, 1e6, gib),
           "at first 0.1 s of waiting are not worth a GiB, one second is");
    tap_ok(gathering_pays(&cost, 100e3, gib / 8), "but an eighth of it");
    gathering_learn(&cost, gib, UINT64_C(3000000000));
    tap_ok(!gathering_pays(&cost, 1e6, gib) && gathering_pays(&cost, 3.2e6, gib), "where a GiB took 3 s one is not enough");
    gathering_learn(&cost, 100 * gib, UINT64_C(3000000000));
    tap_ok(gathering_pays(&cost, 100e3, gib), "where it goes faster on average, less is");
}

static size_t huge_bytes(const unsigned char *memory)
{
    return write_tracker_huge_bytes(table->space->resources.tracker, (uintptr_t)memory, (uintptr_t)memory + MATRIX_BYTES);
}

static void note(struct mirror *mirror, const unsigned char *memory, size_t bytes, double us)
{
    gathering_note_wait(mirror, (struct byte_range){(uintptr_t)memory, (uintptr_t)memory + bytes}, us);
}

/* As interpose/execute/execute.c does it. Does the device have what the host has, before anything is launched? */
static bool read_unproven(unsigned char *memory)
{
    struct operand operand = whole(memory, MATRIX_BYTES, OPERAND_READ);
    struct operands_hold *hold;
    bool changed;
    if (operands_take_hold(table, lane, NULL, &operand, 1, 0, HOLD_UNPROVEN, &hold) != STATUS_OK)
        return false;
    bool good = lane_synchronise(lane, "uploading") == STATUS_OK && device_is_equal(&operand) &&
                operands_prove(hold, &changed) == STATUS_OK && !changed && operands_write_back(hold) == STATUS_OK;
    operands_release(hold, NULL);
    return good;
}

static void test_gathering(void)
{
    unsigned char *memory = map(MATRIX_BYTES), *shadow = map(MATRIX_BYTES);
    open_table(64 * MIB, 64 * MIB);
    bool good = call_read(memory, MATRIX_BYTES) == MATRIX_BYTES;
    struct mirror *mirror = mirror_of(memory);
    const unsigned long pins = call_count("cuMemHostRegister_v2");
    if (!mirror || mirror->pin_count != 1 || huge_bytes(memory) > 0) {
        tap_skip("gathering", "no pin, or huge pages from the start");
        return;
    }
    tap_ok(mirror->pins[0].gathering.waited_us > 0, "a scan that nothing hides is noted");
    const double waited_bytes = mirror->pins[0].gathering.waited_bytes;
    mirror->pins[0].gathering.waited_us = mirror->pins[0].gathering.waited_bytes = 0;
    note(mirror, memory, MATRIX_BYTES, 0);
    tap_ok(mirror->pins[0].gathering.waited_bytes == 0, "what a coarse clock does not see waits for nothing");
    mirror->pins[0].gathering.waited_bytes = waited_bytes;
    note(mirror, memory, MATRIX_BYTES, 1000);
    tap_ok(good && call_read(memory, MATRIX_BYTES) == 0 && huge_bytes(memory) == 0, "a millisecond of waiting is borne");
    note(mirror, memory, MATRIX_BYTES, 1e6);
    tap_ok(call_read(memory, MATRIX_BYTES / 32) == 0 && call_count("cuMemHostRegister_v2") == pins,
           "the waits were for the matrix, not for a panel of it");
    memory[5 * MIB] = 77;
    tap_ok(read_unproven(memory) && call_count("cuMemHostRegister_v2") == pins + 1,
           "after a second it is pinned anew, also where a call would have been launched first, and goes up again");
    if (huge_bytes(memory) == 0) {
        tap_skip("gathering", "this kernel did not gather");
        return;
    }
    tap_ok(huge_bytes(memory) > MATRIX_BYTES / 4 * 3 && mirror->pin_count == 1, "on huge pages");
    memory[7 * MIB] = 78;
    const long moved = call_read(memory, MATRIX_BYTES);
    tap_ok(moved > 0 && moved <= 2 * (long)MIB, "writes are still seen (%ld bytes)", moved);
    memcpy(shadow, memory, MATRIX_BYTES);
    tap_ok(call(whole(memory, MATRIX_BYTES, OPERAND_UPDATE), shadow - memory) == 0 &&
               memcmp(memory, shadow, MATRIX_BYTES) == 0 && call_read(memory, MATRIX_BYTES) == 0,
           "results come back, and stay");
    note(mirror, memory, MATRIX_BYTES, 1e6);
    tap_ok(call_read(memory, MATRIX_BYTES) == 0 && call_count("cuMemHostRegister_v2") == pins + 1,
           "what is huge is not gathered again");
    unmap(memory, MATRIX_BYTES);
    unmap(shadow, MATRIX_BYTES);
    mirror_table_destroy(table);
}

UNIT_TEST(test_gathering)
{
    page = (size_t)1 << page_shift();
    test_ledger();
    lane = emulated_lane();
    open_table(MIB, 0);
    const bool tracks = mirror_table_tracks(table);
    mirror_table_destroy(table);
    if (tracks)
        test_gathering();
    else
        tap_skip("gathering", "host writes cannot be tracked here");
    lane_release(lane);
    return tap_done();
}
