/* The driver's functions about memory and copies for a client of the service: device memory is the server's
 * to give, pinned memory is the window's, and copies go between the two. */
#include "service/client/link.h"

#include "common/loader.h"
#include "service/calls.h"

#include <string.h>

static CUresult memory_info(size_t *free_bytes, size_t *total_bytes)
{
    struct service_memory_answer answer;
    const CUresult result = link_ask(SERVICE_MEMORY_INFO, NULL, 0, &answer, sizeof answer);
    if (result == CUDA_SUCCESS) {
        *free_bytes = answer.free_bytes;
        *total_bytes = answer.total_bytes;
    }
    return result;
}

static CUresult ask_range(unsigned call, const void *payload, size_t bytes, CUdeviceptr *address)
{
    struct service_range answer;
    const CUresult result = link_ask(call, payload, bytes, &answer, sizeof answer);
    if (result == CUDA_SUCCESS)
        *address = answer.address;
    return result;
}

static CUresult memory_allocate(CUdeviceptr *address, size_t bytes)
{
    const struct service_range call = {0, bytes};
    return ask_range(SERVICE_MEMORY_ALLOCATE, &call, sizeof call, address);
}

static CUresult memory_free(CUdeviceptr address)
{
    const struct service_range call = {address, 0};
    return link_post(SERVICE_MEMORY_FREE, &call, sizeof call);
}

static CUresult address_reserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted,
                                unsigned long long flags)
{
    const struct service_reserve call = {bytes, alignment, wanted};
    (void)flags;
    return ask_range(SERVICE_ADDRESS_RESERVE, &call, sizeof call, address);
}

static CUresult address_free(CUdeviceptr address, size_t bytes)
{
    const struct service_range call = {address, bytes};
    return link_ask(SERVICE_ADDRESS_FREE, &call, sizeof call, NULL, 0);
}

static CUresult physical_granularity(size_t *bytes, const CUmemAllocationProp *properties, int option)
{
    (void)properties, (void)option;
    *bytes = link_device()->granule;
    return CUDA_SUCCESS;
}

static CUresult physical_create(CUmemGenericAllocationHandle *handle, size_t bytes,
                                const CUmemAllocationProp *properties, unsigned long long flags)
{
    const struct service_range call = {0, bytes};
    (void)properties, (void)flags;
    return bytes == 0 ? CUDA_ERROR_INVALID_VALUE
                      : ask_range(SERVICE_PHYSICAL_CREATE, &call, sizeof call, handle);
}

static CUresult physical_release(CUmemGenericAllocationHandle handle)
{
    const struct service_range call = {handle, 0};
    return link_ask(SERVICE_PHYSICAL_RELEASE, &call, sizeof call, NULL, 0);
}

/* With access for the device. */
static CUresult physical_map(CUdeviceptr address, size_t bytes, size_t offset,
                             CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    const struct service_map call = {address, bytes, offset, handle};
    (void)flags;
    return link_ask(SERVICE_PHYSICAL_MAP, &call, sizeof call, NULL, 0);
}

static CUresult physical_unmap(CUdeviceptr address, size_t bytes)
{
    const struct service_range call = {address, bytes};
    return link_ask(SERVICE_PHYSICAL_UNMAP, &call, sizeof call, NULL, 0);
}

static CUresult physical_set_access(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
                                    size_t count)
{
    (void)address, (void)bytes, (void)access, (void)count;
    return CUDA_SUCCESS; /* physical_map has given it */
}

static CUresult pinned_allocate(void **pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    if (link_is_lost())
        return LINK_LOST;
    *pointer = window_take(bytes);
    return *pointer ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult pinned_free(void *pointer)
{
    window_give(pointer);
    return CUDA_SUCCESS;
}

/* The program's memory is not the server's: it goes through the window. */
static CUresult pin(void *pointer, size_t bytes, unsigned flags)
{
    (void)pointer, (void)bytes, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult unpin(void *pointer)
{
    return window_unshare(pointer);
}

static CUresult pointer_attributes(unsigned count, int *attributes, void **values, CUdeviceptr pointer);

/* The program may have come to CUDA of its own meanwhile, whose copies into memory that it has pinned leave
 * no mark: its driver alone knows which that is. NULL: there is none. */
static __typeof__(&pointer_attributes) programs_pointer_attributes(void)
{
    static _Atomic(__typeof__(&pointer_attributes)) found;
    static _Atomic unsigned long long known;
    const unsigned long long loads = loader_loads();
    if (atomic_load(&found) || loads == atomic_load(&known))
        return atomic_load(&found);
    void *const library = loader_open(driver_file(), RTLD_NOW | RTLD_NOLOAD); /* stays open: it is called */
    if (library)
        atomic_store(&found,
                     (__typeof__(&pointer_attributes))loader_symbol(library, "cuPointerGetAttributes"));
    atomic_store(&known, loads);
    return atomic_load(&found);
}

/* Memory that the program's driver refuses to judge counts as pinned, but where it has not begun. */
static CUresult pointer_attributes(unsigned count, int *attributes, void **values, CUdeviceptr pointer)
{
    unsigned *const type = values[0];
    const __typeof__(&pointer_attributes) ask = programs_pointer_attributes();
    *type = window_has((const void *)(uintptr_t)pointer, 1) ? CU_MEMORYTYPE_HOST : 0;
    if (*type == 0 && ask) {
        const CUresult result = ask(count, attributes, values, pointer);
        if (result != CUDA_SUCCESS)
            *type = result == CUDA_ERROR_NOT_INITIALIZED || result == CUDA_ERROR_DEINITIALIZED
                        ? 0
                        : CU_MEMORYTYPE_HOST;
    }
    return CUDA_SUCCESS;
}

/* To host memory: whoever wants it puts a mark or an event behind it. */
static CUresult post_copy(CUdeviceptr device, const void *host, size_t bytes, CUstream stream,
                          bool is_to_host)
{
    const struct service_copy call = {device, (uintptr_t)host, bytes, (uint32_t)(uintptr_t)stream,
                                      is_to_host};
    link_stream_is_used(stream);
    return is_to_host ? link_post_beside(SERVICE_COPY, &call, sizeof call)
                      : link_post(SERVICE_COPY, &call, sizeof call);
}

/* Memory of the program's goes through a piece of the window, part by part: all is done at the end. */
enum { BOUNCE_BYTES = 4 << 20 };

static CUresult copy_through(CUdeviceptr device, unsigned char *host, size_t bytes, CUstream stream,
                             bool is_to_host)
{
    const size_t part = bytes < BOUNCE_BYTES ? bytes : BOUNCE_BYTES;
    unsigned char *const bounce = window_take(part);
    CUresult result = bounce ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t at = 0; at < bytes && result == CUDA_SUCCESS; at += part) {
        const size_t now = bytes - at < part ? bytes - at : part;
        if (!is_to_host)
            memcpy(bounce, host + at, now);
        result = post_copy(device + at, bounce, now, stream, is_to_host);
        if (result == CUDA_SUCCESS)
            result = stream_synchronise(stream);
        if (is_to_host && result == CUDA_SUCCESS)
            memcpy(host + at, bounce, now);
    }
    if (bounce && result != LINK_LOST)
        window_give(bounce);
    return result;
}

static CUresult copy_to_device_async(CUdeviceptr destination, const void *source, size_t bytes,
                                     CUstream stream)
{
    return window_has(source, bytes)
               ? post_copy(destination, source, bytes, stream, false)
               : copy_through(destination, (unsigned char *)source, bytes, stream, false);
}

static CUresult copy_to_host_async(void *destination, CUdeviceptr source, size_t bytes, CUstream stream)
{
    return window_has(destination, bytes) ? post_copy(source, destination, bytes, stream, true)
                                          : copy_through(source, destination, bytes, stream, true);
}

static CUresult post_copy_2d(const struct service_copy_2d *call, CUstream stream)
{
    link_stream_is_used(stream);
    return link_post(SERVICE_COPY_2D, call, sizeof *call);
}

/* As many rows at once as fit. */
static CUresult copy_2d_through(struct service_copy_2d call, CUstream stream)
{
    const bool is_to_host = call.to_is_host;
    unsigned char *host = (unsigned char *)(uintptr_t)(is_to_host ? call.to : call.from);
    const size_t host_pitch = is_to_host ? call.to_pitch : call.from_pitch, height = call.height;
    const size_t fitting = call.width < BOUNCE_BYTES ? BOUNCE_BYTES / call.width : 1;
    const size_t most = height < fitting ? height : fitting;
    unsigned char *const bounce = window_take(most * call.width);
    CUresult result = bounce ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t done = 0; done < height && result == CUDA_SUCCESS; done += call.height) {
        call.height = height - done < most ? height - done : most;
        for (size_t row = 0; row < call.height && !is_to_host; row++)
            memcpy(bounce + row * call.width, host + (done + row) * host_pitch, call.width);
        struct service_copy_2d part = call;
        *(is_to_host ? &part.to : &part.from) = (uintptr_t)bounce;
        *(is_to_host ? &part.to_pitch : &part.from_pitch) = call.width;
        *(is_to_host ? &part.from : &part.to) += done * (is_to_host ? call.from_pitch : call.to_pitch);
        result = post_copy_2d(&part, stream);
        if (result == CUDA_SUCCESS)
            result = stream_synchronise(stream);
        for (size_t row = 0; row < call.height && is_to_host && result == CUDA_SUCCESS; row++)
            memcpy(host + (done + row) * host_pitch, bounce + row * call.width, call.width);
    }
    if (bounce && result != LINK_LOST)
        window_give(bounce);
    return result;
}

static CUresult copy_2d_async(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    const bool to_host = copy->dstMemoryType == CU_MEMORYTYPE_HOST,
               from_host = copy->srcMemoryType == CU_MEMORYTYPE_HOST;
    if (copy->WidthInBytes == 0 || copy->Height == 0)
        return CUDA_SUCCESS;
    const struct service_copy_2d call = {
        .to = (to_host ? (uintptr_t)copy->dstHost : copy->dstDevice) + copy->dstY * copy->dstPitch +
              copy->dstXInBytes,
        .from = (from_host ? (uintptr_t)copy->srcHost : copy->srcDevice) + copy->srcY * copy->srcPitch +
                copy->srcXInBytes,
        .to_pitch = copy->dstPitch, .from_pitch = copy->srcPitch, .width = copy->WidthInBytes,
        .height = copy->Height, .stream = (uint32_t)(uintptr_t)stream, .to_is_host = to_host,
        .from_is_host = from_host};
    const uint64_t host = to_host ? call.to : call.from, pitch = to_host ? call.to_pitch : call.from_pitch;
    if ((to_host || from_host) &&
        !window_has((const void *)(uintptr_t)host, (call.height - 1) * pitch + call.width))
        return copy_2d_through(call, stream);
    return post_copy_2d(&call, stream);
}

static CUresult copy_peer_async(CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from,
                                size_t bytes, CUstream stream)
{
    (void)destination, (void)to, (void)source, (void)from, (void)bytes, (void)stream;
    return CUDA_ERROR_NOT_SUPPORTED;
}

void memory_calls_fill(struct driver *table)
{
    SERVICE_FILL_MEMORY(table)
}
