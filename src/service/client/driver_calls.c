/* The driver's functions about streams, events and kernels for a client of the service, and its
 * whole table. */
#include "service/client/link.h"

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

/* A client gives its streams and events their numbers itself, so that nobody waits for an answer: the server
 * has some ready, and where it has none the stream's first wait says so. 0: all are in use. */
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

CUresult stream_synchronise(CUstream handle)
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
    return event_result(event,
                        link_look(link_event_word((uint32_t)(uintptr_t)handle), atomic_load(&event->value)));
}

static CUresult event_synchronise(CUevent handle)
{
    struct event *const event = event_of(handle);
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!atomic_load(&event->stream))
        return CUDA_SUCCESS; /* nothing was recorded */
    return event_result(event,
                        link_wait(link_event_word((uint32_t)(uintptr_t)handle), atomic_load(&event->value)));
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

/* Launches that the driver may refuse, for another way at once, are answered. The service queues a
 * cooperative one behind those of others; an event that was recorded right before it comes when its turn has
 * come. */
static CUresult send_launch(struct service_launch *launch, CUfunction function, CUstream stream,
                            void **parameters, bool is_asked)
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
    return is_asked ? link_ask_numbered(SERVICE_LAUNCH, launch, bytes, begun ? &begun->value : NULL,
                                        &launch->begun_value)
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

static CUresult launch_cooperative_kernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                          unsigned grid_z, unsigned block_x, unsigned block_y,
                                          unsigned block_z, unsigned shared_bytes, CUstream stream,
                                          void **parameters)
{
    struct stream *const in = stream_of(stream);
    struct service_launch launch = {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z},
                                    .shared_bytes = shared_bytes, .is_cooperative = 1,
                                    .begun = in ? atomic_load(&in->record) : 0};
    return send_launch(&launch, function, stream, parameters, true);
}

static CUresult launch_kernel_ex(const CUlaunchConfig *config, CUfunction function, void **parameters,
                                 void **extra)
{
    struct service_launch launch = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                                    .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                    .shared_bytes = config->sharedMemBytes,
                                    .cluster = config->attrs[0].value.clusterDim.x};
    (void)extra;
    return send_launch(&launch, function, config->hStream, parameters, true);
}

void service_fill_table(struct driver *table)
{
    SERVICE_FILL_WORK(table)
    memory_calls_fill(table);
    fill_generated(table);
    answers_fill(table);
    handles_forget();
}
