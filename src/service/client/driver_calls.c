/* The driver's functions for a client of the service. What is not here travels as it is (calls.inc). */
#include "service/client/link.h"

#include "common/loader.h"
#include "gpu/device.h"
#include "gpu/kernels/arguments.h"
#include "gpu/kernels/bidiagonal/bidiagonal_arguments.h"
#include "gpu/kernels/route_arguments.h"
#include "gpu/kernels/stedc/stedc_arguments.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "gpu/kernels/two_stage/band_arguments.h"
#include "gpu/kernels/two_stage/stebz_arguments.h"
#include "service/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/client/calls.inc"

/* Streams and events by their numbers from 1 on. `value` is the last that the word is to reach. */
static struct stream {
    _Atomic uint32_t value;
    atomic_bool is_used;     /* since the last mark */
    _Atomic uint32_t record; /* the event that was the last to be recorded, with nothing behind it; 0: none */
} streams[SERVICE_STREAMS + 1];
static struct event {
    _Atomic uint32_t value, stream; /* 0: not recorded */
} events[SERVICE_EVENTS + 1];
static atomic_flag stream_is_taken[SERVICE_STREAMS + 1], event_is_taken[SERVICE_EVENTS + 1];

static struct stream *stream_of(CUstream handle)
{
    const uintptr_t number = (uintptr_t)handle;
    return number >= 1 && number <= SERVICE_STREAMS ? &streams[number] : NULL;
}

static struct event *event_of(CUevent handle)
{
    const uintptr_t number = (uintptr_t)handle;
    return number >= 1 && number <= SERVICE_EVENTS ? &events[number] : NULL;
}

void link_stream_is_used(CUstream handle)
{
    struct stream *const stream = stream_of(handle);
    if (!stream)
        return;
    atomic_store(&stream->is_used, true);
    atomic_store(&stream->record, 0);
}

/* The context: there is one, and it is the server's. A thread has a stack of it. */
static __thread int depth __attribute__((tls_model("initial-exec")));
#define THE_CONTEXT ((CUcontext)16)

static CUresult init(unsigned flags)
{
    (void)flags;
    return link_is_lost() ? LINK_LOST : CUDA_SUCCESS;
}

static CUresult error_name(CUresult error, const char **name)
{
    switch (error) {
    case CUDA_ERROR_INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; break;
    case CUDA_ERROR_OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
    case CUDA_ERROR_INVALID_HANDLE: *name = "CUDA_ERROR_INVALID_HANDLE"; break;
    case CUDA_ERROR_NOT_READY: *name = "CUDA_ERROR_NOT_READY"; break;
    case CUDA_ERROR_LAUNCH_FAILED: *name = "CUDA_ERROR_LAUNCH_FAILED"; break;
    case CUDA_ERROR_ILLEGAL_ADDRESS: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: *name = "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"; break;
    case CUDA_ERROR_NOT_SUPPORTED: *name = "CUDA_ERROR_NOT_SUPPORTED"; break;
    case LINK_LOST: *name = "the service is lost"; break;
    default: *name = "an error of the service's device"; break;
    }
    return CUDA_SUCCESS;
}

static CUresult device_count(int *count)
{
    *count = 1;
    return CUDA_SUCCESS;
}

static CUresult device_get(CUdevice *device, int ordinal)
{
    *device = 0;
    return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult primary_state(CUdevice device, unsigned *flags, int *active)
{
    (void)device;
    *flags = 0;
    *active = 0; /* as far as this program goes */
    return CUDA_SUCCESS;
}

static CUresult primary_retain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = THE_CONTEXT;
    return CUDA_SUCCESS;
}

static CUresult primary_release(CUdevice device)
{
    (void)device;
    return CUDA_SUCCESS;
}

static CUresult context_push(CUcontext context)
{
    (void)context;
    if (link_is_lost())
        return LINK_LOST;
    depth++;
    return CUDA_SUCCESS;
}

static CUresult context_pop(CUcontext *context)
{
    *context = THE_CONTEXT;
    if (depth > 0)
        depth--;
    return CUDA_SUCCESS;
}

static CUresult context_current(CUcontext *context)
{
    *context = depth > 0 ? THE_CONTEXT : NULL;
    return CUDA_SUCCESS;
}

static CUresult context_set_current(CUcontext context)
{
    depth = context ? (depth > 0 ? depth : 1) : 0;
    return CUDA_SUCCESS;
}

static CUresult context_device(CUdevice *device)
{
    *device = 0;
    return depth > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult context_id(CUcontext context, unsigned long long *id)
{
    (void)context;
    *id = 1;
    return CUDA_SUCCESS;
}

static CUresult peer_possible(int *possible, CUdevice device, CUdevice other)
{
    (void)device, (void)other;
    *possible = 0;
    return CUDA_SUCCESS;
}

static CUresult peer_enable(CUcontext peer, unsigned flags)
{
    (void)peer, (void)flags;
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

static CUresult capture_mode(int *mode)
{
    *mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    return CUDA_SUCCESS;
}

/* A client gives its streams and events their numbers itself, so that nobody waits for an answer: the server has some
 * ready, and where it has none the stream's first wait says so. 0: all are in use. */
static uint32_t take_number(atomic_flag *taken, uint32_t most)
{
    static atomic_uint first; /* in turn: the one that was given back last may still be at its end */
    const uint32_t begin = atomic_fetch_add(&first, 1);
    for (uint32_t i = 0; i < most; i++) {
        const uint32_t number = (begin + i) % most + 1;
        if (!atomic_flag_test_and_set(&taken[number]))
            return number;
    }
    return 0;
}

/* Another process's connection, or none yet. */
static void handles_forget(void)
{
    for (int i = 0; i <= SERVICE_STREAMS; i++) {
        atomic_store(&streams[i].value, 0);
        atomic_flag_clear(&stream_is_taken[i]);
    }
    for (int i = 0; i <= SERVICE_EVENTS; i++) {
        atomic_store(&events[i].value, 0);
        atomic_flag_clear(&event_is_taken[i]);
    }
}

/* Marks of the one that had the number before may still be under way: its values go on. */
static CUresult stream_create(CUstream *handle, unsigned flags)
{
    (void)flags; /* none blocks another */
    const struct service_handle call = {take_number(stream_is_taken, SERVICE_STREAMS)};
    *handle = NULL;
    if (call.number == 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_store(&streams[call.number].record, 0);
    atomic_store(&streams[call.number].is_used, false);
    const CUresult result = link_post(SERVICE_STREAM_CREATE, &call, sizeof call);
    *handle = result == CUDA_SUCCESS ? (CUstream)(uintptr_t)call.number : NULL;
    return result;
}

/* A mark behind all that is queued. */
static CUresult mark(CUstream handle, struct stream *stream)
{
    if (!atomic_exchange(&stream->is_used, false))
        return CUDA_SUCCESS;
    struct service_mark call = {(uint32_t)(uintptr_t)handle, 0};
    return link_post_numbered(SERVICE_STREAM_MARK, &call, sizeof call, &stream->value, &call.value);
}

static CUresult reach(CUstream handle, CUresult how(const atomic_uint *word, uint32_t value))
{
    struct stream *const stream = stream_of(handle);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    const uint32_t number = (uint32_t)(uintptr_t)handle;
    CUresult result = mark(handle, stream);
    if (result == CUDA_SUCCESS)
        result = how(link_stream_word(number), atomic_load(&stream->value));
    return result == CUDA_SUCCESS ? link_stream_error(number) : result;
}

static CUresult stream_query(CUstream handle)
{
    return reach(handle, link_look);
}

static CUresult stream_synchronise(CUstream handle)
{
    return reach(handle, link_wait);
}

/* The driver's own waits for nothing; whoever calls it means that there is nothing left. */
static CUresult stream_destroy(CUstream handle)
{
    const struct service_handle call = {(uint32_t)(uintptr_t)handle};
    CUresult result = stream_synchronise(handle);
    if (result == LINK_LOST || !stream_of(handle))
        return result;
    result = link_post(SERVICE_STREAM_DESTROY, &call, sizeof call);
    atomic_flag_clear(&stream_is_taken[call.number]);
    return result;
}

static CUresult event_create(CUevent *handle, unsigned flags)
{
    (void)flags; /* a wait for any sleeps */
    const struct service_handle call = {take_number(event_is_taken, SERVICE_EVENTS)};
    *handle = NULL;
    if (call.number == 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_store(&events[call.number].stream, 0);
    const CUresult result = link_post(SERVICE_EVENT_CREATE, &call, sizeof call);
    *handle = result == CUDA_SUCCESS ? (CUevent)(uintptr_t)call.number : NULL;
    return result;
}

/* Behind it in the ring the number is another one's. */
static CUresult event_destroy(CUevent handle)
{
    const struct service_handle call = {(uint32_t)(uintptr_t)handle};
    if (!event_of(handle))
        return CUDA_ERROR_INVALID_HANDLE;
    const CUresult result = link_post(SERVICE_EVENT_DESTROY, &call, sizeof call);
    atomic_flag_clear(&event_is_taken[call.number]);
    return result;
}

static CUresult event_record(CUevent handle, CUstream stream)
{
    struct event *const event = event_of(handle);
    if (!event || !stream_of(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    struct service_event_record call = {(uint32_t)(uintptr_t)handle, (uint32_t)(uintptr_t)stream, 0};
    atomic_store(&event->stream, call.stream);
    atomic_store(&stream_of(stream)->record, call.event);
    return link_post_numbered(SERVICE_EVENT_RECORD, &call, sizeof call, &event->value, &call.value);
}

static CUresult event_result(const struct event *event, CUresult reached)
{
    const uint32_t stream = atomic_load(&event->stream);
    return reached == CUDA_SUCCESS && stream ? link_stream_error(stream) : reached;
}

static CUresult event_query(CUevent handle)
{
    struct event *const event = event_of(handle);
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!atomic_load(&event->stream))
        return CUDA_SUCCESS; /* nothing was recorded */
    return event_result(event, link_look(link_event_word((uint32_t)(uintptr_t)handle), atomic_load(&event->value)));
}

static CUresult event_synchronise(CUevent handle)
{
    struct event *const event = event_of(handle);
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!atomic_load(&event->stream))
        return CUDA_SUCCESS; /* nothing was recorded */
    return event_result(event, link_wait(link_event_word((uint32_t)(uintptr_t)handle), atomic_load(&event->value)));
}

static CUresult stream_capture_info(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                    const CUgraphNode **dependencies, size_t *count)
{
    (void)stream, (void)id, (void)graph, (void)dependencies, (void)count;
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

static CUresult user_object_create(CUuserObject *object, void *data, void (*destroy)(void *data),
                                   unsigned references, unsigned flags)
{
    (void)object, (void)data, (void)destroy, (void)references, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult user_object_release(CUuserObject object, unsigned references)
{
    (void)object, (void)references;
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult graph_retain_user_object(CUgraph graph, CUuserObject object, unsigned references, unsigned flags)
{
    (void)graph, (void)object, (void)references, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult stream_write_value(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)
{
    (void)stream, (void)address, (void)value, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Kernels: the server has loaded the same. */
size_t service_argument_bytes(unsigned kernel)
{
    static const size_t bytes[KERNEL_COUNT] = {
#define KERNEL(name, arguments) sizeof(struct arguments),
#include "gpu/kernels/kernels.def"
#include "gpu/kernels/route_kernels.def"
#undef KERNEL
    };
    return kernel >= 1 && kernel <= KERNEL_COUNT ? bytes[kernel - 1] : 0;
}

static CUresult module_load(CUmodule *module, const void *image)
{
    (void)image;
    *module = (CUmodule)16;
    return CUDA_SUCCESS;
}

static CUresult module_function(CUfunction *function, CUmodule module, const char *name)
{
    (void)module;
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (strcmp(kernel_name((enum kernel)i), name) == 0) {
            *function = (CUfunction)(uintptr_t)(i + 1);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

/* Shared memory that the device has is not asked for: the launch says if the kernel cannot have it. */
static CUresult function_set_attribute(CUfunction function, int attribute, int value)
{
    const struct service_allow call = {(uint32_t)(uintptr_t)function, attribute, value};
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return link_ask(SERVICE_FUNCTION_ALLOW, &call, sizeof call, NULL, 0);
    if (value > link_device()->attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN])
        return CUDA_ERROR_INVALID_VALUE;
    return link_post(SERVICE_FUNCTION_ALLOW, &call, sizeof call);
}

static CUresult active_clusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    const struct service_clusters call = {(uint32_t)(uintptr_t)function, config->gridDimX,
                                          config->attrs[0].value.clusterDim.x, config->blockDimX,
                                          config->sharedMemBytes};
    struct service_handle answer;
    const CUresult result = link_ask(SERVICE_ACTIVE_CLUSTERS, &call, sizeof call, &answer, sizeof answer);
    if (result == CUDA_SUCCESS)
        *clusters = (int)answer.number;
    return result;
}

/* Launches that the driver may refuse, for another way at once, are answered. The service queues a cooperative one
 * behind those of others; an event that was recorded right before it comes when its turn has come. */
static CUresult send_launch(struct service_launch *launch, CUfunction function, CUstream stream, void **parameters,
                            bool is_asked)
{
    const uintptr_t number = (uintptr_t)function;
    if (number < 1 || number > KERNEL_COUNT)
        return CUDA_ERROR_INVALID_HANDLE;
    launch->kernel = (uint32_t)number;
    launch->stream = (uint32_t)(uintptr_t)stream;
    launch->bytes = (uint32_t)service_argument_bytes((unsigned)number);
    memcpy(launch->arguments, parameters[0], launch->bytes);
    const size_t bytes = offsetof(struct service_launch, arguments) + launch->bytes;
    struct event *const begun = event_of((CUevent)(uintptr_t)launch->begun);
    link_stream_is_used(stream);
    return is_asked ? link_ask_numbered(SERVICE_LAUNCH, launch, bytes, begun ? &begun->value : NULL, &launch->begun_value)
                    : link_post(SERVICE_LAUNCH, launch, bytes);
}

static CUresult launch_kernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                              CUstream stream, void **parameters, void **extra)
{
    struct service_launch launch = {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z},
                                    .shared_bytes = shared_bytes};
    (void)extra;
    return send_launch(&launch, function, stream, parameters, false);
}

static CUresult launch_cooperative_kernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                          unsigned block_x, unsigned block_y, unsigned block_z,
                                          unsigned shared_bytes, CUstream stream, void **parameters)
{
    struct stream *const in = stream_of(stream);
    struct service_launch launch = {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z},
                                    .shared_bytes = shared_bytes, .is_cooperative = 1,
                                    .begun = in ? atomic_load(&in->record) : 0};
    return send_launch(&launch, function, stream, parameters, true);
}

static CUresult launch_kernel_ex(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    struct service_launch launch = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                                    .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                    .shared_bytes = config->sharedMemBytes,
                                    .cluster = config->attrs[0].value.clusterDim.x};
    (void)extra;
    return send_launch(&launch, function, config->hStream, parameters, true);
}

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
    return bytes == 0 ? CUDA_ERROR_INVALID_VALUE : ask_range(SERVICE_PHYSICAL_CREATE, &call, sizeof call, handle);
}

static CUresult physical_release(CUmemGenericAllocationHandle handle)
{
    const struct service_range call = {handle, 0};
    return link_ask(SERVICE_PHYSICAL_RELEASE, &call, sizeof call, NULL, 0);
}

/* With access for the device. */
static CUresult physical_map(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                             unsigned long long flags)
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

static CUresult physical_set_access(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count)
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

/* The program may have come to CUDA of its own meanwhile, whose copies into memory that it has pinned leave no mark:
 * its driver alone knows which that is. NULL: there is none. */
static __typeof__(&pointer_attributes) programs_pointer_attributes(void)
{
    static _Atomic(__typeof__(&pointer_attributes)) found;
    static _Atomic unsigned long long known;
    const unsigned long long loads = loader_loads();
    if (atomic_load(&found) || loads == atomic_load(&known))
        return atomic_load(&found);
    void *const library = loader_open(driver_file(), RTLD_NOW | RTLD_NOLOAD); /* stays open: it is called */
    if (library)
        atomic_store(&found, (__typeof__(&pointer_attributes))loader_symbol(library, "cuPointerGetAttributes"));
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
            *type = result == CUDA_ERROR_NOT_INITIALIZED || result == CUDA_ERROR_DEINITIALIZED ? 0 : CU_MEMORYTYPE_HOST;
    }
    return CUDA_SUCCESS;
}

static CUresult post_copy(CUdeviceptr device, const void *host, size_t bytes, CUstream stream, bool is_to_host)
{
    const struct service_copy call = {device, (uintptr_t)host, bytes, (uint32_t)(uintptr_t)stream, is_to_host};
    link_stream_is_used(stream);
    return link_post(SERVICE_COPY, &call, sizeof call);
}

/* Memory of the program's goes through a piece of the window, part by part: all is done at the end. */
enum { BOUNCE_BYTES = 4 << 20 };

static CUresult copy_through(CUdeviceptr device, unsigned char *host, size_t bytes, CUstream stream, bool is_to_host)
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

static CUresult copy_to_device_async(CUdeviceptr destination, const void *source, size_t bytes, CUstream stream)
{
    return window_has(source, bytes) ? post_copy(destination, source, bytes, stream, false)
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
    const bool to_host = copy->dstMemoryType == CU_MEMORYTYPE_HOST, from_host = copy->srcMemoryType == CU_MEMORYTYPE_HOST;
    if (copy->WidthInBytes == 0 || copy->Height == 0)
        return CUDA_SUCCESS;
    const struct service_copy_2d call = {
        .to = (to_host ? (uintptr_t)copy->dstHost : copy->dstDevice) + copy->dstY * copy->dstPitch + copy->dstXInBytes,
        .from = (from_host ? (uintptr_t)copy->srcHost : copy->srcDevice) + copy->srcY * copy->srcPitch +
                copy->srcXInBytes,
        .to_pitch = copy->dstPitch, .from_pitch = copy->srcPitch, .width = copy->WidthInBytes, .height = copy->Height,
        .stream = (uint32_t)(uintptr_t)stream, .to_is_host = to_host, .from_is_host = from_host};
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

/* Every function that driver.def does not call ASKED or QUEUED is here, or this does not compile. */
void service_fill_table(struct driver *table)
{
#define FILL_LOCAL(member) table->member = member;
#define FILL_OWN(member) table->member = member;
#define FILL_ASKED(member)
#define FILL_QUEUED(member)
#define DRIVER_FUNCTION(member, symbol, parameters, way) FILL_##way(member)
#include "gpu/driver.def"
#undef DRIVER_FUNCTION
    fill_generated(table);
    answers_fill(table);
    handles_forget();
}
