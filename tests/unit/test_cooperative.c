/* Cooperative launches on a lane: as many blocks as the device holds at once, behind a gate that is made
 * anew; launches that are refused. */
#include "emulated_lane.h"

#include "common/blas_call.h"
#include "gpu/cooperative.h"
#include "gpu/kernels/route_arguments.h"
#include "test_apart.h"
#include "unit_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 40, BYTES = COLUMNS * PART_PIECE * 4 };

static struct lane *lane;
static CUdeviceptr from, to, gate;
static uint32_t words[COLUMNS * PART_PIECE], found[COLUMNS * PART_PIECE];

static struct cooperative_launch wanted_blocks(unsigned blocks)
{
    return (struct cooperative_launch){
        .kernel = KERNEL_part_copy, .threads = 512, .blocks = blocks, .gate = gate};
}

static enum status launch(struct cooperative_launch *launch)
{
    struct part_arguments arguments = {.from = (void *)(uintptr_t)from, .to = (void *)(uintptr_t)to,
                                       .from_ld = PART_PIECE, .to_ld = PART_PIECE, .rows = PART_PIECE,
                                       .columns = COLUMNS, .unit_words = 1, .element_units = 1,
                                       .part = PART_FULL};
    return cooperative_launch(lane->device, lane->stream, launch, &arguments);
}

/* With a watch or without. */
static void test_launch(unsigned wanted, unsigned expected, struct stream_watch *watch)
{
    const struct grid_gate used = {77, (const unsigned *)1};
    struct grid_gate left;
    struct cooperative_launch copy = wanted_blocks(wanted);
    copy.watch = watch;
    device_poke(gate, &used, sizeof used);
    memset(found, 0, sizeof found);
    device_poke(to, found, BYTES);
    tap_ok(launch(&copy) == STATUS_OK && copy.blocks == expected, "%u blocks are wanted, %u launched", wanted,
           expected);
    lane_synchronise(lane, "testing");
    device_peek(found, to, BYTES);
    device_peek(&left, gate, sizeof left);
    tap_ok(memcmp(found, words, BYTES) == 0, "and do the kernel's work");
    tap_ok(left.arrived == 0 && (left.abort != NULL) == (watch != NULL) &&
               left.abort == (watch ? watch->gate->abort : NULL) && (!watch || watch->has_deadline),
           "behind a gate that is made anew, %s", watch ? "which the watch may open" : "which stays shut");
}

static void test_room(void)
{
    unsigned blocks = 0;
    struct cooperative_launch copy = wanted_blocks(1);
    enum status status = cooperative_room(lane->device, &copy, &blocks);
    tap_ok(status == STATUS_OK && blocks == 8, "two multiprocessors hold %u blocks, by threads", blocks);
    copy.shared_bytes = 120 << 10;
    status = cooperative_room(lane->device, &copy, &blocks);
    tap_ok(status == STATUS_OK && blocks == 2, "%u by shared memory", blocks);
}

static void test_refusals(void)
{
    struct cooperative_launch copy = wanted_blocks(2);
    const unsigned long zeroed = call_count("cuMemsetD8Async");
    set_faults("cuOccupancyMaxActiveBlocksPerMultiprocessor:1:1");
    tap_ok(launch(&copy) == STATUS_DEVICE_ERROR, "any other error is one");
    tap_ok(call_count("cuMemsetD8Async") == zeroed && launch(&copy) == STATUS_OK,
           "and the device goes on");
    lane_synchronise(lane, "testing");
    set_faults("cuLaunchCooperativeKernel:1:719:sticky");
    tap_ok(launch(&copy) == STATUS_DEVICE_LOST, "a fatal one loses the device");
    set_faults("");
}

static void open_lane(void)
{
    lane = emulated_lane();
    if (device_allocate(emulated_device, BYTES, &from) != STATUS_OK ||
        device_allocate(emulated_device, BYTES, &to) != STATUS_OK ||
        device_allocate(emulated_device, sizeof(struct grid_gate), &gate) != STATUS_OK)
        tap_skip_all("no device memory");
}

static bool lacks_cooperation(void)
{
    unsigned blocks;
    struct cooperative_launch copy = wanted_blocks(2);
    setenv("EMULATED_COOPERATIVE", "0", 1);
    open_lane();
    return cooperative_room(lane->device, &copy, &blocks) == STATUS_UNSUPPORTED &&
           launch(&copy) == STATUS_UNSUPPORTED && call_count("cuLaunchCooperativeKernel") == 0;
}

static bool remembers_refusal(void)
{
    unsigned blocks;
    open_lane();
    struct cooperative_launch copy = wanted_blocks(2);
    set_faults("cuLaunchCooperativeKernel:1:720");
    return launch(&copy) == STATUS_UNSUPPORTED &&
           cooperative_room(lane->device, &copy, &blocks) == STATUS_UNSUPPORTED &&
           launch(&copy) == STATUS_UNSUPPORTED && call_count("cuLaunchCooperativeKernel") == 1;
}

static void test_deadlines(void)
{
    static const struct {
        double expected, host, deadline;
        const char *what;
    } all[] = {{0, 0, 10, "nothing is known"},
               {0.5, 0.1, 10, "both are short"},
               {3, 5, 30, "the device's time is the longer one"},
               {3, 50, 50, "the host takes longer than so many times the device"},
               {0, 50, 50, "the device's time is not known"},
               {NAN, NAN, 10, "no number is expected"},
               {-1, -INFINITY, 10, "less than nothing is expected"},
               {INFINITY, 1, 1e9, "no end is expected"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct stream_watch watch = {.expected_seconds = all[i].expected, .host_seconds = all[i].host};
        tap_ok(stream_watch_deadline(&watch) == all[i].deadline, "the deadline is %g s where %s",
               all[i].deadline, all[i].what);
    }
}

static void test_watched_launch(void)
{
    struct stream_watch watch;
    tap_ok(stream_watch_create(lane->device, lane->stream, &watch) == STATUS_OK && *watch.gate->abort == 0,
           "a watch is made");
    test_launch(3, 3, &watch);
    tap_ok(stream_watch_wait(&watch, "testing") == STATUS_OK && !watch.has_deadline,
           "what has a deadline and ends is waited for");
    stream_watch_destroy(&watch);
}

UNIT_TEST(test_cooperative)
{
    setenv("EMULATED_MULTIPROCESSORS", "2", 1);
    setenv("EMULATED_COOPERATIVE", "1", 0);
    test_apart(lacks_cooperation, "a device may have no cooperative launches: then none is tried");
    test_apart(remembers_refusal, "where the driver refuses one, no other is tried");
    open_lane();
    for (uint32_t i = 0; i < COLUMNS * PART_PIECE; i++)
        words[i] = i * 2654435761u;
    device_poke(from, words, BYTES);
    test_room();
    test_deadlines();
    test_launch(3, 3, NULL);
    test_launch(1000, 8, NULL);
    test_watched_launch();
    test_refusals();
    return tap_done();
}
