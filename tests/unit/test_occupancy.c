/* The three occupancies: active blocks from described devices, and what is made of them. */
#include "tuner/online/tuning_class.h"
#include "paper_devices.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

static void test_active(const char *device, const struct device_limits *limits, int registers,
                        size_t shared_bytes, unsigned threads, int wanted)
{
    const struct kernel_resources resources = {registers, shared_bytes};
    const int active = occupancy_active_blocks(limits, &resources, threads);
    tap_ok(active == wanted, "%s, %d registers, %zu bytes, %u threads: %d active blocks", device, registers,
           shared_bytes, threads, active);
}

static void test_active_blocks(void)
{
    test_active("GTX 580", &gtx580, 16, 0, 256, 6);    /* by warps */
    test_active("GTX 580", &gtx580, 16, 0, 32, 8);     /* by blocks */
    test_active("GTX 580", &gtx580, 32, 0, 256, 4);    /* by registers */
    test_active("GTX 580", &gtx580, 34, 0, 960, 1);    /* 15 warps in each half of the registers */
    test_active("GTX 580", &gtx580, 34, 0, 961, 0);
    test_active("GTX 580", &gtx580, 16, 12300, 64, 3); /* by shared memory */
    test_active("K20c", &k20c, 64, 0, 32, 16);
    test_active("K20c", &k20c, 64, 0, 64, 16);
    test_active("K20c", &k20c, 64, 0, 1024, 1);
    test_active("GTX 980", &gtx980, 32, 0, 33, 32);    /* 33 threads are two warps */
    test_active("GTX 980", &gtx980, 40, 0, 96, 16);    /* 48 warps, not the 51 that fit without partitions */
    test_active("H100", &h100, 64, 32800, 128, 6);     /* 1 KiB of each block is the system's */
    test_active("H100", &h100, 32, 0, 1025, 0);
    test_active("H100", &h100, 32, 0, 0, 0);
}

/* The examples in sections 2.2 and 2.3.2 of the paper. */
static void test_paper_examples(void)
{
    const struct kernel_resources of_128 = {128, 0}, of_64 = {64, 0};
    const struct occupancy_figures figures = occupancy_figures_of(&k20c, &of_64);
    tap_ok(occupancy_most_threads(&k20c, &of_128) == 512, "128 of 65536 registers: 512 threads at most");
    tap_ok(figures.active[4] * 4 == 32 && occupancy_of(&figures, 128, 0, 1).warp == 0.5,
           "64 registers: 32 warps active, half of those resident");
    tap_ok(occupancy_most_threads(&gtx580, &of_64) == 512, "a GTX 580 has half as many");
}

static void test_most_threads(void)
{
    const struct device_limits *devices[] = {&gtx580, &k20c, &gtx980, &h100};
    bool same = true;
    for (int i = 0; i < 4; i++)
        for (int registers = 1; registers < 256; registers++) {
            const struct kernel_resources resources = {registers, 100};
            unsigned most = 0;
            for (unsigned threads = 32; threads <= 1024; threads += 32)
                if (occupancy_active_blocks(devices[i], &resources, threads) > 0)
                    most = threads;
            same = same && most == occupancy_most_threads(devices[i], &resources);
        }
    tap_ok(same, "the most threads are the most of which a block is active");
    tap_ok(occupancy_most_threads(&k20c, &(struct kernel_resources){16, 49 << 10}) == 0,
           "none with more shared memory than there is");
}

static void test_occupancies(void)
{
    const struct kernel_resources resources = {32, 0};
    const struct occupancy_figures figures =
        occupancy_figures_of(&gtx980, &resources); /* 16 x 8 blocks of 256 */
    struct occupancy occupancy = occupancy_of(&figures, 256, 0, 128);
    tap_ok(occupancy.warp == 1 && occupancy.block == 0.25 && occupancy.grid == 1,
           "a full wave of blocks of 256");
    occupancy = occupancy_of(&figures, 256, 0, 129);
    tap_ok(fabs(occupancy.grid - 129.0 / 256) < 1e-15, "a block more: %.3f of two waves", occupancy.grid);
    occupancy = occupancy_of(&figures, 256, 2, 128);
    tap_ok(occupancy.warp == 0.25 && occupancy.block == 0.0625 && occupancy.grid == 1,
           "two blocks on a multiprocessor: a quarter of the warps, four full waves");
    occupancy = occupancy_of(&figures, 256, 100, 128);
    tap_ok(occupancy.warp == 1, "no more blocks than fit");
    occupancy = occupancy_of(&figures, 256, 0, INT64_C(1) << 40);
    tap_ok(occupancy.grid == 1, "2^40 items");
    occupancy = occupancy_of(&figures, 1056, 0, 5);
    tap_ok(occupancy.grid == 0 && occupancy.warp == 0, "33 warps: nothing");
    occupancy = occupancy_of(&figures, 256, 0, 0);
    tap_ok(occupancy.grid == 0, "no items: nothing");
}

UNIT_TEST(test_occupancy)
{
    test_active_blocks();
    test_paper_examples();
    test_most_threads();
    test_occupancies();
    return tap_done();
}
