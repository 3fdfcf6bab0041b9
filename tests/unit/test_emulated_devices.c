/* Several devices of the emulated driver: unequal kinds, memory that is apart, access of one to
 * another's, pins, streams and events across devices, faults of one alone, clocks. */
#include "emulated_device.h"
#include "unit_test.h"

#include <math.h>
#include <signal.h>
#include <sys/mman.h>

enum { GRANULE = 2 << 20, BYTES = 4096 };

static CUcontext contexts[3];
static CUstream streams[3];
static unsigned char host[BYTES];
static __typeof(cuMemcpyDtoDAsync_v2) *copy_within;
static __typeof(cuCtxCreate_v2) *create_context;
static __typeof(cuCtxDestroy_v2) *destroy_context;
static __typeof(cuDevicePrimaryCtxReset_v2) *reset_device;
static __typeof(cuEventElapsedTime) *elapsed;

static void enter(int device)
{
    MUST(cuda.context_set_current(contexts[device]));
}

static void open_devices(int count)
{
    MUST(cuda.init(0));
    for (int i = 0; i < count; i++) {
        MUST(cuda.primary_retain(&contexts[i], i));
        enter(i);
        MUST(cuda.stream_create(&streams[i], CU_STREAM_NON_BLOCKING));
    }
    enter(0);
    MUST(cuda.module_load(&module, "mublas: no kernels needed"));
    context = contexts[0];
    stream = streams[0];
}

static int attribute(int which, CUdevice device)
{
    int value = -1;
    MUST(cuda.device_attribute(&value, which, device));
    return value;
}

static struct emulated_test_arguments fill(CUdeviceptr output)
{
    return (struct emulated_test_arguments){.output = on_device(output)};
}

static void test_kinds(void)
{
    char name[64];
    size_t bytes, free_bytes;
    int count;
    MUST(cuda.device_count(&count));
    tap_ok(count == 3, "EMULATED_DEVICES says how many there are");
    tap_ok(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0) == 132 &&
               attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1) == 16 &&
               attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 2) == 16,
           "a list has one value for each device, the last for all that follow");
    tap_ok(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0) == 1980000 &&
               attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 2) == 1000000 &&
               attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0) == 1 &&
               attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1) == 0,
           "so with clocks and cooperative launches");
    MUST(cuda.device_name(name, sizeof name, 1));
    tap_ok(strcmp(name, "Small") == 0, "names");
    MUST(cuda.device_total_memory(&bytes, 1));
    enter(1);
    MUST(cuda.memory_info(&free_bytes, &bytes));
    tap_ok(bytes == 16 << 20 && free_bytes == bytes, "and memory");
    CUdeviceptr memory = allocate(12 << 20), other;
    tap_ok(cuda.memory_allocate(&other, 12 << 20) == CUDA_ERROR_OUT_OF_MEMORY,
           "whose budget is the device's own");
    enter(0);
    MUST(cuda.memory_info(&free_bytes, &bytes));
    tap_ok(bytes == 64 << 20 && free_bytes == bytes, "what one has allocated the others still have");
    MUST(cuda.memory_free(memory));
    enter(1);
    MUST(cuda.memory_info(&free_bytes, &bytes));
    tap_ok(free_bytes == bytes, "freeing gives it back to its device, whatever context is current");
}

static void test_apart(void)
{
    enter(1);
    CUdeviceptr theirs = allocate(BYTES);
    tap_ok(cuda.copy_to_device_async(theirs, host, BYTES, streams[1]) == CUDA_SUCCESS,
           "a copy on its own device");
    enter(0);
    CUdeviceptr ours = allocate(BYTES);
    tap_ok(cuda.copy_to_device_async(theirs, host, BYTES, streams[0]) == CUDA_ERROR_INVALID_VALUE &&
               cuda.copy_to_host_async(host, theirs, BYTES, streams[0]) == CUDA_ERROR_INVALID_VALUE &&
               cuda.memory_set_async(theirs, 0, BYTES, streams[0]) == CUDA_ERROR_INVALID_VALUE,
           "copies and fills on another device are refused");
    tap_ok(copy_within(ours, theirs, BYTES, streams[0]) == CUDA_ERROR_INVALID_VALUE,
           "so is a copy between devices without access");
    tap_ok(cuda.copy_to_device_async(theirs, host, BYTES, streams[1]) == CUDA_SUCCESS,
           "the stream says where a copy runs, not the current context");
    MUST(cuda.stream_synchronise(streams[1]));
    MUST(cuda.memory_free(ours));
    MUST(cuda.memory_free(theirs));
}

static void test_peers(void)
{
    int possible = -1;
    enter(1);
    CUdeviceptr theirs = allocate(BYTES);
    memset(host, 0x3c, BYTES);
    emulated.poke(theirs, host, BYTES);
    enter(0);
    CUdeviceptr ours = allocate(BYTES);
    MUST(cuda.copy_peer_async(ours, contexts[0], theirs, contexts[1], BYTES, streams[0]));
    MUST(cuda.stream_synchronise(streams[0]));
    memset(host, 0, BYTES);
    tap_ok(emulated.peek(host, ours, BYTES) && host[0] == 0x3c && host[BYTES - 1] == 0x3c,
           "a peer copy needs no access");
    tap_ok(cuda.copy_peer_async(ours, contexts[1], theirs, contexts[1], BYTES, streams[0]) ==
               CUDA_ERROR_INVALID_VALUE,
           "but the right contexts");
    MUST(cuda.peer_possible(&possible, 0, 1));
    tap_ok(possible == 1, "access is possible");
    MUST(cuda.peer_possible(&possible, 1, 1));
    tap_ok(possible == 0 && cuda.peer_enable(contexts[0], 0) == CUDA_ERROR_INVALID_DEVICE, "not to itself");
    MUST(cuda.peer_enable(contexts[1], 0));
    tap_ok(cuda.peer_enable(contexts[1], 0) == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
           "and is enabled once");
    tap_ok(copy_within(theirs, ours, BYTES, streams[0]) == CUDA_SUCCESS,
           "then copies between devices are good");
    tap_ok(copy_within(theirs, ours, BYTES, streams[1]) == CUDA_ERROR_INVALID_VALUE,
           "on the device that has access alone");
    MUST(queue_kernel("emulated_test_fill", 1, 64, 0, fill(theirs)));
    MUST(cuda.stream_synchronise(streams[0]));
    tap_ok(emulated.peek(host, theirs, 512) && host[8] == 1, "and kernels reach the other's memory");
    MUST(cuda.memory_free(ours));
    MUST(cuda.memory_free(theirs));
}

static void test_mappings(void)
{
    const CUmemAllocationProp theirs = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                        .location = {CU_MEM_LOCATION_TYPE_DEVICE, 1}};
    const CUmemAccessDesc both[] = {{{CU_MEM_LOCATION_TYPE_DEVICE, 1}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
                                    {{CU_MEM_LOCATION_TYPE_DEVICE, 2}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
    CUdeviceptr space;
    CUmemGenericAllocationHandle handle;
    enter(0);
    tap_ok(cuda.physical_create(&handle, GRANULE, &theirs, 0) == CUDA_ERROR_INVALID_VALUE,
           "memory is made in a context of its device");
    enter(1);
    MUST(cuda.address_reserve(&space, GRANULE, 0, 0, 0));
    MUST(cuda.physical_create(&handle, GRANULE, &theirs, 0));
    MUST(cuda.physical_map(space, GRANULE, 0, handle, 0));
    MUST(cuda.physical_set_access(space, GRANULE, both, 1));
    tap_ok(cuda.memory_set_async(space, 1, BYTES, streams[1]) == CUDA_SUCCESS &&
               cuda.memory_set_async(space, 1, BYTES, streams[0]) == CUDA_ERROR_INVALID_VALUE,
           "mapped memory is for those devices that cuMemSetAccess names, also after cuCtxEnablePeerAccess");
    MUST(cuda.physical_set_access(space, GRANULE, both, 2));
    tap_ok(cuda.memory_set_async(space, 1, BYTES, streams[2]) == CUDA_SUCCESS, "which may be several");
    MUST(cuda.stream_synchronise(streams[1]));
    MUST(cuda.stream_synchronise(streams[2]));
    MUST(cuda.physical_unmap(space, GRANULE));
    MUST(cuda.physical_release(handle));
    MUST(cuda.address_free(space, GRANULE));
}

/* A copy to pinned memory is poison until the wait, one to pageable memory is there at once. */
static bool is_pin_for(int device, unsigned char *program)
{
    enter(device);
    CUdeviceptr memory = allocate(BYTES);
    MUST(cuda.memory_set_async(memory, 7, BYTES, streams[device]));
    memset(program, 0, BYTES);
    MUST(cuda.copy_to_host_async(program, memory, BYTES, streams[device]));
    const bool is_pinned = program[0] == 0xff;
    MUST(cuda.stream_synchronise(streams[device]));
    if (program[0] != 7)
        exit(1);
    MUST(cuda.memory_free(memory));
    return is_pinned;
}

static void test_pins(void)
{
    unsigned char *program = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *allocated;
    enter(0);
    MUST(cuda.pin(program, BYTES, 0));
    tap_ok(is_pin_for(0, program) && !is_pin_for(1, program), "a pin is one for its own context");
    MUST(cuda.unpin(program));
    enter(0);
    MUST(cuda.pin(program, BYTES, CU_MEMHOSTREGISTER_PORTABLE));
    tap_ok(is_pin_for(0, program) && is_pin_for(1, program), "a portable one for all");
    enter(1);
    CUdeviceptr memory = allocate(BYTES);
    MUST(cuda.copy_to_device_async(memory, program, BYTES, streams[1]));
    enter(0);
    tap_ok(cuda.unpin(program) == CUDA_ERROR_INVALID_VALUE, "it stays while another device's copy is queued");
    MUST(cuda.stream_synchronise(streams[1]));
    MUST(cuda.unpin(program));
    MUST(cuda.memory_free(memory));
    MUST(cuda.pinned_allocate(&allocated, BYTES, 0));
    tap_ok(is_pin_for(1, allocated), "pinned memory of the driver's own is for all");
    enter(0);
    MUST(cuda.pinned_free(allocated));
    munmap(program, BYTES);
}

static void test_streams(void)
{
    CUevent event;
    CUcontext own;
    enter(1);
    CUdeviceptr theirs = allocate(BYTES);
    tap_ok(queue_kernel("emulated_test_fill", 1, 64, 0, fill(theirs)) ==
               CUDA_ERROR_INVALID_HANDLE,
           "a module is of the context where it was loaded");
    enter(0);
    stream = streams[1];
    tap_ok(queue_kernel("emulated_test_fill", 1, 64, 0, fill(theirs)) ==
               CUDA_ERROR_INVALID_HANDLE,
           "a kernel is not launched into another context's stream");
    stream = streams[0];
    MUST(cuda.event_create(&event, CU_EVENT_DISABLE_TIMING));
    tap_ok(cuda.event_record(event, streams[1]) == CUDA_ERROR_INVALID_HANDLE, "events are recorded at home");
    enter(1);
    MUST(cuda.event_destroy(event));
    MUST(cuda.event_create(&event, CU_EVENT_DISABLE_TIMING));
    MUST(cuda.memory_set_async(theirs, 9, BYTES, streams[1]));
    MUST(cuda.event_record(event, streams[1]));
    enter(0);
    MUST(cuda.stream_wait_event(streams[0], event, 0));
    MUST(cuda.stream_synchronise(streams[0]));
    tap_ok(emulated.peek(host, theirs, 1) && host[0] == 9, "and waited for anywhere");
    MUST(cuda.memory_set_async(theirs, 8, BYTES, streams[1]));
    CUdeviceptr ours = allocate(BYTES);
    MUST(cuda.memory_free(ours));
    emulated.peek(host, theirs, 1);
    tap_ok(host[0] == 9, "a call that synchronises waits for its own device alone");
    MUST(create_context(&own, 0, 1));
    CUdevice device;
    MUST(cuda.context_device(&device));
    tap_ok(device == 1 && cuda.memory_set_async(theirs, 8, BYTES, NULL) == CUDA_SUCCESS,
           "the program's own contexts are of the device that it names, with a default stream each");
    MUST(cuda.stream_synchronise(NULL));
    MUST(destroy_context(own));
    MUST(cuda.event_destroy(event));
    MUST(cuda.stream_synchronise(streams[1]));
    MUST(cuda.memory_free(theirs));
}

static void test_faults(void)
{
    CUevent event;
    enter(1);
    CUdeviceptr theirs = allocate(BYTES), memory;
    enter(0);
    CUdeviceptr ours = allocate(BYTES);
    emulated.set_faults("cuMemAlloc_v2@1:2:2");
    MUST(cuda.memory_allocate(&memory, BYTES));
    MUST(cuda.memory_free(memory));
    enter(1);
    MUST(cuda.memory_allocate(&memory, BYTES));
    MUST(cuda.memory_free(memory));
    tap_ok(cuda.memory_allocate(&memory, BYTES) == CUDA_ERROR_OUT_OF_MEMORY,
           "a fault counts the calls of its device");
    emulated.set_faults("COPY_BACK@1:1:719:sticky");
    MUST(cuda.event_create(&event, CU_EVENT_DISABLE_TIMING));
    MUST(cuda.copy_peer_async(ours, contexts[0], theirs, contexts[1], BYTES, streams[0]));
    enter(0);
    MUST(cuda.pinned_allocate((void **)&memory, BYTES, CU_MEMHOSTALLOC_PORTABLE));
    MUST(cuda.copy_to_host_async((void *)(uintptr_t)memory, ours, BYTES, streams[0]));
    tap_ok(cuda.stream_synchronise(streams[0]) == CUDA_SUCCESS, "another device's copies go on");
    MUST(cuda.copy_to_host_async((void *)(uintptr_t)memory, theirs, BYTES, streams[1]));
    enter(1);
    MUST(cuda.event_record(event, streams[1]));
    enter(0);
    MUST(cuda.stream_wait_event(streams[0], event, 0));
    tap_ok(cuda.stream_synchronise(streams[0]) == CUDA_SUCCESS,
           "a lost device does not fail who waits for it");
    enter(1);
    tap_ok(cuda.stream_synchronise(streams[1]) == CUDA_ERROR_LAUNCH_FAILED &&
               cuda.memory_free(theirs) == CUDA_ERROR_LAUNCH_FAILED,
           "on it every call fails");
    enter(0);
    tap_ok(cuda.memory_allocate(&theirs, BYTES) == CUDA_SUCCESS, "while the others work");
    tap_ok(cuda.copy_peer_async(ours, contexts[0], ours, contexts[1], 8, streams[0]) ==
               CUDA_ERROR_LAUNCH_FAILED,
           "a peer copy with it fails");
    MUST(cuda.pinned_free((void *)(uintptr_t)memory));
    MUST(cuda.memory_free(theirs));
    emulated.set_faults("");
    MUST(reset_device(1));
    struct emulated_census census;
    emulated.census(&census);
    tap_ok(census.allocations == 1 && census.streams == 2, "a reset takes what its device has, and no more");
    MUST(cuda.memory_free(ours));
}

/* 1 and 4 GB/s: 1 MiB takes a millisecond and a quarter of one. */
static double milliseconds(int device)
{
    CUevent first, last;
    float result;
    enter(device);
    CUdeviceptr memory = allocate(1 << 20);
    static char megabyte[1 << 20];
    MUST(cuda.event_create(&first, 0));
    MUST(cuda.event_create(&last, 0));
    MUST(cuda.event_record(first, streams[device]));
    MUST(cuda.copy_to_device_async(memory, megabyte, sizeof megabyte, streams[device]));
    MUST(cuda.event_record(last, streams[device]));
    MUST(cuda.event_synchronise(last));
    MUST(elapsed(&result, first, last));
    MUST(cuda.memory_free(memory));
    return result;
}

static void test_clocks(void)
{
    tap_ok(fabs(milliseconds(0) - 1.048576) < 1e-4 && fabs(milliseconds(2) - 0.262144) < 1e-4,
           "copies take the time of the device's link");
}

/* In children. */
static void kernel_on_foreign_memory(void)
{
    setenv("EMULATED_DEVICES", "2", 1);
    open_devices(2);
    enter(1);
    CUdeviceptr theirs = allocate(BYTES);
    enter(0);
    MUST(queue_kernel("emulated_test_fill", 1, 64, 0, fill(theirs)));
    cuda.stream_synchronise(stream);
}

static void copy_of_foreign_memory(void)
{
    setenv("EMULATED_DEVICES", "2", 1);
    open_devices(2);
    CUdeviceptr ours = allocate(BYTES);
    enter(1);
    cuda.copy_to_host_async(host, ours, BYTES, streams[1]);
}

/* A handle of cuBLAS made for device 0, used where device 1 is current, or 0 is. */
static void use_handle(int current)
{
    int (*create)(void **), (*multiply)(void *, int, int, int, int, int, const double *, const void *, int,
                                        const void *, int, const double *, void *, int);
    void *handle, *library = dlopen("libcublas.so.13", RTLD_NOW);
    const double one = 1;
    setenv("EMULATED_DEVICES", "2", 1);
    open_devices(2);
    look_up(library, "cublasCreate_v2", &create);
    look_up(library, "cublasDgemm_v2", &multiply);
    CUdeviceptr memory = allocate(BYTES);
    if (create(&handle) != 0)
        _exit(4);
    enter(current);
    void *matrix = on_device(memory);
    if (multiply(handle, 0, 0, 1, 1, 1, &one, matrix, 1, matrix, 1, &one, matrix, 1) != 0)
        _exit(5);
}

static void handle_at_home(void)
{
    use_handle(0);
}

static void handle_abroad(void)
{
    use_handle(1);
}

static void without_peers(void)
{
    int possible;
    setenv("EMULATED_DEVICES", "2", 1);
    setenv("EMULATED_PEER", "0", 1);
    open_devices(2);
    MUST(cuda.peer_possible(&possible, 0, 1));
    _exit(possible == 0 && cuda.peer_enable(contexts[1], 0) == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED ? 0 : 3);
}

static void visible(void)
{
    char name[64];
    int count;
    setenv("EMULATED_DEVICES", "3", 1);
    setenv("EMULATED_NAMES", "A,B,C", 1);
    setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
    MUST(cuda.init(0));
    MUST(cuda.device_count(&count));
    MUST(cuda.device_name(name, sizeof name, 0));
    _exit(count == 2 && strcmp(name, "C") == 0 ? 0 : 3);
}

static void test_apart_processes(void)
{
    char text[4096];
    int ended = run_apart(kernel_on_foreign_memory, text, sizeof text);
    tap_ok(ended != 0 && (strstr(text, "device 0 touches") || strstr(text, "Sanitizer")),
           "a kernel that touches another device's memory ends the process");
    ended = run_apart(copy_of_foreign_memory, text, sizeof text);
    tap_ok(ended == SIGABRT && strstr(text, "not allocated there for its device"), "so does a copy of it");
    tap_ok(run_apart(handle_at_home, text, sizeof text) == 0, "a cuBLAS handle works where it was made");
    ended = run_apart(handle_abroad, text, sizeof text);
    tap_ok(ended == SIGABRT && strstr(text, "a handle of device 0 in a context of device 1"),
           "and not where another device is current");
    tap_ok(run_apart(without_peers, text, sizeof text) == 0, "EMULATED_PEER=0: no access of one to another");
    tap_ok(run_apart(visible, text, sizeof text) == 0, "CUDA_VISIBLE_DEVICES chooses and orders");
}

UNIT_TEST(test_emulated_devices)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    open_library();
    look_up(library, "cuMemcpyDtoDAsync_v2", &copy_within);
    look_up(library, "cuCtxCreate_v2", &create_context);
    look_up(library, "cuCtxDestroy_v2", &destroy_context);
    look_up(library, "cuDevicePrimaryCtxReset_v2", &reset_device);
    look_up(library, "cuEventElapsedTime", &elapsed);
    test_apart_processes();
    setenv("EMULATED_STRICT", "0", 1);
    setenv("EMULATED_DEVICES", "3", 1);
    setenv("EMULATED_DEVICE_MEMORY", "64M,16M", 1);
    setenv("EMULATED_MULTIPROCESSORS", "132,16", 1);
    setenv("EMULATED_CLOCK", "1980000,1000000", 1);
    setenv("EMULATED_COOPERATIVE", "1,0", 1);
    setenv("EMULATED_NAMES", "Large,Small", 1);
    setenv("EMULATED_LINK", "1e9,2e9,4e9", 1);
    open_devices(3);
    test_kinds();
    test_apart();
    test_peers();
    test_mappings();
    test_pins();
    test_streams();
    test_clocks();
    test_faults();
    return tap_done();
}
