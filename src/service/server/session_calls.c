/* The calls of a session. Those that travel as they are come from calls.inc. */
#include "service/calls.h"
#include "service/server/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "service/server/calls.inc"

bool session_stream(struct session *session, uint64_t number, CUstream *stream)
{
    const bool is_number = number >= 1 && number <= SERVICE_STREAMS;
    *stream = is_number && !session->is_leaving[number - 1] ? session->streams[number - 1] : NULL;
    if (*stream)
        session->named_stream = (uint32_t)number;
    return *stream != NULL;
}

bool session_event(struct session *session, uint64_t number, CUevent *event)
{
    *event = number >= 1 && number <= SERVICE_EVENTS ? session->events[number - 1] : NULL;
    return *event != NULL;
}

bool session_function(struct session *session, uint64_t number, CUfunction *function)
{
    return number >= 1 && number <= KERNEL_COUNT &&
           kernel_set_function(device_kernels(session->device), (enum kernel)(number - 1), 0, function) ==
               CUDA_SUCCESS;
}

CUdevice session_device(const struct session *session)
{
    (void)session;
    CUdevice device = 0;
    driver()->context_device(&device);
    return device;
}

bool session_may_ask(int attribute, bool is_of_function)
{
    static const int of_device[] = {
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
        CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
        CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, CU_DEVICE_ATTRIBUTE_MPS_ENABLED};
    if (is_of_function)
        return attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK || attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ||
               attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    for (size_t i = 0; i < sizeof of_device / sizeof *of_device; i++)
        if (attribute == of_device[i])
            return true;
    return false;
}

/* Streams and events that no client has any more wait here for the next: to destroy one may wait for others. */
enum { SPARE_STREAMS = 512, SPARE_EVENTS = 8192, BUSY_MOST = 8, THREADS_MOST = 1024 };
static CUstream spare_streams[SPARE_STREAMS];
static CUevent spare_events[SPARE_EVENTS];
static int spare_stream_count, spare_event_count;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

CUresult session_take_stream(CUstream *stream)
{
    int place = -1;
    pthread_mutex_lock(&spare_lock);
    for (int i = spare_stream_count; i-- > 0 && place < 0;)
        if (driver()->stream_query(spare_streams[i]) == CUDA_SUCCESS)
            place = i;
    if (place < 0 && spare_stream_count >= BUSY_MOST)
        place = 0; /* what is queued there only comes before */
    *stream = place >= 0 ? spare_streams[place] : NULL;
    if (place >= 0)
        spare_streams[place] = spare_streams[--spare_stream_count];
    pthread_mutex_unlock(&spare_lock);
    const CUresult result = *stream ? CUDA_SUCCESS : driver()->stream_create(stream, CU_STREAM_NON_BLOCKING);
    if (result != CUDA_SUCCESS)
        *stream = NULL;
    return result;
}

/* Its work is done, or nobody's any more. */
void session_give_stream(CUstream stream)
{
    pthread_mutex_lock(&spare_lock);
    const bool is_kept = spare_stream_count < SPARE_STREAMS;
    if (is_kept)
        spare_streams[spare_stream_count++] = stream;
    pthread_mutex_unlock(&spare_lock);
    if (!is_kept)
        driver()->stream_destroy(stream);
}

CUresult session_take_event(CUevent *event)
{
    pthread_mutex_lock(&spare_lock);
    *event = spare_event_count > 0 ? spare_events[--spare_event_count] : NULL;
    pthread_mutex_unlock(&spare_lock);
    const CUresult result = *event ? CUDA_SUCCESS : driver()->event_create(event, CU_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS)
        *event = NULL;
    return result;
}

void session_give_event(CUevent event)
{
    pthread_mutex_lock(&spare_lock);
    const bool is_kept = spare_event_count < SPARE_EVENTS;
    if (is_kept)
        spare_events[spare_event_count++] = event;
    pthread_mutex_unlock(&spare_lock);
    if (!is_kept)
        driver()->event_destroy(event);
}

/* Is the place free? One whose stream was destroyed is, once its work is done: no work of a session is ever on a stream
 * that it has not. */
static bool stream_has_left(struct session *session, int place)
{
    if (session->is_leaving[place] && driver()->stream_query(session->streams[place]) == CUDA_SUCCESS) {
        session_give_stream(session->streams[place]);
        __atomic_store_n(&session->streams[place], NULL, __ATOMIC_RELAXED);
        session->is_leaving[place] = false;
    }
    return !session->streams[place];
}

void session_spares_make(int streams, int events)
{
    CUstream stream;
    CUevent event;
    for (int i = 0; i < streams && driver()->stream_create(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS; i++)
        session_give_stream(stream);
    for (int i = 0; i < events && driver()->event_create(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS; i++)
        session_give_event(event);
}

static CUresult serve_stream_create(struct session *session, const void *payload, size_t bytes, void *back)
{
    const uint32_t number = ((const struct service_handle *)payload)->number;
    CUstream stream;
    (void)bytes, (void)back;
    if (number < 1 || number > SERVICE_STREAMS)
        return CUDA_ERROR_INVALID_HANDLE;
    if (session->is_leaving[number - 1])
        driver()->stream_synchronise(session->streams[number - 1]); /* the client has waited: it is at its end */
    if (!stream_has_left(session, (int)number - 1))
        return CUDA_ERROR_INVALID_HANDLE;
    session->named_stream = number;
    atomic_store(&session->control->errors[number - 1], CUDA_SUCCESS);
    const CUresult result = session_take_stream(&stream);
    __atomic_store_n(&session->streams[number - 1], stream, __ATOMIC_RELAXED);
    return result;
}

/* The client has waited for its work. One that has not keeps the place until it is done. */
static CUresult serve_stream_destroy(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_handle *const call = payload;
    CUstream stream;
    (void)bytes, (void)back;
    if (!session_stream(session, call->number, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    session->named_stream = 0;
    session->is_leaving[call->number - 1] = true;
    stream_has_left(session, (int)call->number - 1);
    return CUDA_SUCCESS;
}

static CUresult serve_stream_mark(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_mark *const call = payload;
    CUstream stream;
    (void)bytes, (void)back;
    if (!session_stream(session, call->stream, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    return driver()->stream_write_value(stream, session_word(session, call->stream - 1), call->value, 0);
}

static CUresult serve_event_create(struct session *session, const void *payload, size_t bytes, void *back)
{
    const uint32_t number = ((const struct service_handle *)payload)->number;
    (void)bytes, (void)back;
    if (number < 1 || number > SERVICE_EVENTS || session->events[number - 1])
        return CUDA_ERROR_INVALID_HANDLE;
    return session_take_event(&session->events[number - 1]);
}

static CUresult serve_event_destroy(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_handle *const call = payload;
    CUevent event;
    (void)bytes, (void)back;
    if (!session_event(session, call->number, &event))
        return CUDA_ERROR_INVALID_HANDLE;
    session->events[call->number - 1] = NULL;
    session_give_event(event);
    return CUDA_SUCCESS;
}

static CUresult record(struct session *session, CUevent event, uint32_t number, CUstream stream, uint32_t value)
{
    const CUresult result = driver()->event_record(event, stream);
    if (result != CUDA_SUCCESS)
        return result;
    return driver()->stream_write_value(stream, session_word(session, SERVICE_STREAMS + number - 1), value, 0);
}

static CUresult serve_event_record(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_event_record *const call = payload;
    CUstream stream;
    CUevent event;
    (void)bytes, (void)back;
    if (!session_stream(session, call->stream, &stream) || !session_event(session, call->event, &event))
        return CUDA_ERROR_INVALID_HANDLE;
    return record(session, event, call->event, stream, call->value);
}

static CUresult serve_function_allow(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_allow *const call = payload;
    struct kernel_set *const set = device_kernels(session->device);
    CUfunction function;
    (void)bytes, (void)back;
    if (call->kernel < 1 || call->kernel > KERNEL_COUNT || call->value < 0)
        return CUDA_ERROR_INVALID_VALUE;
    const enum kernel kernel = (enum kernel)(call->kernel - 1);
    if (call->attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return kernel_set_function(set, kernel, (size_t)call->value, &function);
    if (call->attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
        return kernel_set_cluster_function(set, kernel, 0, &function);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult serve_kernel_figures(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_figures_of *const call = payload;
    struct service_figures *const answer = back;
    struct kernel_set *const set = device_kernels(session->device);
    CUfunction function;
    (void)bytes;
    if (call->kernel < 1 || call->kernel > KERNEL_COUNT || call->shared_bytes > INT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = kernel_set_function(set, (enum kernel)(call->kernel - 1), call->shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->function_attribute(&answer->most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    if (result == CUDA_SUCCESS)
        result = driver()->function_attribute(&answer->ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION, function);
    for (int warps = 1; result == CUDA_SUCCESS && warps <= SERVICE_WARPS_MOST && 32 * warps <= answer->most_threads; warps++) {
        int active = 0;
        result = driver()->active_blocks(&active, function, 32 * warps, call->shared_bytes);
        answer->active[warps - 1] = (uint8_t)(active < UINT8_MAX ? active : UINT8_MAX);
    }
    return result;
}

static CUlaunchConfig cluster_config(const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
                                     unsigned cluster, CUstream stream, CUlaunchAttribute *attribute)
{
    *attribute = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {cluster, 1, 1}};
    return (CUlaunchConfig){.gridDimX = grid[0], .gridDimY = grid[1], .gridDimZ = grid[2], .blockDimX = block[0],
                            .blockDimY = block[1], .blockDimZ = block[2], .sharedMemBytes = shared_bytes,
                            .hStream = stream, .attrs = attribute, .numAttrs = 1};
}

static CUresult serve_active_clusters(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_clusters *const call = payload;
    struct service_handle *const answer = back;
    CUlaunchAttribute attribute;
    CUfunction function;
    int clusters = 0;
    (void)bytes;
    if (!driver()->active_clusters || !session_function(session, call->kernel, &function))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (call->cluster == 0 || call->cluster != call->blocks || call->threads == 0 || call->threads > THREADS_MOST)
        return CUDA_ERROR_INVALID_VALUE;
    const CUlaunchConfig config =
        cluster_config((unsigned[]){call->blocks, 1, 1}, (unsigned[]){call->threads, 1, 1}, call->shared_bytes,
                       call->cluster, NULL, &attribute);
    const CUresult result = driver()->active_clusters(&clusters, function, &config);
    answer->number = (uint32_t)clusters;
    return result;
}

/* Two grids whose blocks all wait for each other would wait for ever, each with a part of the device: every one waits
 * for the one before it, whosesoever that is. */
static CUevent last_cooperative;
static pthread_mutex_t cooperative_lock = PTHREAD_MUTEX_INITIALIZER;

static CUresult launch_cooperative(struct session *session, CUfunction function, const struct service_launch *call,
                                   CUstream stream, void **parameters)
{
    CUresult result = CUDA_SUCCESS;
    CUevent begun = NULL;
    if (call->begun && !session_event(session, call->begun, &begun))
        return CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&cooperative_lock);
    if (!last_cooperative)
        result = driver()->event_create(&last_cooperative, CU_EVENT_DISABLE_TIMING);
    else
        result = driver()->stream_wait_event(stream, last_cooperative, 0);
    if (result == CUDA_SUCCESS && begun)
        result = record(session, begun, call->begun, stream, call->begun_value);
    if (result == CUDA_SUCCESS)
        result = driver()->launch_cooperative_kernel(function, call->grid[0], 1, 1, call->block[0], 1, 1,
                                                     call->shared_bytes, stream, parameters);
    if (result == CUDA_SUCCESS)
        result = driver()->event_record(last_cooperative, stream);
    pthread_mutex_unlock(&cooperative_lock);
    return result;
}

/* Grids of mublas' kernels have one dimension, and clusters are a grid each. */
static bool is_sound(const struct service_launch *call, size_t bytes)
{
    const unsigned *const grid = call->grid, *const block = call->block;
    return call->bytes == service_argument_bytes(call->kernel) &&
           bytes == offsetof(struct service_launch, arguments) + call->bytes && grid[0] >= 1 && grid[0] <= INT32_MAX &&
           grid[1] == 1 && grid[2] == 1 && block[0] >= 1 && block[0] <= THREADS_MOST && block[1] == 1 && block[2] == 1 &&
           (call->cluster == 0 || call->cluster == grid[0]);
}

static CUresult launch_cluster(const struct service_launch *call, CUfunction function, CUstream stream, void **parameters)
{
    CUlaunchAttribute attribute;
    const CUlaunchConfig config =
        cluster_config(call->grid, call->block, call->shared_bytes, call->cluster, stream, &attribute);
    return driver()->launch_kernel_ex ? driver()->launch_kernel_ex(&config, function, parameters, NULL)
                                      : CUDA_ERROR_NOT_SUPPORTED;
}

/* Shared memory that the kernel may not have is refused where it is asked for. */
static CUresult launch(struct session *session, const struct service_launch *call, CUstream stream)
{
    void *parameters[] = {(void *)call->arguments};
    CUfunction function;
    const CUresult result = kernel_set_function(device_kernels(session->device), (enum kernel)(call->kernel - 1),
                                                call->shared_bytes, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (call->cluster > 0)
        return launch_cluster(call, function, stream, parameters);
    if (call->is_cooperative)
        return launch_cooperative(session, function, call, stream, parameters);
    return driver()->launch_kernel(function, call->grid[0], 1, 1, call->block[0], 1, 1, call->shared_bytes, stream,
                                   parameters, NULL);
}

/* An event that the client counts on comes even so. */
static CUresult serve_launch(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_launch *const call = payload;
    CUfunction function;
    CUstream stream;
    CUevent begun;
    (void)back;
    if (!session_function(session, call->kernel, &function) || !session_stream(session, call->stream, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!is_sound(call, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = launch(session, call, stream);
    if (result != CUDA_SUCCESS && call->begun && session_event(session, call->begun, &begun))
        record(session, begun, call->begun, stream, call->begun_value);
    return result;
}

static CUresult serve_copy(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_copy *const call = payload;
    void *const host = (void *)(uintptr_t)call->host;
    CUstream stream;
    (void)bytes, (void)back;
    if (!session_stream(session, call->stream, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (call->bytes == 0 || !session_owns(session, call->device, call->bytes) ||
        !session_has_host(session, call->host, call->bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return call->is_to_host ? driver()->copy_to_host_async(host, call->device, call->bytes, stream)
                            : driver()->copy_to_device_async(call->device, host, call->bytes, stream);
}

/* The rows, from the first byte to the last. */
static bool may_use(struct session *session, uint64_t address, uint64_t pitch, const struct service_copy_2d *call,
                    bool is_host)
{
    const unsigned __int128 bytes = (unsigned __int128)(call->height - 1) * pitch + call->width;
    return is_host ? session_has_host(session, address, bytes) : session_owns(session, address, bytes);
}

static CUresult serve_copy_2d(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_copy_2d *const call = payload;
    CUstream stream;
    (void)bytes, (void)back;
    if (!session_stream(session, call->stream, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if ((call->to_is_host && call->from_is_host) || call->height == 0 || call->width == 0 || call->width > call->to_pitch || call->width > call->from_pitch ||
        !may_use(session, call->to, call->to_pitch, call, call->to_is_host) ||
        !may_use(session, call->from, call->from_pitch, call, call->from_is_host))
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY2D copy = {.srcMemoryType = call->from_is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                          .dstMemoryType = call->to_is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                          .srcPitch = call->from_pitch, .dstPitch = call->to_pitch, .WidthInBytes = call->width,
                          .Height = call->height};
    if (call->from_is_host)
        copy.srcHost = (const void *)(uintptr_t)call->from;
    else
        copy.srcDevice = call->from;
    if (call->to_is_host)
        copy.dstHost = (void *)(uintptr_t)call->to;
    else
        copy.dstDevice = call->to;
    return driver()->copy_2d_async(&copy, stream);
}

/* The descriptor goes through the socket, before the answer. */
static CUresult serve_segment(struct session *session, const void *payload, size_t bytes, void *back)
{
    struct service_segment_answer *const answer = back;
    struct server_segment *const segment =
        session->segment_count < SERVICE_SEGMENTS ? segments_take() : NULL;
    const uint32_t number = (uint32_t)session->segment_count;
    (void)payload, (void)bytes;
    if (!segment)
        return CUDA_ERROR_OUT_OF_MEMORY;
    session->segments[session->segment_count++] = segment;
    if (!service_send_files(session->owner.socket, &number, sizeof number, &segment->file, 1))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *answer = (struct service_segment_answer){(uintptr_t)segment->memory, number};
    return CUDA_SUCCESS;
}

/* At the client's address, where kernels' arguments may point to, or not at all. Sealed: nobody makes it shorter. */
static unsigned char *map_share(int file, uint64_t address, size_t bytes)
{
    void *const wanted = (void *)(uintptr_t)address;
    if (!service_memory_is_sealed(file, bytes))
        return NULL;
    void *const memory = mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    if (memory != wanted && memory != MAP_FAILED)
        munmap(memory, bytes);
    if (memory != wanted)
        return NULL;
    if (driver()->pin(memory, bytes, CU_MEMHOSTREGISTER_PORTABLE) == CUDA_SUCCESS)
        return memory;
    munmap(memory, bytes);
    return NULL;
}

static CUresult serve_share(struct session *session, const void *payload, size_t bytes, void *back)
{
    enum { PATIENCE_MS = 1000 };
    const struct service_range *const call = payload;
    int number = 0, file, files = 1;
    uint64_t address;
    (void)bytes, (void)back;
    while (number < SERVICE_SHARES && session->shares[number].memory)
        number++;
    if (!service_receive_files(session->owner.socket, &address, sizeof address, &file, &files, PATIENCE_MS))
        return CUDA_ERROR_INVALID_VALUE;
    unsigned char *const memory = number < SERVICE_SHARES && address == call->address && call->bytes <= SIZE_MAX / 2
                                      ? map_share(file, address, call->bytes)
                                      : NULL;
    close(file);
    if (!memory)
        return CUDA_ERROR_NOT_SUPPORTED;
    session->shares[number] = (struct session_share){memory, call->bytes};
    return CUDA_SUCCESS;
}

/* What the session does with it comes to an end first. To undo a pin may wait for other clients, too: it is done for
 * an arena that has grown, and at the end. */
static void end_share(struct session_share *share)
{
    driver()->unpin(share->memory);
    munmap(share->memory, share->bytes);
    *share = (struct session_share){NULL, 0};
}

static CUresult serve_unshare(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_range *const call = payload;
    (void)bytes, (void)back;
    for (int i = 0; i < SERVICE_SHARES; i++)
        if (session->shares[i].memory && (uintptr_t)session->shares[i].memory == call->address) {
            for (int stream = 0; stream < SERVICE_STREAMS; stream++)
                if (session->streams[stream])
                    driver()->stream_synchronise(session->streams[stream]);
            end_share(&session->shares[i]);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

#define ASKED(call, name, in, out) [call] = {serve_##name, in, out, false},
#define QUEUED(call, name, in) [call] = {serve_##name, in, 0, true},

const struct session_call *session_call_of(unsigned call)
{
    static const struct session_call calls[SERVICE_CALLS] = {
        ASKED(SERVICE_SEGMENT, segment, 0, sizeof(struct service_segment_answer))
        ASKED(SERVICE_SHARE, share, sizeof(struct service_range), 0)
        ASKED(SERVICE_UNSHARE, unshare, sizeof(struct service_range), 0)
        QUEUED(SERVICE_STREAM_CREATE, stream_create, sizeof(struct service_handle))
        QUEUED(SERVICE_STREAM_DESTROY, stream_destroy, sizeof(struct service_handle))
        QUEUED(SERVICE_STREAM_MARK, stream_mark, sizeof(struct service_mark))
        QUEUED(SERVICE_EVENT_CREATE, event_create, sizeof(struct service_handle))
        QUEUED(SERVICE_EVENT_DESTROY, event_destroy, sizeof(struct service_handle))
        QUEUED(SERVICE_EVENT_RECORD, event_record, sizeof(struct service_event_record))
        ASKED(SERVICE_FUNCTION_ALLOW, function_allow, sizeof(struct service_allow), 0)
        ASKED(SERVICE_KERNEL_FIGURES, kernel_figures, sizeof(struct service_figures_of), sizeof(struct service_figures))
        ASKED(SERVICE_ACTIVE_CLUSTERS, active_clusters, sizeof(struct service_clusters), sizeof(struct service_handle))
        QUEUED(SERVICE_LAUNCH, launch, offsetof(struct service_launch, arguments))
        ASKED(SERVICE_MEMORY_INFO, memory_info, 0, sizeof(struct service_memory_answer))
        ASKED(SERVICE_MEMORY_ALLOCATE, memory_allocate, sizeof(struct service_range), sizeof(struct service_range))
        QUEUED(SERVICE_MEMORY_FREE, memory_free, sizeof(struct service_range))
        ASKED(SERVICE_ADDRESS_RESERVE, address_reserve, sizeof(struct service_reserve), sizeof(struct service_range))
        ASKED(SERVICE_ADDRESS_FREE, address_free, sizeof(struct service_range), 0)
        ASKED(SERVICE_PHYSICAL_CREATE, physical_create, sizeof(struct service_range), sizeof(struct service_range))
        ASKED(SERVICE_PHYSICAL_RELEASE, physical_release, sizeof(struct service_range), 0)
        ASKED(SERVICE_PHYSICAL_MAP, physical_map, sizeof(struct service_map), 0)
        ASKED(SERVICE_PHYSICAL_UNMAP, physical_unmap, sizeof(struct service_range), 0)
        QUEUED(SERVICE_COPY, copy, sizeof(struct service_copy))
        QUEUED(SERVICE_COPY_2D, copy_2d, sizeof(struct service_copy_2d))
        [SERVICE_OPEN_LIBRARY] = {session_open_library, sizeof(struct service_library), sizeof(struct service_library_answer),
                                  false},
        [SERVICE_LEVEL3] = {session_run_level3, sizeof(struct service_level3), 0, true},
        [SERVICE_VENDOR] = {session_run_vendor, sizeof(struct service_vendor), sizeof(struct service_vendor_answer), false},
        GENERATED_CALLS
    };
    return call < SERVICE_CALLS && calls[call].handler ? &calls[call] : NULL;
}

/* Workers first: they may be about to queue more. */
void session_calls_end(struct session *session)
{
    session_vendor_end(session);
    for (int i = 0; i < SERVICE_STREAMS; i++)
        if (session->streams[i])
            driver()->stream_synchronise(session->streams[i]);
    session_vendor_give(session);
    session_memory_end(session);
    for (int i = 0; i < SERVICE_SHARES; i++)
        if (session->shares[i].memory)
            end_share(&session->shares[i]);
    for (int i = 0; i < SERVICE_EVENTS; i++)
        if (session->events[i])
            session_give_event(session->events[i]);
    for (int i = 0; i < SERVICE_STREAMS; i++)
        if (session->streams[i])
            session_give_stream(session->streams[i]);
}
