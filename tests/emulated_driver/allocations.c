/* cuMemAlloc with red zones, and what all device memory has in common. */
#include "emulated_driver/memory.h"

#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

enum { ALIGNMENT = 256, RED_ZONE = 0xc3 };

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* --- plain allocations: at the end of their pages, so that overruns fault --- */

static void paint_red_zones(const struct segment *segment)
{
    unsigned char *alias = physical_alias(segment->physical->offset);
    size_t before = segment->begin - segment->map_begin, after = segment->map_end - segment->end;
    memset(alias, RED_ZONE, before);
    memset(alias + (segment->end - segment->map_begin), RED_ZONE, after);
    ASAN_POISON_MEMORY_REGION((void *)(uintptr_t)segment->map_begin, before);
    ASAN_POISON_MEMORY_REGION((void *)(uintptr_t)segment->end, after);
}

static void check_red_zones(const struct segment *segment)
{
    const unsigned char *alias = physical_alias(segment->physical->offset);
    for (uint64_t at = segment->map_begin; at < segment->map_end; at++) {
        if (at == segment->begin)
            at = segment->end;
        if (at < segment->map_end && alias[at - segment->map_begin] != RED_ZONE)
            emulated_abort("device memory was written outside the allocation [%#llx, %#llx): at %#llx",
                           (unsigned long long)segment->begin, (unsigned long long)segment->end,
                           (unsigned long long)at);
    }
}

void memory_check_red_zones(void)
{
    size_t following;
    for (struct segment *segment = segment_from(0, &following); following-- > 0; segment++)
        if (segment->is_allocation)
            check_red_zones(segment);
}

static CUresult allocate(CUdeviceptr *address, size_t bytes)
{
    struct segment segment = {.is_allocation = true, .devices = 1};
    uint64_t pages = round_up(round_up(bytes, ALIGNMENT), PAGE);
    if (!address || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (pages < bytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = physical_take(context_device(), pages, PAGE, &segment.physical);
    if (result != CUDA_SUCCESS)
        return result;
    if (!address_take(context_device(), pages + 2 * PAGE, PAGE, &segment.owner))
        emulated_abort("out of device addresses");
    segment.map_begin = segment.owner + PAGE;
    segment.map_end = segment.map_begin + pages;
    segment.begin = segment.map_end - round_up(bytes, ALIGNMENT);
    segment.end = segment.begin + bytes;
    segment_map(&segment);
    paint_red_zones(&segment);
    *address = segment.begin;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    API_BEGIN(cuMemAlloc_v2);
    if ((result = context_check()) == CUDA_SUCCESS)
        result = allocate(address, bytes);
    API_END;
}

static void free_allocation(struct segment *segment)
{
    uint64_t owner = segment->owner;
    check_red_zones(segment);
    ASAN_UNPOISON_MEMORY_REGION((void *)(uintptr_t)segment->map_begin, segment->map_end - segment->map_begin);
    segment_unmap(segment);
    address_give(owner);
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr address)
{
    API_BEGIN(cuMemFree_v2);
    if (address == 0)
        goto end;
    struct segment *segment = segment_find(address);
    if (!segment || !segment->is_allocation || segment->begin != address)
        API_FAIL(misuse("cuMemFree of %#llx, which is no allocation", address));
    if ((result = stream_drain_device(segment->physical->device)) == CUDA_SUCCESS) /* the call synchronises */
        free_allocation(segment);
    API_END;
}

EXPORT CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    API_BEGIN(cuMemGetInfo_v2);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    *total_bytes = device_kind(context_device())->memory;
    *free_bytes = *total_bytes - device_kind(context_device())->occupied -
                  physical_used(context_device());
    API_END;
}

void memory_reset(CUdevice device)
{
    size_t following;
    struct segment *segment = segment_from(0, &following);
    while (following-- > 0) {
        if (segment->physical->device != device && !virtual_memory_is_reserved(device, segment->map_begin))
            segment++;
        else if (segment->is_allocation)
            free_allocation(segment); /* the next one comes to its place */
        else
            segment_unmap(segment);
    }
    virtual_memory_reset(device);
    address_reset(device);
}

void memory_census(struct emulated_census *census)
{
    virtual_memory_census(census);
    census->allocations = segment_count(true);
    census->used_bytes = 0;
    for (int i = 0; i < DEVICES_MAX; i++)
        census->used_bytes += physical_used(i);
}
