/* Pinned host memory: our own (ordinary memory), and the program's, which is
 * reached by DMA: past the page tables, in the pages that were there when pinned. */
#include "emulated_driver/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct pinned {
    struct pinned *next;
    unsigned char *pointer;    /* as given */
    unsigned char *begin, *end; /* whole pages */
    bool registered;
    bool is_portable; /* pinned for all contexts */
    CUcontext context;
    int slot; /* -1: copied by the processor */
};

static struct pinned *all_pinned;

static bool overlaps(const struct pinned *pinned, const unsigned char *begin, const unsigned char *end)
{
    return pinned->begin < end && begin < pinned->end;
}

static struct pinned *find_overlapping(const unsigned char *begin, const unsigned char *end)
{
    for (struct pinned *pinned = all_pinned; pinned; pinned = pinned->next)
        if (overlaps(pinned, begin, end))
            return pinned;
    return NULL;
}

enum host_kind pinned_classify(CUcontext by, const void *pointer, size_t bytes)
{
    const unsigned char *begin = pointer, *end = begin + bytes;
    const struct pinned *pinned = find_overlapping(begin, end);
    if (!pinned)
        return HOST_PAGEABLE;
    if (begin < pinned->begin || end > pinned->end)
        return HOST_MIXED;
    if (!pinned->is_portable && by && pinned->context != by)
        return HOST_PAGEABLE;
    return pinned->registered ? HOST_REGISTERED : HOST_ALLOCATED;
}

void pinned_transfer(enum direction direction, bool is_pageable, const struct piece *pieces, size_t count)
{
    const struct pinned *pinned = is_pageable ? NULL : find_overlapping(pieces->host, pieces->host + 1);
    if (pinned && pinned->slot >= 0) {
        dma_transfer(direction, pinned->slot, pinned->begin, pieces, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (direction == TO_HOST)
            memcpy(pieces[i].host, pieces[i].device, pieces[i].bytes);
        else
            memcpy(pieces[i].device, pieces[i].host, pieces[i].bytes);
    }
}

static struct pinned *add(void *pointer, size_t bytes)
{
    struct pinned *pinned = calloc(1, sizeof *pinned);
    if (!pinned)
        emulated_abort("out of host memory");
    uintptr_t begin = (uintptr_t)pointer & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = ((uintptr_t)pointer + bytes + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    pinned->pointer = pointer;
    pinned->begin = (unsigned char *)begin;
    pinned->end = (unsigned char *)end;
    pinned->slot = -1;
    pinned->context = context_current();
    pinned->next = all_pinned;
    all_pinned = pinned;
    return pinned;
}

static void release(struct pinned *pinned)
{
    size_t bytes = (size_t)(pinned->end - pinned->begin);
    struct pinned **link = &all_pinned;
    if (pinned->slot >= 0)
        dma_unpin(pinned->slot, bytes);
    if (!pinned->registered)
        munmap(pinned->begin, bytes);
    while (*link != pinned)
        link = &(*link)->next;
    *link = pinned->next;
    free(pinned);
}

/* After what its own device has queued is done; what others have queued would go to memory that is not pinned. */
static CUresult release_drained(struct pinned *pinned)
{
    const CUresult result = stream_drain_device(context_device_of(pinned->context));
    if (stream_uses_host(pinned->begin, pinned->end))
        return misuse("memory [%p, %p) is unpinned while a copy that is queued on another device uses it",
                      (void *)pinned->begin, (void *)pinned->end);
    release(pinned);
    return result;
}

static struct pinned *find_exact(const void *pointer, bool registered)
{
    for (struct pinned *pinned = all_pinned; pinned; pinned = pinned->next)
        if (pinned->pointer == pointer && pinned->registered == registered)
            return pinned;
    return NULL;
}

EXPORT CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    API_BEGIN(cuMemHostAlloc);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!pointer || bytes == 0 || flags > 7)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    size_t pages = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
    void *memory = mmap(NULL, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        API_FAIL(CUDA_ERROR_OUT_OF_MEMORY);
    add(memory, pages)->is_portable = true; /* with unified addressing, whatever the flags */
    *pointer = memory;
    API_END;
}

EXPORT CUresult cuMemFreeHost(void *pointer)
{
    API_BEGIN(cuMemFreeHost);
    struct pinned *pinned = find_exact(pointer, false);
    if (!pinned)
        API_FAIL(misuse("cuMemFreeHost of %p, which is no pinned allocation", pointer));
    result = release_drained(pinned);
    API_END;
}

EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags)
{
    API_BEGIN(cuMemHostRegister_v2);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!pointer || bytes == 0 || flags > 15)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    unsigned char *begin = (unsigned char *)((uintptr_t)pointer & ~(uintptr_t)(PAGE - 1));
    unsigned char *end = (unsigned char *)(((uintptr_t)pointer + bytes + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    if (find_overlapping(begin, end))
        API_FAIL(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    int slot = -1;
    result = dma_pin(begin, (size_t)(end - begin), &slot);
    if (result == CUDA_ERROR_NOT_SUPPORTED)
        result = CUDA_SUCCESS; /* copied by the processor: emulated_has_dma() tells */
    if (result != CUDA_SUCCESS)
        goto end;
    struct pinned *pinned = add(pointer, bytes);
    pinned->registered = true;
    pinned->is_portable = flags & CU_MEMHOSTREGISTER_PORTABLE;
    pinned->slot = slot;
    API_END;
}

EXPORT CUresult cuMemHostUnregister(void *pointer)
{
    API_BEGIN(cuMemHostUnregister);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    struct pinned *pinned = find_exact(pointer, true);
    if (!pinned)
        API_FAIL(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    result = release_drained(pinned);
    API_END;
}

/* Memory that CUDA does not know has type 0, without an error. */
EXPORT CUresult cuPointerGetAttributes(unsigned count, int *attributes, void **values, CUdeviceptr pointer)
{
    API_BEGIN(cuPointerGetAttributes);
    if (count != 1 || !attributes || *attributes != CU_POINTER_ATTRIBUTE_MEMORY_TYPE || !values || !*values)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    unsigned type = 0;
    if (memory_is_device(pointer))
        type = CU_MEMORYTYPE_DEVICE;
    else if (pinned_classify(NULL, (const void *)(uintptr_t)pointer, 1) != HOST_PAGEABLE)
        type = CU_MEMORYTYPE_HOST;
    *(unsigned *)*values = type;
    API_END;
}

void pinned_reset(CUdevice device)
{
    for (struct pinned *pinned = all_pinned, *next; pinned; pinned = next) {
        next = pinned->next;
        if (context_device_of(pinned->context) == device)
            release(pinned);
    }
}

size_t pinned_count(void)
{
    size_t count = 0;
    for (const struct pinned *pinned = all_pinned; pinned; pinned = pinned->next)
        count++;
    return count;
}
