#include "mirror/mirror.h"
#include "common/log.h"

#include <stdlib.h>
#include <string.h>

void budget_fix(struct budget *budget, struct device *device, size_t bytes)
{
    budget->device = device;
    budget->fixed = bytes;
    budget->percent = 0;
    atomic_store(&budget->bytes, bytes);
}

void budget_follow(struct budget *budget, struct device *device, unsigned percent)
{
    budget->device = device;
    budget->percent = percent;
    if (percent == 0) {
        budget_fix(budget, device, 0);
        return;
    }
    budget_refresh(budget);
}

bool budget_refresh(struct budget *budget)
{
    size_t free_bytes, total_bytes, committed = atomic_load(&budget->committed);
    if (device_check(budget->device, driver()->memory_info(&free_bytes, &total_bytes),
                     "asking for free device memory") != STATUS_OK)
        return false;
    size_t available = free_bytes + committed, bytes = available < budget->fixed ? available : budget->fixed;
    if (budget->percent > 0)
        bytes = device_choice_share(device_chosen(budget->device), budget->percent, available, total_bytes);
    atomic_store(&budget->bytes, bytes);
    if (committed <= bytes)
        return false;
    log_message(LOG_INFO, "device memory is wanted elsewhere: mirrors may fill %zu MiB of it now, not %zu",
                bytes >> 20, committed >> 20);
    return true;
}

size_t budget_spare(const struct budget *budget)
{
    size_t free_bytes, total_bytes;
    if (budget->percent == 0 || device_chosen(budget->device)->sharers == 1 ||
        device_check(budget->device, driver()->memory_info(&free_bytes, &total_bytes),
                     "asking for free device memory") != STATUS_OK)
        return 0;
    return free_bytes / 100 * budget->percent;
}

bool budget_take(struct budget *budget, size_t bytes)
{
    /* Never more than there is, not even for a moment: it would fail who asks for little meanwhile. */
    size_t committed = atomic_load(&budget->committed);
    do {
        const size_t most = atomic_load(&budget->bytes);
        if (committed > most || bytes > most - committed)
            return false;
    } while (!atomic_compare_exchange_weak(&budget->committed, &committed, committed + bytes));
    return true;
}

void budget_give(struct budget *budget, size_t bytes)
{
    atomic_fetch_sub(&budget->committed, bytes);
}

enum { CHUNK_BLOCKS_MAX = 32 }; /* fewer driver calls, yet little is lost when a chunk cannot move */
#define BLOCK_BYTES ((size_t)1 << BLOCK_SHIFT)

static size_t block_of(const struct device_range *range, uintptr_t host)
{
    return (host - range->begin) >> BLOCK_SHIFT;
}

static size_t block_count(const struct device_range *range)
{
    return (range->end - range->begin) >> BLOCK_SHIFT;
}

static uintptr_t block_host(const struct device_range *range, size_t block)
{
    return range->begin + (block << BLOCK_SHIFT);
}

static size_t chunk_end(const struct device_range *range, size_t first)
{
    size_t end = first;
    while (end < block_count(range) && range->chunk[end] == first + 1)
        end++;
    return end;
}

/* True when the device can map memory in blocks of 2 MiB. */
static bool maps_blocks(struct device *device)
{
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, device_properties(device)->ordinal},
    };
    size_t granularity = 0;
    return device_properties(device)->has_virtual_memory &&
           driver()->physical_granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ==
               CUDA_SUCCESS &&
           granularity > 0 && BLOCK_BYTES % granularity == 0;
}

enum status device_range_create(struct device_range *range, struct device *device, uintptr_t begin,
                                uintptr_t end)
{
    memset(range, 0, sizeof *range);
    range->device = device;
    range->begin = block_floor(begin);
    range->end = block_ceiling(end);
    range->plain = !maps_blocks(device);
    range->chunk = calloc(block_count(range), sizeof *range->chunk);
    range->handles = calloc(block_count(range), sizeof *range->handles);
    if (!range->chunk || !range->handles) {
        device_range_destroy(range);
        return STATUS_OUT_OF_MEMORY;
    }
    if (range->plain)
        return STATUS_OK;
    enum status status = device_check(
        device, driver()->address_reserve(&range->base, range->end - range->begin, BLOCK_BYTES, 0, 0),
        "reserving device addresses");
    if (status != STATUS_OK) {
        range->base = 0;
        device_range_destroy(range);
    }
    return status;
}

void device_range_destroy(struct device_range *range)
{
    if (range->chunk && range->handles)
        device_range_release(range, NULL, NULL);
    if (range->base && !range->plain && device_is_usable(range->device))
        driver()->address_free(range->base, range->end - range->begin);
    free(range->chunk);
    free(range->handles);
    memset(range, 0, sizeof *range);
}

size_t device_range_missing(const struct device_range *range, uintptr_t begin, uintptr_t end)
{
    size_t missing = 0;
    if (begin >= end)
        return 0;
    if (range->plain)
        return range->base ? 0 : range->end - range->begin;
    for (size_t block = block_of(range, begin); block <= block_of(range, end - 1); block++)
        missing += range->chunk[block] ? 0 : BLOCK_BYTES;
    return missing;
}

static enum status map_chunk(struct device_range *range, size_t first, size_t count,
                             CUmemGenericAllocationHandle handle)
{
    const struct driver *calls = driver();
    CUdeviceptr address = device_range_address(range, block_host(range, first));
    size_t bytes = count << BLOCK_SHIFT;
    CUmemAccessDesc access = {
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, device_properties(range->device)->ordinal},
        .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    enum status status = device_check(range->device, calls->physical_map(address, bytes, 0, handle, 0),
                                      "mapping mirror memory");
    if (status != STATUS_OK)
        return status;
    status = device_check(range->device, calls->physical_set_access(address, bytes, &access, 1),
                          "opening mirror memory");
    if (status != STATUS_OK) {
        calls->physical_unmap(address, bytes);
        return status;
    }
    for (size_t block = first; block < first + count; block++)
        range->chunk[block] = (uint32_t)first + 1;
    range->handles[first] = handle;
    range->committed_bytes += bytes;
    return STATUS_OK;
}

static enum status add_chunk(struct device_range *range, size_t first, size_t count)
{
    CUmemGenericAllocationHandle handle;
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, device_properties(range->device)->ordinal},
    };
    enum status status = device_check(
        range->device, driver()->physical_create(&handle, count << BLOCK_SHIFT, &properties, 0),
        "allocating mirror memory");
    if (status != STATUS_OK)
        return status;
    status = map_chunk(range, first, count, handle);
    if (status != STATUS_OK)
        driver()->physical_release(handle);
    return status;
}

static enum status commit_plain(struct device_range *range)
{
    size_t bytes = range->end - range->begin;
    if (range->base)
        return STATUS_OK;
    enum status status = device_allocate(range->device, bytes, &range->base);
    if (status != STATUS_OK) {
        range->base = 0;
        return status;
    }
    range->committed_bytes = bytes;
    return STATUS_OK;
}

enum status device_range_commit(struct device_range *range, uintptr_t begin, uintptr_t end)
{
    if (begin >= end)
        return STATUS_OK;
    if (range->plain)
        return commit_plain(range);
    size_t block = block_of(range, begin), last = block_of(range, end - 1);
    while (block <= last) {
        if (range->chunk[block]) {
            block++;
            continue;
        }
        size_t count = 1;
        while (count < CHUNK_BLOCKS_MAX && block + count <= last && !range->chunk[block + count])
            count++;
        enum status status = add_chunk(range, block, count);
        if (status != STATUS_OK)
            return status;
        block += count;
    }
    return STATUS_OK;
}

/* Take the chunk out of the range's addresses; its handle goes to the caller. */
static CUmemGenericAllocationHandle unmap_chunk(struct device_range *range, size_t first, size_t end)
{
    size_t bytes = (end - first) << BLOCK_SHIFT;
    if (device_is_usable(range->device))
        driver()->physical_unmap(device_range_address(range, block_host(range, first)), bytes);
    memset(range->chunk + first, 0, (end - first) * sizeof *range->chunk);
    range->committed_bytes -= bytes;
    return range->handles[first];
}

static bool goes(device_range_may_go *may_go, void *context, uintptr_t begin, uintptr_t end)
{
    return !may_go || may_go(context, begin, end);
}

static void release_plain(struct device_range *range, device_range_may_go *may_go, void *context)
{
    if (!range->base || !goes(may_go, context, range->begin, range->end))
        return;
    device_free(range->device, range->base);
    range->base = 0;
    range->committed_bytes = 0;
}

void device_range_release(struct device_range *range, device_range_may_go *may_go, void *context)
{
    if (range->plain)
        return release_plain(range, may_go, context);
    for (size_t first = 0, end; range->base && first < block_count(range); first = end) {
        end = first + 1;
        if (!range->chunk[first])
            continue;
        end = chunk_end(range, first);
        if (!goes(may_go, context, block_host(range, first), block_host(range, end)))
            continue;
        CUmemGenericAllocationHandle handle = unmap_chunk(range, first, end);
        if (device_is_usable(range->device))
            driver()->physical_release(handle);
    }
}

static bool has_room(const struct device_range *range, size_t first, size_t count)
{
    for (size_t block = first; block < first + count; block++)
        if (range->chunk[block])
            return false;
    return true;
}

void device_range_move(struct device_range *from, struct device_range *to,
                       void (*moved)(void *context, uintptr_t begin, uintptr_t end), void *context)
{
    if (from->plain || to->plain)
        return device_range_release(from, NULL, NULL);
    for (size_t first = 0, end; from->base && first < block_count(from); first = end) {
        end = first + 1;
        if (!from->chunk[first])
            continue;
        end = chunk_end(from, first);
        uintptr_t host = block_host(from, first);
        size_t target = block_of(to, host), count = end - first;
        CUmemGenericAllocationHandle handle = unmap_chunk(from, first, end);
        /* Two ranges that met inside a block both have memory for it. */
        if (has_room(to, target, count) && map_chunk(to, target, count, handle) == STATUS_OK)
            moved(context, host, host + (count << BLOCK_SHIFT));
        else if (device_is_usable(from->device))
            driver()->physical_release(handle);
    }
}
