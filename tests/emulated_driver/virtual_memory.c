/* The virtual memory calls: reservations, handles, mappings. */
#include "emulated_driver/memory.h"

#include <stdlib.h>

static struct range_set reservations[DEVICES_MAX];
static struct physical **handles; /* by handle - 1 */
static size_t handle_count;

static struct range_set *reservations_of(CUdevice device)
{
    reservations[device].limit = UINT64_MAX;
    return &reservations[device];
}

static const struct range *find_reservation(CUdeviceptr address, struct range_set **set)
{
    const struct range *found = NULL;
    for (int i = 0; i < DEVICES_MAX && !found; i++)
        found = range_find(*set = reservations_of(i), address);
    return found;
}

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
    struct range_set *set = reservations_of(context_device() < 0 ? 0 : context_device());
    if (!address_take((CUdevice)(set - reservations), bytes, alignment > GRANULE ? alignment : GRANULE, &begin))
        API_FAIL(CUDA_ERROR_OUT_OF_MEMORY);
    set->cursor = begin;
    if (!range_take(set, bytes, 1, &ignored) || ignored != begin)
        emulated_abort("the list of reservations is wrong");
    *address = begin;
    API_END;
}

EXPORT CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    size_t following;
    struct range_set *set;
    API_BEGIN(cuMemAddressFree);
    const struct range *range = find_reservation(address, &set);
    if (!range || range->begin != address || range->end != address + bytes)
        API_FAIL(misuse("cuMemAddressFree of [%#llx, +%zu), which is no reservation", address, bytes));
    struct segment *segment = segment_from(address, &following);
    if (following && segment->map_begin < address + bytes)
        API_FAIL(misuse("cuMemAddressFree of %#llx with memory still mapped there", address));
    range_give(set, address);
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
    if ((result = physical_take(properties->location.id, bytes, GRANULE, &physical)) != CUDA_SUCCESS)
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
    struct range_set *set;
    API_BEGIN(cuMemMap);
    struct physical *physical = find_handle(handle);
    const struct range *range = find_reservation(address, &set);
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

/* Every device that is named exists, and reaches the memory of all mappings. */
static bool access_is_good(const struct segment *mappings, size_t count, const CUmemAccessDesc *access,
                           size_t devices)
{
    for (size_t i = 0; i < devices; i++) {
        const CUdevice device = access[i].location.id;
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || device < 0 || device >= kinds_count() ||
            access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return false;
        for (size_t k = 0; k < count; k++)
            if (!context_may_reach(device, mappings[k].physical->device))
                return false;
    }
    return true;
}

EXPORT CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count)
{
    size_t mappings;
    API_BEGIN(cuMemSetAccess);
    struct segment *first = whole_mappings(address, bytes, &mappings);
    if (!first || !access || count == 0 || !access_is_good(first, mappings, access, count))
        API_FAIL(misuse("cuMemSetAccess at [%#llx, +%zu): nothing mapped, or for a device without access", address,
                        bytes));
    for (size_t i = 0; i < mappings * count; i++)
        segment_allow(&first[i / count], access[i % count].location.id);
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

static void drop_handles(CUdevice device)
{
    size_t left = 0;
    for (size_t i = 0; i < handle_count; i++) {
        if (handles[i] && handles[i]->device == device) {
            physical_drop(handles[i]);
            handles[i] = NULL;
        }
        left += handles[i] != NULL;
    }
    if (left == 0)
        handle_count = 0;
}

void virtual_memory_reset(CUdevice device)
{
    drop_handles(device);
    range_clear(&reservations[device]);
}

bool virtual_memory_is_reserved(CUdevice device, uint64_t address)
{
    return range_find(&reservations[device], address) != NULL;
}

void virtual_memory_census(struct emulated_census *census)
{
    census->mappings = segment_count(false);
    census->reservations = census->physical = 0;
    for (int i = 0; i < DEVICES_MAX; i++)
        census->reservations += reservations[i].count;
    for (size_t i = 0; i < handle_count; i++)
        census->physical += handles[i] != NULL;
}
