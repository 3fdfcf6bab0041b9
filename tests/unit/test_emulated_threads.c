/* Fibers and collectives of the emulated driver: results, lane order, deadlock reports. And copies
 * into shared memory. */
#include "emulated_device.h"
#include "unit_test.h"

#include "common/program_state.h"

#include <fenv.h>
#include <math.h>
#include <signal.h>

enum { BLOCKS = 5 };

static uint64_t output[BLOCKS * 512];

static void run_and_read(const char *name, unsigned blocks, unsigned threads, unsigned shared, uint64_t value)
{
    size_t bytes = sizeof(uint64_t) * blocks * threads;
    CUdeviceptr memory = allocate(bytes);
    MUST(queue_kernel(name, blocks, threads, shared, (struct emulated_test_arguments){
                          .output = on_device(memory), .value = value}));
    MUST(cuda.copy_to_host_async(output, memory, bytes, stream));
    MUST(cuda.memory_free(memory));
}

static uint64_t expected_exchange(unsigned me, unsigned width, unsigned threads)
{
    unsigned lane = me % threads % width, base = me - lane;
    uint64_t digest = 0;
    (void)lane;
    for (unsigned i = 0; i < width; i++) {
        unsigned other = base + i;
        digest = digest * 31 + other + (uint64_t)(other * other) + other + 1000;
    }
    return digest;
}

static void test_exchange(void)
{
    for (unsigned width = 1; width <= 32; width *= 2)
        for (unsigned threads = 32; threads <= 512; threads *= 4) {
            bool good = true;
            run_and_read("emulated_test_exchange", BLOCKS, threads, 0, width);
            for (unsigned i = 0; i < BLOCKS * threads; i++)
                good = good && output[i] == expected_exchange(i, width, threads);
            tap_ok(good, "exchange of width %u among %u threads", width, threads);
        }
}

static void test_mixed(void)
{
    uint64_t sums[32];
    bool good = true;
    for (unsigned thread = 0; thread < 32; thread++) {
        sums[thread] = 0;
        for (unsigned round = 0; round < thread / 8; round++)
            sums[thread] += (thread / 8 * 8 + 7) * 100 + round + (round == 0 ? 31 : 0);
    }
    for (int repeat = 0; repeat < 20; repeat++) {
        run_and_read("emulated_test_mixed", 1, 32, 0, 0);
        for (unsigned thread = 0; thread < 32; thread++)
            good = good && output[thread] == sums[(thread + 1) % 32];
    }
    tap_ok(good, "groups of one warp may make different numbers of exchanges");
}

static void test_barrier(void)
{
    for (unsigned threads = 32; threads <= 512; threads += 96) {
        bool good = true;
        run_and_read("emulated_test_barrier", BLOCKS, threads, threads * 8, 7);
        for (unsigned i = 0; i < BLOCKS * threads; i++)
            good = good && output[i] == 7 * ((i % threads + 2) % threads);
        tap_ok(good, "barriers and shared memory among %u threads", threads);
    }
}

static void test_order(void)
{
    CUdeviceptr counter = allocate(4), memory = allocate(8 * 128);
    unsigned ascending = 0;
    for (unsigned repeat = 0; repeat < 2; repeat++) {
        MUST(cuda.memory_set_async(counter, 0, 4, stream));
        MUST(queue_kernel("emulated_test_order", 4, 32, 0, (struct emulated_test_arguments){
                              .output = on_device(memory), .counter = on_device(counter)}));
        MUST(cuda.copy_to_host_async(output, memory, 8 * 128, stream));
        for (unsigned i = 1; i < 128; i++)
            ascending += output[i] == output[i - 1] + 1;
    }
    tap_ok(ascending < 127, "threads and blocks run in a shuffled order (%u of 254 in sequence)", ascending);
    MUST(cuda.memory_free(counter));
    MUST(cuda.memory_free(memory));
}

static void test_rounding(void)
{
    fesetround(FE_UPWARD);
    run_and_read("emulated_test_rounding", 1, 32, 0, 0);
    bool kept = fegetround() == FE_UPWARD;
    fesetround(FE_TONEAREST);
    tap_ok(output[0] == FE_TONEAREST && kept, "kernels do not see the program's rounding mode, and leave it");
}

static void flush_denormals(bool wanted)
{
#if defined __x86_64__
    const uint32_t control = FLOAT_MXCSR_DEFAULT | (wanted ? 0x8040 : 0);
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
#elif defined __aarch64__
    const uint64_t control = wanted ? FLOAT_FLUSH : 0;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#endif
}

static void test_denormal(void)
{
    flush_denormals(true);
    run_and_read("emulated_test_denormal", 1, 32, 0, 0);
    struct float_state state;
    float_state_read(&state);
    flush_denormals(false);
    tap_ok(output[0] == 2 && float_state_ignores_denormals(&state),
           "kernels compute with denormals whatever the program does, and leave that");
}

static void test_ticket(void)
{
    CUdeviceptr counter = allocate(4), memory = allocate(8 * 101);
    uint64_t expected = 0;
    bool good = true;
    for (unsigned i = 0; i < 100; i++)
        expected = expected * 3 + 11 + i;
    MUST(cuda.memory_set_async(counter, 0, 4, stream));
    for (int repeat = 0; repeat < 20; repeat++) {
        MUST(queue_kernel("emulated_test_ticket", 100, 32, 0, (struct emulated_test_arguments){
                              .output = on_device(memory), .value = 11, .counter = on_device(counter)}));
        MUST(cuda.copy_to_host_async(output, memory, 8, stream));
        good = good && output[0] == expected;
    }
    tap_ok(good, "the last of 100 shuffled blocks sums in order");
    MUST(cuda.memory_free(counter));
    MUST(cuda.memory_free(memory));
}

static void launch_deadlock(void)
{
    open_device();
    MUST(queue_kernel("emulated_test_deadlock", 3, 64, 0, (struct emulated_test_arguments){.value = 40}));
    cuda.stream_synchronise(stream);
}

static void launch_mismatch(void)
{
    open_device();
    MUST(queue_kernel("emulated_test_mismatch", 1, 32, 0, (struct emulated_test_arguments){.value = 1}));
    cuda.stream_synchronise(stream);
}

static void leave_copies(void)
{
    open_device();
    MUST(queue_kernel("emulated_test_copies_left", 1, 32, 32 * 16, (struct emulated_test_arguments){
                          .numbers = on_device(allocate(16))}));
    MUST(cuda.stream_synchronise(stream));
}

static void test_copies(void)
{
    enum { THREADS = 64 };
    double numbers[2 * THREADS], found[THREADS][4];
    bool early = false, good = true;
    const CUdeviceptr input = allocate(sizeof numbers), results = allocate(sizeof found);
    for (int i = 0; i < 2 * THREADS; i++)
        numbers[i] = i + 0.5;
    MUST(cuda.copy_to_device_async(input, numbers, sizeof numbers, stream));
    MUST(queue_kernel("emulated_test_copies", 1, THREADS, sizeof numbers, (struct emulated_test_arguments){
                          .input = on_device(input), .numbers = on_device(results)}));
    MUST(cuda.copy_to_host_async(found, results, sizeof found, stream));
    MUST(cuda.memory_free(results));
    MUST(cuda.memory_free(input));
    for (int i = 0; i < 2 * THREADS; i++) {
        early = early || !isnan(found[i / 2][i % 2]);
        good = good && found[i / 2][2 + i % 2] == numbers[i];
    }
    tap_ok(good && !early, "an asynchronous copy is there behind the wait for it, and not before");
}

UNIT_TEST(test_emulated_threads)
{
    char text[4096];
    open_library();
    int ended = run_apart(launch_deadlock, text, sizeof text);
    tap_ok(ended == SIGABRT && strstr(text, "deadlock in kernel emulated_test_deadlock, block ") &&
               strstr(text, "63 are at a barrier") && strstr(text, "1 finished (first: 40)"),
           "a thread missing at a barrier is reported");
    ended = run_apart(launch_mismatch, text, sizeof text);
    tap_ok(ended == SIGABRT && strstr(text, "kernel emulated_test_mismatch, block 0, thread ") &&
               strstr(text, "meets one of"),
           "unequal exchanges within a group are reported");
    ended = run_apart(leave_copies, text, sizeof text);
    tap_ok(ended == SIGABRT && strstr(text, "kernel emulated_test_copies_left, block 0: thread 31 ends without "
                                            "waiting for its copies"),
           "so is a thread that ends without waiting for its copies");
    open_device();
    test_exchange();
    test_mixed();
    test_barrier();
    test_order();
    test_rounding();
    test_denormal();
    test_ticket();
    test_copies();
    return tap_done();
}
