/* Copies, queued in streams. */
#include "emulated_driver/internal.h"
#include "emulated_driver/time_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BATCH = 1024, MAX_PITCH = 0x7fffffff };

/* `height` rows of `width` bytes. */
struct copy {
    enum direction direction;
    CUdeviceptr device;
    unsigned char *host;
    size_t device_pitch, host_pitch, width, height;
    unsigned char *snapshot; /* of pageable source memory; `host` points to it */
    bool is_pageable;
    bool by_page_tables; /* and so neither read nor written when the call returns */
};

struct batch {
    enum direction direction;
    bool is_pageable, by_page_tables;
    struct piece pieces[BATCH];
    size_t count, budget; /* bytes that may still be moved */
    unsigned char *host;
};

/* As the device does it, past the program's handlers: a page that a thread could not touch is a fault there. */
static void page_tables_transfer(enum direction direction, const struct piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct iovec device = {pieces[i].device, pieces[i].bytes}, host = {pieces[i].host, pieces[i].bytes};
        const ssize_t moved = direction == TO_HOST ? process_vm_writev(getpid(), &device, 1, &host, 1, 0)
                                                   : process_vm_readv(getpid(), &device, 1, &host, 1, 0);
        if (moved < 0 && errno == ENOSYS) /* under qemu-user */
            memcpy(direction == TO_HOST ? pieces[i].host : pieces[i].device,
                   direction == TO_HOST ? pieces[i].device : pieces[i].host, pieces[i].bytes);
        else if (moved != (ssize_t)pieces[i].bytes)
            emulated_abort("a copy by the host's page tables faults in [%p, +%zu)", (void *)pieces[i].host,
                           pieces[i].bytes);
    }
}

static void flush(struct batch *batch)
{
    if (batch->count && batch->by_page_tables)
        page_tables_transfer(batch->direction, batch->pieces, batch->count);
    else if (batch->count)
        pinned_transfer(batch->direction, batch->is_pageable, batch->pieces, batch->count);
    batch->count = 0;
}

static void add_piece(void *context, unsigned char *alias, size_t bytes)
{
    struct batch *batch = context;
    if (bytes > batch->budget)
        bytes = batch->budget;
    if (bytes == 0)
        return;
    if (batch->count == BATCH)
        flush(batch);
    batch->pieces[batch->count++] = (struct piece){batch->host, alias, bytes};
    batch->host += bytes;
    batch->budget -= bytes;
}

/* Move at most `budget` bytes of the copy. */
static void move(const struct copy *copy, size_t budget)
{
    struct batch batch = {copy->direction, copy->is_pageable, copy->by_page_tables, .budget = budget};
    for (size_t row = 0; row < copy->height; row++) {
        batch.host = copy->host + row * copy->host_pitch;
        if (!memory_visit(copy->device + row * copy->device_pitch, copy->width, add_piece, &batch))
            emulated_abort("a queued copy uses device memory at %#llx that is gone",
                           copy->device + row * copy->device_pitch);
    }
    flush(&batch);
}

static CUresult run_copy(void *payload)
{
    const struct copy *copy = payload;
    size_t bytes = copy->width * copy->height;
    if (copy->direction == TO_HOST)
        control_look_at_copy_home();
    CUresult result = copy->direction == TO_HOST ? call_event(CALL_COPY_BACK, stream_running_device()) : CUDA_SUCCESS;
    time_model_copy(bytes);
    move(copy, result == CUDA_SUCCESS ? bytes : bytes / 2);
    return result;
}

static void drop_copy(void *payload)
{
    free(((struct copy *)payload)->snapshot);
}

/* The host may see garbage before the wait. */
static void poison_host(const struct copy *copy)
{
    static unsigned char garbage[64 << 10]; /* filled once: small copies are many */
    struct batch batch = {.direction = TO_HOST, .by_page_tables = copy->by_page_tables};
    if (garbage[0] != POISON)
        memset(garbage, POISON, sizeof garbage);
    for (size_t row = 0; row < copy->height; row++) {
        batch.host = copy->host + row * copy->host_pitch;
        for (size_t done = 0; done < copy->width;) {
            size_t part = copy->width - done < sizeof garbage ? copy->width - done : sizeof garbage;
            batch.budget = part;
            add_piece(&batch, garbage, part);
            done += part;
        }
    }
    flush(&batch);
}

static void take_snapshot(struct copy *copy)
{
    copy->snapshot = malloc(copy->width * copy->height);
    if (!copy->snapshot)
        emulated_abort("out of host memory");
    for (size_t row = 0; row < copy->height; row++)
        memcpy(copy->snapshot + row * copy->width, copy->host + row * copy->host_pitch, copy->width);
    copy->host = copy->snapshot;
    copy->host_pitch = copy->width;
}

static size_t extent(size_t pitch, size_t width, size_t height)
{
    return (height - 1) * pitch + width;
}

static bool rows_are_accessible(CUcontext by, CUdeviceptr device, size_t pitch, size_t width, size_t height)
{
    if (memory_is_accessible(by, device, extent(pitch, width, height)))
        return true;
    for (size_t row = 0; row < height; row++)
        if (!memory_is_accessible(by, device + row * pitch, width))
            return false;
    return true;
}

static CUresult check(CUcontext by, const struct copy *copy, enum host_kind kind)
{
    static const char *const names[] = {"to", "from"};
    if (memory_is_device((uintptr_t)copy->host))
        return misuse("a copy %s the device has device address %p as its host side", names[copy->direction],
                      (void *)copy->host);
    if (kind == HOST_MIXED && device_kind(context_device_of(by))->host_page_tables)
        return CUDA_ERROR_INVALID_VALUE; /* nobody need know what is pinned */
    if (kind == HOST_MIXED)
        return misuse("a copy %s the device uses host memory [%p, +%zu) that is pinned only in part",
                      names[copy->direction], (void *)copy->host,
                      extent(copy->host_pitch, copy->width, copy->height));
    if (!rows_are_accessible(by, copy->device, copy->device_pitch, copy->width, copy->height))
        return misuse(
            "a copy %s device memory at %#llx (%zu rows of %zu bytes, %zu apart): "
            "not allocated there for its device",
            names[copy->direction], copy->device, copy->height, copy->width, copy->device_pitch);
    return CUDA_SUCCESS;
}

static CUresult enqueue(struct copy copy, CUstream stream)
{
    CUresult result = context_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (!stream_is_valid(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (copy.width == 0 || copy.height == 0)
        return CUDA_SUCCESS;
    if (copy.height > 1 && copy.host_pitch == copy.width && copy.device_pitch == copy.width) {
        copy.width *= copy.height; /* one plain range */
        copy.height = 1;
    }
    CUcontext by = stream_context(stream);
    enum host_kind kind = pinned_classify(by, copy.host, extent(copy.host_pitch, copy.width, copy.height));
    if ((result = check(by, &copy, kind)) != CUDA_SUCCESS)
        return result;
    copy.is_pageable = kind == HOST_PAGEABLE;
    copy.by_page_tables = copy.is_pageable && device_kind(context_device_of(by))->host_page_tables;
    const bool at_once = copy.is_pageable && !copy.by_page_tables;
    if (at_once && copy.direction == TO_DEVICE)
        take_snapshot(&copy);
    else if (!at_once && copy.direction == TO_HOST && options()->poison)
        poison_host(&copy);
    struct operation *operation = stream_append(stream, run_copy, drop_copy, sizeof copy);
    operation->begin[0] = copy.device;
    operation->end[0] = copy.device + extent(copy.device_pitch, copy.width, copy.height);
    operation->host_begin = copy.host;
    operation->host_end = copy.host + extent(copy.host_pitch, copy.width, copy.height);
    memcpy(operation->payload, &copy, sizeof copy);
    if (at_once && copy.direction == TO_HOST)
        return stream_drain(stream); /* done before the call returns */
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr destination, const void *source, size_t bytes,
                                     CUstream stream)
{
    API_BEGIN(cuMemcpyHtoDAsync_v2);
    if (!time_model_copies(bytes))
        goto end;
    result = enqueue(
        (struct copy){TO_DEVICE, destination, (void *)(uintptr_t)source, bytes, bytes, bytes, 1, NULL, false, false},
        stream);
    API_END;
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *destination, CUdeviceptr source, size_t bytes, CUstream stream)
{
    API_BEGIN(cuMemcpyDtoHAsync_v2);
    result = enqueue((struct copy){TO_HOST, source, destination, bytes, bytes, bytes, 1, NULL, false, false}, stream);
    API_END;
}

/* --- two dimensions --- */

struct device_copy {
    CUdeviceptr destination, source;
    size_t destination_pitch, source_pitch, width, height;
};

static CUresult run_device_copy(void *payload)
{
    const struct device_copy *copy = payload;
    size_t bytes = copy->width * copy->height;
    unsigned char *buffer = malloc(bytes);
    if (!buffer)
        emulated_abort("out of host memory");
    time_model_copy(bytes);
    move(&(struct copy){TO_HOST, copy->source, buffer, copy->source_pitch, copy->width, copy->width,
                        copy->height, NULL, false, false},
         bytes);
    move(&(struct copy){TO_DEVICE, copy->destination, buffer, copy->destination_pitch, copy->width,
                        copy->width, copy->height, NULL, false, false},
         bytes);
    free(buffer);
    return CUDA_SUCCESS;
}

static CUresult enqueue_device_copy(struct device_copy copy, CUcontext reader, CUcontext writer,
                                    CUstream stream)
{
    CUresult result = context_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (!rows_are_accessible(reader, copy.source, copy.source_pitch, copy.width, copy.height) ||
        !rows_are_accessible(writer, copy.destination, copy.destination_pitch, copy.width, copy.height))
        return misuse("a copy from device memory at %#llx to %#llx: not allocated there for its device", copy.source,
                      copy.destination);
    struct operation *operation = stream_append(stream, run_device_copy, NULL, sizeof copy);
    if (!operation)
        return CUDA_ERROR_INVALID_HANDLE;
    operation->begin[0] = copy.source;
    operation->end[0] = copy.source + extent(copy.source_pitch, copy.width, copy.height);
    operation->begin[1] = copy.destination;
    operation->end[1] = copy.destination + extent(copy.destination_pitch, copy.width, copy.height);
    memcpy(operation->payload, &copy, sizeof copy);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr destination, CUdeviceptr source, size_t bytes,
                                     CUstream stream)
{
    API_BEGIN(cuMemcpyDtoDAsync_v2);
    CUcontext by = stream_context(stream);
    const struct device_copy copy = {destination, source, bytes, bytes, bytes, 1};
    if (bytes)
        result = enqueue_device_copy(copy, by, by, stream);
    API_END;
}

/* Without peer access it goes through the host, which needs no access of either to the other. */
EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr destination, CUcontext writer, CUdeviceptr source,
                                  CUcontext reader, size_t bytes, CUstream stream)
{
    const struct device_copy copy = {destination, source, bytes, bytes, bytes, 1};
    API_BEGIN(cuMemcpyPeerAsync);
    if (!context_is_known(writer) || !context_is_known(reader))
        API_FAIL(CUDA_ERROR_INVALID_CONTEXT);
    if ((result = fault_sticky(context_device_of(writer))) != CUDA_SUCCESS ||
        (result = fault_sticky(context_device_of(reader))) != CUDA_SUCCESS || bytes == 0)
        goto end;
    result = enqueue_device_copy(copy, reader, writer, stream);
    API_END;
}

static bool pitch_is_good(size_t pitch, const CUDA_MEMCPY2D *copy)
{
    return pitch <= MAX_PITCH && (pitch >= copy->WidthInBytes || copy->Height == 1);
}

EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    API_BEGIN(cuMemcpy2DAsync_v2);
    size_t source = copy->srcY * copy->srcPitch + copy->srcXInBytes;
    size_t destination = copy->dstY * copy->dstPitch + copy->dstXInBytes;
    if (copy->WidthInBytes == 0 || copy->Height == 0)
        goto end;
    if (!pitch_is_good(copy->srcPitch, copy) || !pitch_is_good(copy->dstPitch, copy))
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    if (copy->srcMemoryType == CU_MEMORYTYPE_HOST && copy->dstMemoryType == CU_MEMORYTYPE_DEVICE)
        result = enqueue((struct copy){TO_DEVICE, copy->dstDevice + destination,
                                       (unsigned char *)(uintptr_t)copy->srcHost + source, copy->dstPitch,
                                       copy->srcPitch, copy->WidthInBytes, copy->Height, NULL, false, false}, stream);
    else if (copy->srcMemoryType == CU_MEMORYTYPE_DEVICE && copy->dstMemoryType == CU_MEMORYTYPE_HOST)
        result = enqueue((struct copy){TO_HOST, copy->srcDevice + source,
                                       (unsigned char *)copy->dstHost + destination, copy->srcPitch,
                                       copy->dstPitch, copy->WidthInBytes, copy->Height, NULL, false, false},
                         stream);
    else if (copy->srcMemoryType == CU_MEMORYTYPE_DEVICE && copy->dstMemoryType == CU_MEMORYTYPE_DEVICE)
        result = enqueue_device_copy((struct device_copy){copy->dstDevice + destination,
                                                          copy->srcDevice + source, copy->dstPitch,
                                                          copy->srcPitch, copy->WidthInBytes, copy->Height},
                                     stream_context(stream), stream_context(stream), stream);
    else
        result = misuse("cuMemcpy2DAsync: memory types %d to %d are not emulated", copy->srcMemoryType,
                        copy->dstMemoryType);
    API_END;
}

/* --- for tests --- */

static bool look(enum direction direction, void *host, CUdeviceptr device, size_t bytes)
{
    call_lock();
    bool good = memory_is_accessible(NULL, device, bytes);
    if (good)
        move(&(struct copy){direction, device, host, bytes, bytes, bytes, 1, NULL, false, false}, bytes);
    call_end();
    return good;
}

EXPORT bool emulated_peek(void *destination, CUdeviceptr source, size_t bytes)
{
    return look(TO_HOST, destination, source, bytes);
}

EXPORT bool emulated_poke(CUdeviceptr destination, const void *source, size_t bytes)
{
    return look(TO_DEVICE, (void *)(uintptr_t)source, destination, bytes);
}
