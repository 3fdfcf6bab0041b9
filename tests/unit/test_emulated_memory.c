/* Device memory of the emulated driver: budget, poison, bounds, red zones, the guard, and
 * the virtual memory calls. */
#include "emulated_device.h"
#include "unit_test.h"

#include <signal.h>

enum { GRANULE = 2 << 20 };

static const CUmemAllocationProp on_device_0 = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static const CUmemAccessDesc read_write = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                           CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
static unsigned char bytes[4096];

static struct emulated_census census_now(void)
{
    struct emulated_census census;
    emulated.census(&census);
    return census;
}

static void test_allocations(void)
{
    size_t free_before, free_after, total;
    CUdeviceptr memory, again;
    MUST(cuda.memory_info(&free_before, &total));
    memory = allocate(1000);
    tap_ok(memory % 256 == 0 && memory != 0, "allocations are aligned to 256 bytes");
    MUST(cuda.memory_info(&free_after, &total));
    tap_ok(total == 64 << 20 && free_after < free_before, "the budget is that of EMULATED_DEVICE_MEMORY");
    tap_ok(emulated.peek(bytes, memory, 1000) && all_are(bytes, 1000, 0xff), "fresh memory is poisoned");
    tap_ok(!emulated.peek(bytes, memory, 1001) && !emulated.peek(bytes, memory - 1, 1), "bounds are exact");
    MUST(cuda.memory_free(memory));
    tap_ok(!emulated.peek(bytes, memory, 1), "freed memory is gone");
    again = allocate(1000);
    tap_ok(again != memory, "addresses are not dealt again at once");
    MUST(cuda.memory_free(again));
    tap_ok(cuda.memory_allocate(&memory, 0) == CUDA_ERROR_INVALID_VALUE, "nothing cannot be allocated");
    tap_ok(cuda.memory_allocate(&memory, 65 << 20) == CUDA_ERROR_OUT_OF_MEMORY &&
               cuda.memory_allocate(&memory, SIZE_MAX - 100) == CUDA_ERROR_OUT_OF_MEMORY,
           "more than the device has is out of memory");
    MUST(cuda.memory_info(&free_after, &total));
    tap_ok(free_after == free_before && census_now().allocations == 0, "everything freed is free again");
}

static void test_bad_copies(void)
{
    CUdeviceptr memory = allocate(1000);
    CUDA_MEMCPY2D rows = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = bytes, .srcPitch = 10,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = memory, .dstPitch = 100,
                          .WidthInBytes = 10, .Height = 10};
    tap_ok(cuda.copy_to_device_async(memory + 1, bytes, 1000, stream) == CUDA_ERROR_INVALID_VALUE &&
               cuda.copy_to_host_async(bytes, memory - 1, 10, stream) == CUDA_ERROR_INVALID_VALUE &&
               cuda.memory_set_async(memory, 0, 1001, stream) == CUDA_ERROR_INVALID_VALUE,
           "copies and fills outside an allocation are refused");
    MUST(cuda.copy_2d_async(&rows, stream));
    rows.Height = 11;
    tap_ok(cuda.copy_2d_async(&rows, stream) == CUDA_ERROR_INVALID_VALUE, "so are rows outside");
    rows.Height = 2;
    rows.dstPitch = 9;
    tap_ok(cuda.copy_2d_async(&rows, stream) == CUDA_ERROR_INVALID_VALUE,
           "a pitch below the width is refused");
    rows.dstPitch = (size_t)1 << 31;
    tap_ok(cuda.copy_2d_async(&rows, stream) == CUDA_ERROR_INVALID_VALUE,
           "and one above the device's largest");
    tap_ok(cuda.copy_to_device_async(memory, (void *)(uintptr_t)memory, 8, stream) ==
               CUDA_ERROR_INVALID_VALUE,
           "a device address as host memory is refused");
    MUST(cuda.memory_free(memory));
    tap_ok(cuda.memory_free(memory) == CUDA_ERROR_INVALID_VALUE, "freeing twice is refused");
}

static void test_mapping(void)
{
    CUdeviceptr space;
    CUmemGenericAllocationHandle first, second;
    size_t granule;
    MUST(cuda.physical_granularity(&granule, &on_device_0, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    tap_ok(granule == GRANULE, "granules are 2 MiB");
    MUST(cuda.address_reserve(&space, 8 * granule, 0, 0, 0));
    MUST(cuda.physical_create(&first, granule, &on_device_0, 0));
    MUST(cuda.physical_create(&second, 2 * granule, &on_device_0, 0));
    tap_ok(!emulated.peek(bytes, space, 1), "reserved addresses hold nothing");
    MUST(cuda.physical_map(space, granule, 0, first, 0));
    tap_ok(!emulated.peek(bytes, space, 1), "mapped memory needs cuMemSetAccess");
    MUST(cuda.physical_map(space + granule, 2 * granule, 0, second, 0));
    MUST(cuda.physical_set_access(space, 3 * granule, &read_write, 1));
    tap_ok(emulated.peek(bytes, space + granule - 8, 16) && all_are(bytes, 16, 0xff),
           "adjoining mappings are one range, poisoned");
    tap_ok(cuda.physical_map(space, granule, 0, first, 0) == CUDA_ERROR_INVALID_VALUE &&
               cuda.physical_map(space + 2 * granule, granule, 0, first, 0) == CUDA_ERROR_INVALID_VALUE,
           "a map over a map is refused");
    tap_ok(cuda.physical_map(space + 7 * granule, 2 * granule, 0, second, 0) == CUDA_ERROR_INVALID_VALUE,
           "a map beyond the reservation is refused");
    tap_ok(cuda.physical_unmap(space + granule, granule) == CUDA_ERROR_INVALID_VALUE &&
               cuda.physical_unmap(space, 4 * granule) == CUDA_ERROR_INVALID_VALUE,
           "unmapping a part, or a gap, is refused");
    tap_ok(cuda.address_free(space, 8 * granule) == CUDA_ERROR_INVALID_VALUE,
           "freeing mapped addresses is refused");

    memset(bytes, 0x5a, sizeof bytes);
    MUST(cuda.copy_to_device_async(space + 100, bytes, 200, stream));
    tap_ok(cuda.physical_unmap(space, granule) == CUDA_ERROR_INVALID_VALUE,
           "unmapping what a queued copy uses is refused");
    MUST(cuda.stream_synchronise(stream));
    MUST(cuda.physical_unmap(space, granule));
    MUST(cuda.physical_map(space + 5 * granule, granule, 0, first, 0));
    MUST(cuda.physical_set_access(space + 5 * granule, granule, &read_write, 1));
    memset(bytes, 0, sizeof bytes);
    tap_ok(emulated.peek(bytes, space + 5 * granule + 100, 200) && all_are(bytes, 200, 0x5a) &&
               !emulated.peek(bytes, space + 100, 1),
           "memory mapped elsewhere keeps its content");
    MUST(cuda.physical_map(space, granule, 0, first, 0));
    MUST(cuda.physical_set_access(space, granule, &read_write, 1));
    bytes[0] = 1;
    tap_ok(emulated.poke(space, bytes, 1) && emulated.peek(bytes + 1, space + 5 * granule, 1) &&
               bytes[1] == 1,
           "one handle mapped twice is the same memory");

    MUST(cuda.physical_release(first));
    struct emulated_census census = census_now();
    tap_ok(census.physical == 1 && census.mappings == 3 && census.reservations == 1 &&
               census.used_bytes == 3 * granule,
           "a released handle's memory lives while it is mapped");
    tap_ok(cuda.physical_release(first) == CUDA_ERROR_INVALID_VALUE, "releasing twice is refused");
    MUST(cuda.physical_unmap(space, 3 * granule));
    MUST(cuda.physical_unmap(space + 5 * granule, granule));
    tap_ok(census_now().used_bytes == 2 * granule && census_now().physical == 1,
           "a leaked handle shows in the census");
    MUST(cuda.physical_release(second));
    MUST(cuda.address_free(space, 8 * granule));
    census = census_now();
    tap_ok(census.physical + census.mappings + census.reservations + census.used_bytes == 0,
           "all is given back");
    tap_ok(cuda.physical_create(&first, 66 << 20, &on_device_0, 0) == CUDA_ERROR_OUT_OF_MEMORY,
           "physical memory is bounded too");
}

static void test_reset(void)
{
    unsigned long long before, after;
    emulated.reset_primary();
    CUdeviceptr first = allocate(100);
    MUST(cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cuda.context_id(context, &before));
    emulated.reset_primary();
    MUST(cuda.context_id(context, &after));
    struct emulated_census census = census_now();
    tap_ok(before != after && census.allocations == 0 && census.streams == 0,
           "a reset takes everything and the identity");
    tap_ok(cuda.stream_synchronise(stream) == CUDA_ERROR_INVALID_HANDLE,
           "old streams are not known any more");
    MUST(cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING));
    CUdeviceptr again = allocate(100);
    tap_ok(again == first && emulated.peek(bytes, again, 100), "addresses are dealt again from the start");
    MUST(cuda.memory_free(again));
}

/* In children. */
static void read_with_guard(void)
{
    setenv("EMULATED_GUARD", "1", 1);
    open_device();
    CUdeviceptr memory = allocate(512);
    MUST(queue_kernel("emulated_test_fill", 1, 64, 0,
                      (struct emulated_test_arguments){.output = on_device(memory)}));
    MUST(cuda.stream_synchronise(stream));
    if (!emulated.peek(bytes, memory, 512) || bytes[8] != 1)
        _exit(3);
    fprintf(stderr, "kernel ran\n");
    *(volatile uint64_t *)on_device(memory);
}

static void write_red_zone(void)
{
    open_device();
    CUdeviceptr memory = allocate(512);
    MUST(queue_kernel("emulated_test_fill", 1, 32, 0,
                      (struct emulated_test_arguments){.output = on_device(memory - 8)}));
    MUST(cuda.memory_free(memory));
}

static void overrun(void)
{
    open_device();
    CUdeviceptr memory = allocate(512);
    MUST(queue_kernel("emulated_test_fill", 1, 96, 0,
                      (struct emulated_test_arguments){.output = on_device(memory)}));
    cuda.stream_synchronise(stream);
}

static void copy_outside(void)
{
    open_device();
    cuda.copy_to_device_async(allocate(512) + 8, bytes, 512, stream);
}

static void test_crashes(void)
{
    char text[4096];
    int ended = run_apart(read_with_guard, text, sizeof text);
    tap_ok(ended != 0 && strstr(text, "kernel ran"), "with the guard the program cannot read device memory");
    ended = run_apart(write_red_zone, text, sizeof text);
    tap_ok(ended != 0 && (strstr(text, "written outside") || strstr(text, "AddressSanitizer")),
           "a write before an allocation is found");
    tap_ok(run_apart(overrun, text, sizeof text) != 0, "a kernel that runs past an allocation faults");
    ended = run_apart(copy_outside, text, sizeof text);
    tap_ok(ended == SIGABRT && strstr(text, "not allocated there"),
           "a copy outside aborts where misuse is not expected");
}

UNIT_TEST(test_emulated_memory)
{
    open_library();
    test_crashes();
    setenv("EMULATED_STRICT", "0", 1);
    setenv("EMULATED_DEVICE_MEMORY", "64M", 1);
    open_device();
    test_allocations();
    test_bad_copies();
    test_mapping();
    test_reset();
    return tap_done();
}
