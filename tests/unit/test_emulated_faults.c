/* Scripted faults of the emulated driver: every function, the events, lost devices. */
#include "emulated_device.h"
#include "unit_test.h"

typedef CUresult any_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                              uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static const struct {
    const char *name;
    size_t member;
} functions[] = {
#define DRIVER_FUNCTION(member, symbol, parameters, way) {#symbol, offsetof(struct driver, member)},
#include "gpu/driver.def"
#undef DRIVER_FUNCTION
};

static CUdeviceptr memory;
static unsigned char *staging;
static uint64_t words[64];

/* Arguments would make every one of them crash or fail: the fault comes first. */
static void test_every_function(void)
{
    size_t count = sizeof functions / sizeof *functions, good = 0;
    for (size_t i = 0; i < count; i++) {
        char script[128];
        any_function *function;
        unsigned long calls = emulated.call_count(functions[i].name);
        memcpy(&function, (char *)&cuda + functions[i].member, sizeof function);
        snprintf(script, sizeof script, "%s:1:%d", functions[i].name, 901);
        emulated.set_faults(script);
        if (function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) == 901 &&
            emulated.call_count(functions[i].name) == calls + 1)
            good++;
        else
            printf("# %s does not fail as told\n", functions[i].name);
    }
    emulated.set_faults(NULL);
    tap_ok(good == count, "each of %zu functions counts and can be made to fail", count);
}

static void test_nth_call(void)
{
    CUdeviceptr extra;
    emulated.set_faults("cuMemAlloc_v2:2:2,cuMemFree_v2:1");
    bool first = cuda.memory_allocate(&extra, 8) == CUDA_SUCCESS;
    bool second = cuda.memory_allocate(&extra, 8) == CUDA_ERROR_OUT_OF_MEMORY;
    bool third = cuda.memory_free(extra) == CUDA_ERROR_UNKNOWN && cuda.memory_free(extra) == CUDA_SUCCESS;
    tap_ok(first && second && third, "the N-th call fails, others do not; several faults at once");
    emulated.set_faults("");
}

static void test_kernel_failure(void)
{
    struct emulated_test_arguments arguments = {.output = on_device(memory), .value = 7};
    MUST(cuda.memory_set_async(memory, 0, sizeof words, stream));
    MUST(cuda.stream_synchronise(stream));
    emulated.set_faults("KERNEL:2:719");
    MUST(queue_kernel("emulated_test_fill", 1, 32, 0, arguments));
    arguments.value = 1000;
    MUST(queue_kernel("emulated_test_fill", 2, 32, 0, arguments));
    MUST(cuda.copy_to_host_async(staging, memory, sizeof words, stream));
    tap_ok(cuda.stream_synchronise(stream) == CUDA_ERROR_LAUNCH_FAILED,
           "a kernel's failure shows at the wait");
    emulated.peek(words, memory, sizeof words);
    tap_ok(words[3] == 10 && words[40] == 0 && staging[0] == 0xff, "what was queued behind it never happens");
    tap_ok(cuda.stream_synchronise(stream) == CUDA_SUCCESS, "the device goes on unless the fault is sticky");
}

static void test_copy_back(void)
{
    memset(staging, 0, sizeof words);
    MUST(cuda.memory_set_async(memory, 9, sizeof words, stream));
    emulated.set_faults("COPY_BACK:1:999");
    MUST(cuda.copy_to_host_async(staging, memory, sizeof words, stream));
    tap_ok(cuda.stream_synchronise(stream) == CUDA_ERROR_UNKNOWN && staging[255] == 9 && staging[256] == 0xff,
           "a copy-back can stop half way");
    MUST(cuda.copy_to_host_async(staging, memory, sizeof words, stream));
    tap_ok(cuda.stream_synchronise(stream) == CUDA_SUCCESS && staging[256] == 9, "and be repeated");
    emulated.set_faults("COPY_BACK:1:999");
    memset(words, 0, sizeof words);
    tap_ok(cuda.copy_to_host_async(words, memory, sizeof words, stream) == CUDA_ERROR_UNKNOWN &&
               words[0] != 0 && words[63] == 0,
           "pageable memory too, at the call");
}

static void test_sticky(void)
{
    CUdeviceptr extra;
    const char *name;
    emulated.set_faults("cuStreamSynchronize:1:719:sticky");
    bool before = cuda.memory_set_async(memory, 0, 8, stream) == CUDA_SUCCESS;
    bool lost = cuda.stream_synchronise(stream) == CUDA_ERROR_LAUNCH_FAILED;
    bool later = cuda.memory_allocate(&extra, 8) == CUDA_ERROR_LAUNCH_FAILED &&
                 cuda.memory_free(memory) == CUDA_ERROR_LAUNCH_FAILED;
    bool named = cuda.error_name(719, &name) == CUDA_SUCCESS && strcmp(name, "CUDA_ERROR_LAUNCH_FAILED") == 0;
    tap_ok(before && lost && later && named, "after a sticky error every call fails");
    emulated.set_faults(NULL);
    tap_ok(cuda.stream_synchronise(stream) == CUDA_SUCCESS, "a new script ends it");
}

static void fault_from_environment(void)
{
    CUdeviceptr extra;
    setenv("EMULATED_FAULTS", "cuMemAlloc_v2:1:2", 1);
    open_device();
    if (cuda.memory_allocate(&extra, 8) == CUDA_ERROR_OUT_OF_MEMORY)
        fprintf(stderr, "out of memory\n");
}

static void bad_script(void)
{
    setenv("EMULATED_FAULTS", "cuMemAlloc:1:2", 1);
    open_device();
}

static void no_device(void)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    open_library();
    fprintf(stderr, "%d", cuda.init(0));
}

UNIT_TEST(test_emulated_faults)
{
    char text[4096];
    void *pointer;
    open_library();
    run_apart(fault_from_environment, text, sizeof text);
    tap_ok(strstr(text, "out of memory"), "EMULATED_FAULTS is read");
    tap_ok(run_apart(bad_script, text, sizeof text) != 0 && strstr(text, "there is no function 'cuMemAlloc'"),
           "a bad script is refused");
    run_apart(no_device, text, sizeof text);
    tap_ok(strcmp(text, "100") == 0, "CUDA_VISIBLE_DEVICES hides the device");
    open_device();
    memory = allocate(sizeof words);
    MUST(cuda.pinned_allocate(&pointer, sizeof words, CU_MEMHOSTALLOC_PORTABLE));
    staging = pointer;
    test_every_function();
    test_nth_call();
    test_kernel_failure();
    test_copy_back();
    test_sticky();
    return tap_done();
}
