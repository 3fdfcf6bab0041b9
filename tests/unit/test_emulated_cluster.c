/* Launches of the emulated device that are one cluster: its blocks reach each other's shared memory. */
#include "emulated_device.h"
#include "unit_test.h"

enum { BLOCKS = 8, THREADS = 32, ALL = BLOCKS * THREADS, STEPS = 100, SHARED = (2 + 2 * ALL) * 8 };

static CUfunction function_of(const char *name)
{
    CUfunction function;
    MUST(cuda.module_function(&function, module, name));
    return function;
}

static CUlaunchAttribute attribute;
static CUlaunchConfig config_of(unsigned blocks, unsigned shared_bytes)
{
    attribute = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                    .value.clusterDim = {blocks, 1, 1}};
    return (CUlaunchConfig){.gridDimX = blocks, .gridDimY = 1, .gridDimZ = 1, .blockDimX = THREADS,
                            .blockDimY = 1, .blockDimZ = 1, .sharedMemBytes = shared_bytes, .hStream = stream,
                            .attrs = &attribute, .numAttrs = 1};
}

static CUresult queue_cluster(const char *name, unsigned blocks, struct emulated_test_arguments arguments)
{
    const CUlaunchConfig config = config_of(blocks, SHARED);
    void *parameters[] = {&arguments};
    return cuda.launch_kernel_ex(&config, function_of(name), parameters, NULL);
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

static void test_neighbours(void)
{
    double start[ALL], expected[ALL], found[ALL];
    CUdeviceptr numbers = allocate(sizeof start);
    for (unsigned i = 0; i < ALL; i++)
        start[i] = expected[i] = (i * 7919 + 13) % 1000003;
    for (int step = 0; step < STEPS; step++)
        step_by_hand(expected);
    MUST(cuda.copy_to_device_async(numbers, start, sizeof start, stream));
    MUST(queue_cluster("emulated_test_cluster", BLOCKS, (struct emulated_test_arguments){
                           .numbers = on_device(numbers), .value = STEPS}));
    MUST(cuda.copy_to_host_async(found, numbers, sizeof found, stream));
    MUST(cuda.memory_free(numbers));
    tap_ok(memcmp(found, expected, sizeof found) == 0, "%d times each block sends to all, and waits for all",
           STEPS);
}

static int room_of(unsigned blocks, unsigned shared_bytes)
{
    int clusters = -1;
    const CUlaunchConfig config = config_of(blocks, shared_bytes);
    const CUresult result =
        cuda.active_clusters(&clusters, function_of("emulated_test_cluster"), &config);
    return result == CUDA_SUCCESS ? clusters : -(int)result;
}

static void test_room(void)
{
    const CUfunction function = function_of("emulated_test_cluster");
    MUST(cuda.function_set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 << 10));
    tap_ok(room_of(8, 0) == 12 && room_of(8, 48 << 10) == 1 && room_of(8, 100 << 10) == 0,
           "there is room for 12 clusters, 1, or none");
    tap_ok(room_of(12, 0) == -CUDA_ERROR_INVALID_CLUSTER_SIZE &&
               room_of(17, 0) == -CUDA_ERROR_INVALID_CLUSTER_SIZE,
           "none has more blocks than any device takes");
    MUST(cuda.function_set_attribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    tap_ok(room_of(12, 0) == 8 && room_of(13, 0) == -CUDA_ERROR_INVALID_CLUSTER_SIZE,
           "unless the function may, and then no more than this one takes");
    tap_ok(queue_cluster("emulated_test_cluster", 13, (struct emulated_test_arguments){0}) ==
               CUDA_ERROR_INVALID_CLUSTER_SIZE, "a launch is refused likewise");
    tap_ok(cuda.stream_synchronise(stream) == CUDA_SUCCESS, "and leaves nothing behind");
}

static void reach_for_one_that_has_ended(void)
{
    open_device();
    MUST(queue_cluster("emulated_test_cluster_late", BLOCKS, (struct emulated_test_arguments){.value = 1}));
    MUST(cuda.stream_synchronise(stream));
}

static void launch_as_any_other(void)
{
    open_device();
    MUST(queue_kernel("emulated_test_cluster_late", BLOCKS, THREADS, SHARED,
                      (struct emulated_test_arguments){0}));
    MUST(cuda.stream_synchronise(stream));
}

static void write_behind(void)
{
    open_device();
    MUST(queue_kernel("emulated_test_behind", 1, THREADS, 100, (struct emulated_test_arguments){.value = 100}));
    MUST(cuda.stream_synchronise(stream));
}

static void run_unordered(void)
{
    open_device();
    CUdeviceptr numbers = allocate(8 * ALL);
    MUST(queue_cluster("emulated_test_cluster_unordered", BLOCKS,
                       (struct emulated_test_arguments){.numbers = on_device(numbers)}));
    MUST(cuda.stream_synchronise(stream));
    exit(0); /* with the sanitizer's exit status */
}

static void test_reports(void)
{
    static char text[1 << 20];
    run_apart(reach_for_one_that_has_ended, text, sizeof text);
    tap_ok(strstr(text, "kernel emulated_test_cluster_late, block 0 of 8: it reaches for the shared memory "
                        "of block 7, which does not run"),
           "a reach for a block that has ended is reported");
    run_apart(write_behind, text, sizeof text);
    tap_ok(strstr(text, "something was written behind its 100 bytes of shared memory"),
           "so is a write behind the shared memory of any block");
    run_apart(launch_as_any_other, text, sizeof text);
    tap_ok(strstr(text, "it was not launched as a cluster"), "so is one without a cluster");
#ifdef __SANITIZE_THREAD__
    run_apart(run_unordered, text, sizeof text);
    tap_ok(strstr(text, "data race") && strstr(text, "emulated_test_cluster_unordered"),
           "what nobody waits for is reported by ThreadSanitizer");
#else
    (void)run_unordered;
    tap_skip("races are reported", "needs a build with ThreadSanitizer");
#endif
}

UNIT_TEST(test_emulated_cluster)
{
    setenv("EMULATED_MULTIPROCESSORS", "3", 1);
    setenv("EMULATED_CLUSTER", "12", 1);
    setenv("EMULATED_SHARED", "192K", 1);
    open_library();
    test_reports();
    open_device();
    test_neighbours();
    test_room();
    return tap_done();
}
