/* Device memory that routes leave to the next, and operands that they hold. */
#include "operand_table.h"
#include "unit_test.h"

static CUdeviceptr borrow_kept(size_t bytes, size_t *got)
{
    CUdeviceptr address = 0;
    return operands_borrow_kept(table, bytes, &address, got) == STATUS_OK ? address : 0;
}

static void test_kept(void)
{
    size_t bytes, more, less;
    open_table(8 * MIB, 0);
    const CUdeviceptr first = borrow_kept(2 * MIB, &bytes);
    operands_keep(table, first, bytes);
    const CUdeviceptr again = borrow_kept(MIB, &less);
    tap_ok(first && again == first && less == 2 * MIB, "what was kept serves a smaller wish");
    operands_keep(table, again, less);
    const CUdeviceptr larger = borrow_kept(7 * MIB, &more);
    tap_ok(larger && more == 7 * MIB && atomic_load(&table->share->budget.committed) == more,
           "it goes where the budget has no room for a larger one");
    operands_return(table, larger, more);
    operands_keep(table, borrow_kept(MIB, &bytes), MIB);
    set_faults("cuMemAlloc_v2:1:2");
    const CUdeviceptr scarce = borrow_kept(2 * MIB, &more);
    set_faults("");
    tap_ok(scarce && atomic_load(&table->share->budget.committed) == more, "or the device has none");
    operands_return(table, scarce, more);
    mirror_table_destroy(table);
}

/* The second of these two starts where no 32-bit number does. */
static void test_mirrored(void)
{
    unsigned char *const memory = map(MIB);
    open_table(8 * MIB, 0);
    const size_t scratch = lane->scratch_bytes;
    for (int shift = 0; shift < 4; shift += 2) {
        struct operand operand = operand_of(memory + shift, 64, 64, 64, PART_FULL, OPERAND_READ);
        struct operands_hold *hold = NULL;
        operand.alignment = 4;
        const enum status status = operands_take_hold(table, lane, NULL, &operand, 1, 0, HOLD_MIRRORED,
                                                      &hold);
        tap_ok(status == (shift ? STATUS_UNSUPPORTED : STATUS_OK) && lane->scratch_bytes == scratch,
               "held by its mirror, or not at all: at %d bytes", shift);
        if (status == STATUS_OK)
            operands_release(hold, NULL);
    }
    mirror_table_destroy(table);
    unmap(memory, MIB);
}

UNIT_TEST(test_kept_memory)
{
    page = (size_t)1 << page_shift();
    lane = emulated_lane();
    test_kept();
    test_mirrored();
    lane_release(lane);
    return tap_done();
}
