/* Order and waiting in the emulated driver: nothing lands before the wait, and then in
 * order; pageable memory; events; 2-D copies; concurrent callers; fork. */
#include "emulated_device.h"
#include "unit_test.h"

#include <pthread.h>

static unsigned char *staging;
static unsigned char expected[1 << 16], buffer[1 << 16];

static void test_waiting(void)
{
    CUdeviceptr memory = allocate(4096);
    memset(staging, 1, 4096);
    MUST(cuda.memory_set_async(memory, 0, 4096, stream));
    MUST(cuda.stream_synchronise(stream));
    MUST(cuda.copy_to_device_async(memory, staging, 4096, stream));
    emulated.peek(buffer, memory, 4096);
    tap_ok(all_are(buffer, 4096, 0), "a copy to the device does not land before the wait");
    memset(staging, 2, 4096); /* too early: a bug in a program */
    MUST(cuda.stream_synchronise(stream));
    emulated.peek(buffer, memory, 4096);
    tap_ok(all_are(buffer, 4096, 2), "its pinned source is read at the wait");

    MUST(cuda.copy_to_host_async(staging + 100, memory, 1000, stream));
    tap_ok(all_are(staging + 100, 1000, 0xff) && staging[99] == 2 && staging[1100] == 2,
           "a pinned destination is poisoned until the wait, and only it");
    MUST(cuda.stream_synchronise(stream));
    tap_ok(all_are(staging, 4096, 2), "after the wait it is there");

    memset(buffer, 3, 4096);
    MUST(cuda.copy_to_device_async(memory, buffer, 4096, stream));
    memset(buffer, 4, 4096);
    MUST(cuda.copy_to_host_async(expected, memory, 4096, stream));
    tap_ok(all_are(expected, 4096, 3), "pageable memory: source read, destination written at return");
    MUST(cuda.memory_free(memory));
}

static void test_order(void)
{
    CUdeviceptr memory = allocate(8 * 64);
    uint64_t *words = (uint64_t *)(void *)staging;
    MUST(queue_kernel("emulated_test_fill", 2, 32, 0, (struct emulated_test_arguments){
                          .output = on_device(memory), .value = 5}));
    MUST(queue_kernel("emulated_test_add", 2, 32, 0, (struct emulated_test_arguments){
                          .output = on_device(memory), .input = on_device(memory)}));
    MUST(cuda.copy_to_host_async(staging, memory, 8 * 64, stream));
    MUST(cuda.memory_set_async(memory, 0, 8 * 64, stream));
    tap_ok(emulated.call_count("KERNEL") == 0, "kernels do not run at their launch");
    MUST(cuda.stream_synchronise(stream));
    bool good = emulated.call_count("KERNEL") == 2;
    for (unsigned i = 0; i < 64; i++)
        good = good && words[i] == 2 * (5 + i);
    tap_ok(good, "kernels and copies run in the order of the stream");
    MUST(cuda.memory_free(memory));
}

static void test_events(void)
{
    CUevent event;
    CUstream other;
    CUdeviceptr memory = allocate(64);
    MUST(cuda.event_create(&event, CU_EVENT_DISABLE_TIMING));
    MUST(cuda.stream_create(&other, CU_STREAM_NON_BLOCKING));
    MUST(cuda.event_synchronise(event));
    MUST(cuda.memory_set_async(memory, 1, 64, stream));
    MUST(cuda.event_record(event, stream));
    MUST(cuda.memory_set_async(memory, 2, 64, stream));
    MUST(cuda.stream_synchronise(other));
    emulated.peek(buffer, memory, 64);
    tap_ok(all_are(buffer, 64, 0xff), "waiting for another stream runs nothing");
    MUST(cuda.event_synchronise(event));
    emulated.peek(buffer, memory, 64);
    tap_ok(all_are(buffer, 64, 1), "an event stands for what was queued before it");
    MUST(cuda.stream_synchronise(stream));
    emulated.peek(buffer, memory, 64);
    tap_ok(all_are(buffer, 64, 2), "the rest comes at the next wait");
    MUST(cuda.event_destroy(event));
    MUST(cuda.memory_set_async(memory, 3, 64, other));
    MUST(cuda.stream_destroy(other));
    emulated.peek(buffer, memory, 64);
    tap_ok(all_are(buffer, 64, 3), "a destroyed stream's work is done");
    MUST(cuda.memory_free(memory));
}

static void test_rectangles(void)
{
    enum { ROWS = 300, WIDTH = 24, HOST_PITCH = 100, DEVICE_PITCH = 56 };
    CUdeviceptr memory = allocate(ROWS * DEVICE_PITCH);
    CUDA_MEMCPY2D up = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = staging,
                        .srcPitch = HOST_PITCH,
                        .srcXInBytes = 4,
                        .srcY = 1,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = memory,
                        .dstPitch = DEVICE_PITCH,
                        .dstXInBytes = 8,
                        .WidthInBytes = WIDTH,
                        .Height = ROWS};
    CUDA_MEMCPY2D down = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = memory,
                          .srcPitch = DEVICE_PITCH,
                          .srcXInBytes = 8,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = staging + 40000,
                          .dstPitch = HOST_PITCH,
                          .WidthInBytes = WIDTH,
                          .Height = 200};
    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] = staging[i] = expected[i] = (unsigned char)(i * 7 + i / 256);
    MUST(cuda.memory_set_async(memory, 0, ROWS * DEVICE_PITCH, stream));
    MUST(cuda.copy_2d_async(&up, stream));
    MUST(cuda.copy_2d_async(&down, stream));
    MUST(cuda.stream_synchronise(stream));
    for (size_t row = 0; row < 200; row++)
        memcpy(expected + 40000 + row * HOST_PITCH, buffer + (row + 1) * HOST_PITCH + 4, WIDTH);
    tap_ok(memcmp(staging, expected, sizeof expected) == 0,
           "rectangles to and from the device, no byte between rows");
    CUDA_MEMCPY2D across = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                            .srcDevice = memory,
                            .srcPitch = DEVICE_PITCH,
                            .srcXInBytes = 8,
                            .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                            .dstDevice = memory,
                            .dstPitch = DEVICE_PITCH,
                            .dstXInBytes = 32,
                            .WidthInBytes = WIDTH,
                            .Height = ROWS};
    MUST(cuda.copy_2d_async(&across, stream));
    MUST(cuda.stream_synchronise(stream));
    emulated.peek(buffer, memory, ROWS * DEVICE_PITCH);
    tap_ok(memcmp(buffer + 8, buffer + 32, WIDTH) == 0 && all_are(buffer + DEVICE_PITCH, 8, 0),
           "and within it");
    MUST(cuda.memory_free(memory));
}

static void *caller(void *argument)
{
    uint64_t seed = (uintptr_t)argument, failures = 0, words[64];
    CUstream own;
    CUfunction function;
    MUST(cuda.context_push(context));
    MUST(cuda.stream_create(&own, CU_STREAM_NON_BLOCKING));
    MUST(cuda.module_function(&function, module, "emulated_test_barrier"));
    for (uint64_t round = 0; round < 50; round++) {
        CUdeviceptr memory = allocate(sizeof words);
        struct emulated_test_arguments arguments = {.output = on_device(memory),
                                                    .value = seed * 1000 + round};
        void *parameters[] = {&arguments};
        MUST(cuda.launch_kernel(function, 1, 1, 1, 64, 1, 1, 64 * 8, own, parameters, NULL));
        MUST(cuda.copy_to_host_async(words, memory, sizeof words, own));
        for (uint64_t i = 0; i < 64; i++)
            failures += words[i] != arguments.value * ((i + 2) % 64);
        MUST(cuda.memory_free(memory));
    }
    MUST(cuda.stream_destroy(own));
    MUST(cuda.context_pop(NULL));
    return (void *)(uintptr_t)failures;
}

static void test_threads(void)
{
    pthread_t threads[4];
    uintptr_t failures = 0;
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, caller, (void *)(i + 1));
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        failures += (uintptr_t)result;
    }
    tap_ok(failures == 0, "four threads with streams of their own");
}

static void test_contexts(void)
{
    CUcontext popped;
    CUdeviceptr memory;
    MUST(cuda.context_pop(&popped));
    tap_ok(popped == context && cuda.memory_allocate(&memory, 8) == CUDA_ERROR_INVALID_CONTEXT,
           "without a current context there is no device");
    MUST(cuda.context_push(context));
    fflush(stdout);
    pid_t child = fork();
    int status;
    if (child == 0)
        _exit(cuda.memory_allocate(&memory, 8) == CUDA_ERROR_NOT_INITIALIZED &&
                      cuda.stream_synchronise(stream) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    waitpid(child, &status, 0);
    tap_ok(status == 0, "a forked child has no device");
}

UNIT_TEST(test_emulated_streams)
{
    void *memory;
    open_device();
    MUST(cuda.pinned_allocate(&memory, sizeof buffer, CU_MEMHOSTALLOC_PORTABLE));
    staging = memory;
    test_waiting();
    test_order();
    test_events();
    test_rectangles();
    test_threads();
    test_contexts();
    MUST(cuda.pinned_free(staging));
    return tap_done();
}
