/* Blocks on several operating-system threads: results hold, and ThreadSanitizer sees
 * whether a kernel's tickets really order its blocks. */
#include "emulated_device.h"
#include "unit_test.h"

enum { BLOCKS = 64, ROUNDS = 30 };

static uint64_t output[BLOCKS * 32];

static uint64_t expected_sum(uint64_t value)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
        sum = sum * 3 + value + i;
    return sum;
}

static bool run_tickets(const char *kernel)
{
    CUdeviceptr counter = allocate(4), memory = allocate(8 * (BLOCKS + 1));
    bool good = true;
    MUST(cuda.memory_set_async(counter, 0, 4, stream));
    for (uint64_t round = 0; round < ROUNDS; round++) {
        MUST(queue_kernel(kernel, BLOCKS, 32, 0, (struct emulated_test_arguments){
                              .output = on_device(memory), .value = round, .counter = on_device(counter)}));
        MUST(cuda.copy_to_host_async(output, memory, 8, stream));
        good = good && output[0] == expected_sum(round);
    }
    return good;
}

static bool run_barriers(void)
{
    CUdeviceptr memory = allocate(sizeof output);
    bool good = true;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        MUST(queue_kernel("emulated_test_barrier", BLOCKS, 32, 32 * 8, (struct emulated_test_arguments){
                              .output = on_device(memory), .value = round}));
        MUST(cuda.copy_to_host_async(output, memory, sizeof output, stream));
        for (unsigned i = 0; i < BLOCKS * 32; i++)
            good = good && output[i] == round * ((i % 32 + 2) % 32);
    }
    return good;
}

static void run_unordered(void)
{
    open_device();
    run_tickets("emulated_test_unordered");
    exit(0); /* with the sanitizer's exit status */
}

static void run_unsynchronised(void)
{
    open_device();
    CUdeviceptr memory = allocate(8 * 64);
    MUST(queue_kernel("emulated_test_unsynchronised", 1, 64, 64 * 8, (struct emulated_test_arguments){
                          .output = on_device(memory)}));
    MUST(cuda.stream_synchronise(stream));
    exit(0);
}

static void test_race_reports(void)
{
#ifdef __SANITIZE_THREAD__
    static char text[1 << 20];
    run_apart(run_unordered, text, sizeof text);
    tap_ok(strstr(text, "data race") && strstr(text, "emulated_test_unordered"),
           "a ticket that orders nothing is reported by ThreadSanitizer");
    run_apart(run_unsynchronised, text, sizeof text);
    tap_ok(strstr(text, "data race") && strstr(text, "emulated_test_unsynchronised"),
           "so is shared memory used without a barrier");
#else
    (void)run_unordered;
    (void)run_unsynchronised;
    tap_skip("races are reported", "needs a build with ThreadSanitizer");
#endif
}

UNIT_TEST(test_emulated_blocks)
{
    open_library();
    setenv("EMULATED_BLOCK_THREADS", "3", 1);
    test_race_reports();
    open_device();
    tap_ok(run_tickets("emulated_test_ticket"),
           "the last block to arrive sums in order, blocks on three threads");
    tap_ok(run_barriers(), "blocks on three threads do not mix their shared memory");
    return tap_done();
}
