/* One of four ranks on a device: what a route may take of it beyond the rank's share. */
#include "operand_table.h"
#include "unit_test.h"

static size_t free_now(void)
{
    size_t free_bytes = 0, total_bytes;
    driver()->memory_info(&free_bytes, &total_bytes);
    return free_bytes;
}

static size_t committed(void)
{
    return atomic_load(&table->share->budget.committed);
}

static CUdeviceptr borrow(size_t bytes)
{
    CUdeviceptr address;
    size_t got;
    return operands_borrow_kept(table, bytes, &address, &got) == STATUS_OK && got == bytes ? address : 0;
}

/* 80% of a quarter of 1000 MiB are 200. */
static void test_loans(void)
{
    open_table(8 * MIB, 0);
    mirror_table_follow(table, 80);
    const size_t before = free_now();
    const CUdeviceptr own = borrow(150 * MIB);
    tap_ok(own && committed() == 150 * MIB, "what the share has room for is the rank's");
    operands_keep(table, own, 150 * MIB);
    const CUdeviceptr lent = borrow(400 * MIB);
    tap_ok(lent && committed() == 150 * MIB && free_now() == before - 550 * MIB,
           "more than the share is lent, of what nobody uses");
    tap_ok(!borrow(500 * MIB), "not of what is used");
    operands_keep(table, lent, 400 * MIB);
    tap_ok(free_now() == before - committed(), "and goes back, though the route would keep it");
    const CUdeviceptr again = borrow(400 * MIB);
    operands_return(table, again, 400 * MIB);
    tap_ok(again && free_now() == before - committed(), "after a failure, too");
    tap_ok(!borrow(950 * MIB) && committed() == 0, "more than there is: not to be had");
    mirror_table_destroy(table);
    tap_ok(free_now() == before, "all has come back");
}

static void test_fixed(void)
{
    open_table(8 * MIB, 0);
    tap_ok(!borrow(9 * MIB), "an amount in bytes is not exceeded");
    mirror_table_destroy(table);
}

UNIT_TEST(test_lent_memory)
{
    setenv("EMULATED_DEVICE_MEMORY", "1048576000", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", "0", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "4", 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    page = (size_t)1 << page_shift();
    lane = emulated_lane();
    struct device_scope scope;
    if (device_enter(emulated_device, &scope) != STATUS_OK)
        return 1;
    test_loans();
    test_fixed();
    device_leave(emulated_device, &scope);
    lane_release(lane);
    return tap_done();
}
