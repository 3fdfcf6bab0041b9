/* cuMemAlloc with red zones, and the virtual memory calls. */
#include "emulated_driver/memory.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

enum { ALIGNMENT = 256, RED_ZONE = 0xc3 };

static struct range_set reservations = {.limit = UINT64_MAX};
static struct physical **handles; /* by handle - 1 */
static size_t handle_count;

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
    struct segment segment = {.is_allocation = true, .accessible = true};
    uint64_t pages = round_up(round_up(bytes, ALIGNMENT), PAGE);
    if (!address || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (pages < bytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = physical_take(pages, PAGE, &segment.physical);
    if (result != CUDA_SUCCESS)
        return result;
    if (!address_take(pages + 2 * PAGE, PAGE, &segment.owner))
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
    if ((result = stream_drain_all()) == CUDA_SUCCESS) /* the call synchronises */
        free_allocation(segment);
    API_END;
}

/* --- virtual memory --- */

static bool is_granular(uint64_t value)
{
    return value % GRANULE == 0;
}

EXPORT CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                              int option)
{
    API_BEGIN(cuMemGetAllocationGranularity);
    if (!bytes || !properties || (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != 1))
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    *bytes = GRANULE;
    API_END;
}

EXPORT CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted,
                                    unsigned long long flags)
{
    uint64_t begin, ignored;
    API_BEGIN(cuMemAddressReserve);
    (void)wanted; /* a hint, which the driver need not follow */
    if (!address || bytes == 0 || !is_granular(bytes) || (alignment & (alignment - 1)) || flags != 0)
        API_FAIL(misuse("cuMemAddressReserve of %zu bytes aligned to %zu", bytes, alignment));
    if (!address_take(bytes, alignment > GRANULE ? alignment : GRANULE, &begin))
        API_FAIL(CUDA_ERROR_OUT_OF_MEMORY);
    reservations.cursor = begin;
    if (!range_take(&reservations, bytes, 1, &ignored) || ignored != begin)
        emulated_abort("the list of reservations is wrong");
    *address = begin;
    API_END;
}

EXPORT CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    size_t following;
    API_BEGIN(cuMemAddressFree);
    const struct range *range = range_find(&reservations, address);
    if (!range || range->begin != address || range->end != address + bytes)
        API_FAIL(misuse("cuMemAddressFree of [%#llx, +%zu), which is no reservation", address, bytes));
    struct segment *segment = segment_from(address, &following);
    if (following && segment->map_begin < address + bytes)
        API_FAIL(misuse("cuMemAddressFree of %#llx with memory still mapped there", address));
    range_give(&reservations, address);
    address_give(address);
    API_END;
}

static struct physical *find_handle(CUmemGenericAllocationHandle handle)
{
    return handle - 1 < handle_count ? handles[handle - 1] : NULL;
}

EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                            const CUmemAllocationProp *properties, unsigned long long flags)
{
    struct physical *physical;
    API_BEGIN(cuMemCreate);
    if (!handle || !properties || bytes == 0 || !is_granular(bytes) || flags != 0 ||
        properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || properties->location.id != context_device())
        API_FAIL(misuse("cuMemCreate of %zu bytes: bad arguments, or not for the context's device", bytes));
    if ((result = physical_take(bytes, GRANULE, &physical)) != CUDA_SUCCESS)
        goto end;
    handles = realloc(handles, (handle_count + 1) * sizeof *handles);
    if (!handles)
        emulated_abort("out of host memory");
    handles[handle_count++] = physical; /* never dealt again: a stale handle is noticed */
    *handle = handle_count;
    API_END;
}

EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    API_BEGIN(cuMemRelease);
    struct physical *physical = find_handle(handle);
    if (!physical)
        API_FAIL(misuse("cuMemRelease of %llu, which is no live handle", handle));
    handles[handle - 1] = NULL;
    physical_drop(physical); /* the memory lives on while it is mapped */
    API_END;
}

EXPORT CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    size_t following;
    API_BEGIN(cuMemMap);
    struct physical *physical = find_handle(handle);
    const struct range *range = range_find(&reservations, address);
    if (!physical || offset != 0 || flags != 0 || bytes == 0 || !is_granular(bytes) ||
        !is_granular(address) || bytes > physical->bytes)
        API_FAIL(
            misuse("cuMemMap of %zu bytes of handle %llu at %#llx: bad arguments", bytes, handle, address));
    if (!range || address + bytes > range->end)
        API_FAIL(misuse("cuMemMap at [%#llx, +%zu), which is not reserved", address, bytes));
    struct segment *after = segment_from(address, &following);
    if (following && after->map_begin < address + bytes)
        API_FAIL(misuse("cuMemMap at %#llx, where memory is mapped already", address));
    physical->references++;
    segment_map(&(struct segment){.begin = address, .end = address + bytes, .map_begin = address,
                                  .map_end = address + bytes, .physical = physical, .owner = range->begin});
    API_END;
}

/* Whole mappings that together make up exactly [address, address + bytes). */
static struct segment *whole_mappings(CUdeviceptr address, size_t bytes, size_t *count)
{
    size_t following;
    struct segment *first = segment_from(address, &following);
    uint64_t at = address;
    for (*count = 0; at < address + bytes; ++*count) {
        struct segment *segment = first + *count;
        if (*count == following || segment->is_allocation || segment->begin != at)
            return NULL;
        at = segment->end;
    }
    return bytes && at == address + bytes ? first : NULL;
}

EXPORT CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count)
{
    size_t mappings;
    API_BEGIN(cuMemSetAccess);
    struct segment *first = whole_mappings(address, bytes, &mappings);
    if (!first || !access || count != 1 || access->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        access->location.id != context_device() || access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        API_FAIL(misuse("cuMemSetAccess at [%#llx, +%zu): nothing mapped, or not for the context's device", address, bytes));
    for (size_t i = 0; i < mappings; i++)
        segment_allow(&first[i]);
    API_END;
}

EXPORT CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    size_t mappings;
    API_BEGIN(cuMemUnmap);
    struct segment *first = whole_mappings(address, bytes, &mappings);
    if (!first)
        API_FAIL(misuse("cuMemUnmap of [%#llx, +%zu), which is not made of whole mappings", address, bytes));
    if (stream_uses(address, bytes))
        API_FAIL(misuse("cuMemUnmap of [%#llx, +%zu), which queued copies still use", address, bytes));
    while (mappings-- > 0)
        segment_unmap(&first[mappings]);
    API_END;
}

EXPORT CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    API_BEGIN(cuMemGetInfo_v2);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    *total_bytes = options()->device_memory;
    *free_bytes = *total_bytes - physical_used();
    API_END;
}

void memory_reset(void)
{
    size_t following;
    struct segment *segment;
    while (segment = segment_from(0, &following), following) {
        if (segment->is_allocation)
            free_allocation(segment);
        else
            segment_unmap(segment);
    }
    for (size_t i = 0; i < handle_count; i++)
        if (handles[i])
            physical_drop(handles[i]);
    free(handles);
    handles = NULL;
    handle_count = 0;
    range_clear(&reservations);
    address_reset();
}

void memory_census(struct emulated_census *census)
{
    census->allocations = segment_count(true);
    census->mappings = segment_count(false);
    census->reservations = reservations.count;
    census->physical = 0;
    for (size_t i = 0; i < handle_count; i++)
        census->physical += handles[i] != NULL;
    census->used_bytes = physical_used();
}
