#include "emulated_driver/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const uint64_t SPACE_BYTES = (uint64_t)128 << 30;

static uint64_t space_begin, space_end;
static struct range_set spaces[DEVICES_MAX];
static struct segment *segments; /* sorted by address */
static size_t count, capacity;
static unsigned open_guards;
static CUcontext viewer; /* what ran last, in whose view the memory is */

CUresult memory_open(void)
{
    const uint64_t bytes = (uint64_t)kinds_count() * SPACE_BYTES;
    if (space_end)
        return CUDA_SUCCESS;
    void *base =
        mmap(NULL, bytes + GRANULE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        emulated_abort("reserving device addresses: %s", strerror(errno));
    madvise(base, bytes + GRANULE, MADV_DONTDUMP);
    madvise(base, bytes + GRANULE, MADV_DONTFORK);
    space_begin = ((uint64_t)(uintptr_t)base + GRANULE - 1) / GRANULE * GRANULE;
    space_end = space_begin + bytes;
    for (int i = 0; i < kinds_count(); i++) {
        spaces[i].base = space_begin + (uint64_t)i * SPACE_BYTES;
        spaces[i].limit = spaces[i].base + SPACE_BYTES;
    }
    return physical_open();
}

bool address_take(CUdevice device, uint64_t bytes, uint64_t alignment, uint64_t *begin)
{
    return range_take(&spaces[device], bytes, alignment, begin);
}

void address_give(uint64_t begin)
{
    range_give(&spaces[(begin - space_begin) / SPACE_BYTES], begin);
}

void address_reset(CUdevice device)
{
    range_clear(&spaces[device]);
}

bool memory_is_device(CUdeviceptr address)
{
    return address >= space_begin && address < space_end;
}

struct segment *segment_from(uint64_t address, size_t *following)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (segments[middle].map_end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    *following = count - low;
    return &segments[low];
}

struct segment *segment_find(uint64_t address)
{
    size_t following;
    struct segment *segment = segment_from(address, &following);
    return following && segment->map_begin <= address ? segment : NULL;
}

static void protect(const struct segment *segment, int protection)
{
    if (mprotect((void *)(uintptr_t)segment->map_begin, segment->map_end - segment->map_begin, protection) !=
        0)
        emulated_abort("protecting device memory: %s", strerror(errno));
}

/* For what runs in the context; NULL: for any. */
static bool is_reached(CUcontext by, const struct segment *segment)
{
    if (!by || segment->devices == 0)
        return segment->devices != 0;
    return segment->is_allocation ? context_reaches(by, segment->physical->device)
                                  : segment->devices >> context_device_of(by) & 1;
}

static int protection_now(const struct segment *segment)
{
    const bool is_closed = options()->guard && open_guards == 0;
    return is_closed || !is_reached(viewer, segment) ? PROT_NONE : PROT_READ | PROT_WRITE;
}

struct segment *segment_map(const struct segment *segment)
{
    size_t following, place;
    uint64_t bytes = segment->map_end - segment->map_begin;
    void *mapped =
        mmap((void *)(uintptr_t)segment->map_begin, bytes, protection_now(segment),
             MAP_SHARED | MAP_FIXED, physical_file(), (off_t)segment->physical->offset);
    if (mapped == MAP_FAILED)
        emulated_abort("mapping device memory: %s", strerror(errno));
    madvise(mapped, bytes, MADV_DONTFORK);
    madvise(mapped, bytes, MADV_DONTDUMP);
    if (count == capacity) {
        capacity = capacity ? 2 * capacity : 64;
        segments = realloc(segments, capacity * sizeof *segments);
        if (!segments)
            emulated_abort("out of host memory");
    }
    segment_from(segment->map_begin, &following);
    place = count - following;
    memmove(&segments[place + 1], &segments[place], following * sizeof *segments);
    segments[place] = *segment;
    count++;
    return &segments[place];
}

void segment_allow(struct segment *segment, CUdevice device)
{
    segment->devices |= 1u << device;
    protect(segment, protection_now(segment));
}

void segment_unmap(struct segment *segment)
{
    void *at = (void *)(uintptr_t)segment->map_begin;
    size_t bytes = segment->map_end - segment->map_begin;
    if (mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
        emulated_abort("unmapping device memory: %s", strerror(errno));
    madvise(at, bytes, MADV_DONTFORK);
    madvise(at, bytes, MADV_DONTDUMP);
    physical_drop(segment->physical);
    size_t place = (size_t)(segment - segments);
    memmove(segment, segment + 1, (count - place - 1) * sizeof *segment);
    count--;
}

size_t segment_count(bool is_allocation)
{
    size_t matching = 0;
    for (size_t i = 0; i < count; i++)
        matching += segments[i].is_allocation == is_allocation;
    return matching;
}

void memory_guard_renew(void)
{
    for (size_t i = 0; i < count; i++)
        protect(&segments[i], protection_now(&segments[i]));
}

/* With one device and no guard all is open always. */
CUcontext memory_guard_open(CUcontext context)
{
    CUcontext before = viewer;
    const bool is_first = open_guards++ == 0;
    if (kinds_count() > 1)
        viewer = context;
    if (viewer != before || (is_first && options()->guard))
        memory_guard_renew();
    return before;
}

void memory_guard_close(CUcontext before)
{
    const bool is_last = --open_guards == 0;
    const bool is_nested = !is_last && viewer != before;
    if (is_nested)
        viewer = before;
    if (is_nested || (is_last && options()->guard))
        memory_guard_renew();
}

CUdevice memory_viewer(void)
{
    return context_device_of(viewer);
}

CUdevice memory_owner(CUdeviceptr address)
{
    const struct segment *segment = segment_find(address);
    return segment ? segment->physical->device : -1;
}

static unsigned char *alias_of(const struct segment *segment, uint64_t address)
{
    return physical_alias(segment->physical->offset + (address - segment->map_begin));
}

/* One allocation, or adjoining accessible mappings of one reservation. */
static bool is_accessible(CUcontext by, uint64_t address, uint64_t end)
{
    struct segment *segment = segment_find(address);
    if (!segment || end < address)
        return false;
    for (const struct segment *first = segment;; segment++) {
        if (segment == segments + count || segment->begin > address || !is_reached(by, segment) ||
            segment->owner != first->owner)
            return false;
        if (end <= segment->end)
            return true;
        if (segment->is_allocation)
            return false;
        address = segment->end;
    }
}

bool memory_is_accessible(CUcontext by, CUdeviceptr address, size_t bytes)
{
    return is_accessible(by, address, address + bytes);
}

bool memory_visit(CUdeviceptr address, size_t bytes, memory_visitor *visit, void *context)
{
    uint64_t end = address + bytes;
    if (!is_accessible(NULL, address, end))
        return false;
    for (struct segment *segment = segment_find(address); address < end; segment++) {
        uint64_t piece = (end < segment->end ? end : segment->end) - address;
        visit(context, alias_of(segment, address), piece);
        address += piece;
    }
    return true;
}
