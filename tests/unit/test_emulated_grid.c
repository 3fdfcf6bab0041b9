/* Cooperative launches of the emulated device: all blocks run at once and may wait for each other. */
#include "emulated_device.h"
#include "unit_test.h"

#include <pthread.h>
#include <sched.h>

enum { BLOCKS = 12, THREADS = 32, ALL = BLOCKS * THREADS, STEPS = 200, ABSENT = 5 };

/* Pinned: the host may write it while a kernel runs. */
static struct {
    struct grid_gate gate;
    unsigned abort;
} *pinned;
static struct grid_gate *gate; /* the pinned one */

static CUfunction function_of(const char *name)
{
    CUfunction function;
    MUST(cuda.module_function(&function, module, name));
    return function;
}

/* With THREADS threads a block. */
static CUresult queue_cooperative(const char *name, unsigned blocks, unsigned shared_bytes,
                                  struct emulated_test_arguments arguments)
{
    void *parameters[] = {&arguments};
    return cuda.launch_cooperative_kernel(function_of(name), blocks, 1, 1, THREADS, 1, 1, shared_bytes,
                                          stream, parameters);
}

static void clear_gate(void)
{
    *gate = (struct grid_gate){.abort = &pinned->abort};
    pinned->abort = 0;
}

static void open_grid(void)
{
    void *pointer;
    open_device();
    MUST(cuda.pinned_allocate(&pointer, sizeof *pinned, CU_MEMHOSTALLOC_PORTABLE));
    pinned = pointer;
    gate = &pinned->gate;
    clear_gate();
}

static void fill_numbers(double *numbers)
{
    for (unsigned i = 0; i < ALL; i++)
        numbers[i] = (i * 7919 + 13) % 1000003;
}

static void step_by_hand(double *numbers)
{
    double before[ALL];
    memcpy(before, numbers, sizeof before);
    for (unsigned i = 0; i < ALL; i++) {
        const double sum = before[(i + ALL - THREADS) % ALL] + before[i] + before[(i + THREADS) % ALL];
        numbers[i] = (double)((uint64_t)sum % (uint64_t)GRID_MODULUS);
    }
}

static bool run_neighbours(void)
{
    double start[ALL], expected[ALL], found[ALL];
    CUdeviceptr numbers = allocate(2 * sizeof start), device_gate = allocate(sizeof *gate);
    fill_numbers(start);
    memcpy(expected, start, sizeof expected);
    for (int step = 0; step < STEPS; step++)
        step_by_hand(expected);
    MUST(cuda.memory_set_async(device_gate, 0, sizeof *gate, stream));
    MUST(cuda.copy_to_device_async(numbers, start, sizeof start, stream));
    MUST(queue_cooperative("emulated_test_neighbours", BLOCKS, 0, (struct emulated_test_arguments){
                               .numbers = on_device(numbers), .value = STEPS,
                               .gate = on_device(device_gate)}));
    MUST(cuda.copy_to_host_async(found, numbers, sizeof found, stream));
    MUST(cuda.memory_free(numbers));
    MUST(cuda.memory_free(device_gate));
    return memcmp(found, expected, sizeof found) == 0;
}

static void test_neighbours(void)
{
    bool good = true;
    for (int round = 0; round < 5; round++)
        good = good && run_neighbours();
    tap_ok(good, "%d barriers of %d blocks in shuffled order: each sees what its neighbours wrote", STEPS,
           BLOCKS);
}

/* As the host when its patience is at its end, once all but one block wait. */
static void *abort_waits(void *ignored)
{
    while (__atomic_load_n(&gate->arrived, __ATOMIC_ACQUIRE) < BLOCKS - 1)
        sched_yield();
    __atomic_store_n(&pinned->abort, 1, __ATOMIC_RELEASE);
    return ignored;
}

static void test_abort(void)
{
    static uint64_t output[ALL];
    pthread_t host;
    bool good = true;
    CUdeviceptr memory = allocate(sizeof output);
    MUST(cuda.memory_set_async(memory, 0, sizeof output, stream));
    MUST(queue_cooperative("emulated_test_absent", BLOCKS, 0, (struct emulated_test_arguments){
                               .output = on_device(memory), .value = ABSENT, .gate = gate}));
    MUST(pthread_create(&host, NULL, abort_waits, NULL));
    MUST(cuda.copy_to_host_async(output, memory, sizeof output, stream));
    pthread_join(host, NULL);
    for (unsigned i = 0; i < ALL; i++)
        good = good && output[i] == (i / THREADS == ABSENT ? 0 : 2);
    tap_ok(good,
           "blocks that wait for one that never comes leave when the host says so, all threads of them");
    clear_gate();
}

static void test_too_large(void)
{
    int room, multiprocessors, supported;
    const struct emulated_test_arguments arguments = {.gate = gate};
    MUST(cuda.device_attribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    MUST(cuda.device_attribute(&supported, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0));
    MUST(cuda.active_blocks(&room, function_of("emulated_test_neighbours"), THREADS, 48 << 10));
    tap_ok(multiprocessors == 3 && supported && room == 4, "%d blocks on each of %d multiprocessors", room,
           multiprocessors);
    tap_ok(queue_cooperative("emulated_test_neighbours", 12, 48 << 10, arguments) == CUDA_SUCCESS &&
               queue_cooperative("emulated_test_neighbours", 13, 48 << 10, arguments) ==
                   CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
           "a grid that does not fit the device is refused");
    tap_ok(cuda.stream_synchronise(stream) == CUDA_SUCCESS, "and leaves nothing behind");
}

static void test_kernel_failure(void)
{
    emulated.set_faults("KERNEL:1:719");
    const struct emulated_test_arguments arguments = {.gate = gate};
    MUST(queue_cooperative("emulated_test_neighbours", 2, 0, arguments));
    tap_ok(cuda.stream_synchronise(stream) == CUDA_ERROR_LAUNCH_FAILED, "its failure shows at the wait");
    emulated.set_faults(NULL);
}

static void wait_for_ever(void)
{
    setenv("EMULATED_PATIENCE", "1", 1);
    open_grid();
    CUdeviceptr memory = allocate(8 * ALL);
    MUST(queue_cooperative("emulated_test_absent", BLOCKS, 0, (struct emulated_test_arguments){
                               .output = on_device(memory), .value = ABSENT, .gate = gate}));
    MUST(cuda.stream_synchronise(stream));
}

/* The first block would run to its end before the second one. */
static void launch_as_any_other(void)
{
    setenv("EMULATED_PATIENCE", "1", 1);
    open_grid();
    CUdeviceptr memory = allocate(8 * ALL);
    MUST(queue_kernel("emulated_test_absent", BLOCKS, THREADS, 0, (struct emulated_test_arguments){
                          .output = on_device(memory), .value = BLOCKS, .gate = gate}));
    MUST(cuda.stream_synchronise(stream));
}

static void launch_unsupported(void)
{
    int supported;
    setenv("EMULATED_COOPERATIVE", "0", 1);
    open_grid();
    MUST(cuda.device_attribute(&supported, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0));
    const struct emulated_test_arguments arguments = {.gate = gate};
    fprintf(stderr, "%d %d", supported, queue_cooperative("emulated_test_neighbours", 1, 0, arguments));
}

static void run_unordered(void)
{
    open_grid();
    CUdeviceptr numbers = allocate(8 * ALL);
    MUST(queue_cooperative("emulated_test_grid_unordered", BLOCKS, 0,
                           (struct emulated_test_arguments){.numbers = on_device(numbers)}));
    MUST(cuda.stream_synchronise(stream));
    exit(0); /* with the sanitizer's exit status */
}

static void test_reports(void)
{
    static char text[1 << 20];
    run_apart(wait_for_ever, text, sizeof text);
    tap_ok(strstr(text, "kernel emulated_test_absent") && strstr(text, "has waited for other blocks"),
           "a wait that does not end is reported");
    run_apart(launch_as_any_other, text, sizeof text);
    tap_ok(strstr(text, "has waited for other blocks"),
           "so is a barrier of the grid without a cooperative launch");
    run_apart(launch_unsupported, text, sizeof text);
    tap_ok(strcmp(text, "0 801") == 0, "a device may lack cooperative launches");
#ifdef __SANITIZE_THREAD__
    run_apart(run_unordered, text, sizeof text);
    tap_ok(strstr(text, "data race") && strstr(text, "emulated_test_grid_unordered"),
           "what no barrier orders is reported by ThreadSanitizer");
#else
    (void)run_unordered;
    tap_skip("races are reported", "needs a build with ThreadSanitizer");
#endif
}

UNIT_TEST(test_emulated_grid)
{
    setenv("EMULATED_MULTIPROCESSORS", "3", 1);
    setenv("EMULATED_COOPERATIVE", "1", 0);
    open_library();
    test_reports();
    open_grid();
    test_neighbours();
    test_abort();
    test_too_large();
    test_kernel_failure();
    return tap_done();
}
