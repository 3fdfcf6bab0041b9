/* Streams. Nothing runs before somebody waits for it. */
#include "emulated_driver/internal.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct CUstream_st {
    struct CUstream_st *next;
    CUcontext context;
    const void *thread; /* whose default stream it is: of that thread, or of all (&streams) */
    bool live, implicit;
    bool running; /* the kernel that was taken out last has not ended */
    struct queue queue;
    uint64_t appended, executed; /* operations */
    CUresult failed; /* found while another was waited for; told at the next wait for this one */
    CUgraph captured; /* what is queued goes there */
};

/* Destroyed ones stay in the list, so that stale handles are noticed. */
static struct CUstream_st *streams;
static _Thread_local char this_thread;
static CUdevice running_device = -1;

static struct CUstream_st *create(const void *thread)
{
    struct CUstream_st *stream = calloc(1, sizeof *stream);
    if (!stream)
        emulated_abort("out of host memory");
    stream->live = true;
    stream->implicit = thread != NULL;
    stream->thread = thread;
    stream->context = context_current();
    stream->next = streams;
    streams = stream;
    return stream;
}

/* One of each context. */
static struct CUstream_st *default_stream(const void *thread)
{
    struct CUstream_st *stream = streams;
    if (!context_current())
        return NULL;
    while (stream && !(stream->live && stream->thread == thread && stream->context == context_current()))
        stream = stream->next;
    return stream ? stream : create(thread);
}

static struct CUstream_st *find(CUstream stream)
{
    if (!stream || stream == CU_STREAM_LEGACY)
        return default_stream(&streams);
    if (stream == CU_STREAM_PER_THREAD)
        return default_stream(&this_thread);
    return stream->live ? stream : NULL;
}

bool stream_is_valid(CUstream stream)
{
    return find(stream) != NULL;
}

CUcontext stream_context(CUstream handle)
{
    struct CUstream_st *stream = find(handle);
    return stream ? stream->context : NULL;
}

CUdevice stream_running_device(void)
{
    return running_device;
}

struct operation *stream_append(CUstream handle, operation_run *run, operation_drop *drop, size_t bytes)
{
    struct CUstream_st *stream = find(handle);
    if (!stream)
        return NULL;
    if (stream->captured)
        return queue_append(graph_queue(stream->captured), run, drop, bytes);
    stream->appended++;
    return queue_append(&stream->queue, run, drop, bytes);
}

static void discard(struct CUstream_st *stream)
{
    queue_discard(&stream->queue);
    stream->executed = stream->appended;
}

static CUresult advance(struct CUstream_st *stream, uint64_t position)
{
    const CUdevice device = context_device_of(stream->context), outer_device = running_device;
    CUresult result = stream->failed != CUDA_SUCCESS ? stream->failed : fault_sticky(device);
    CUcontext outer_context = NULL;
    bool opened = false, is_waiting = false;
    if (stream->running && grid_is_running())
        return CUDA_ERROR_NOT_READY;
    stream->running = false;
    stream->failed = CUDA_SUCCESS;
    running_device = device;
    while (stream->executed < position && result == CUDA_SUCCESS) {
        struct operation *operation = queue_take(&stream->queue);
        if (!operation)
            break;
        stream->executed++;
        if (operation->on_device && !opened) {
            outer_context = memory_guard_open(stream->context);
            opened = true;
        }
        result = operation->run(operation->payload);
        if (result == CUDA_ERROR_NOT_READY && operation->is_wait) {
            stream->queue.head -= operation->bytes;
            stream->executed--;
            is_waiting = true;
        }
        if (operation->drop)
            operation->drop(operation->payload);
    }
    if (opened) {
        memory_guard_close(outer_context);
        if (options()->guard)
            memory_check_red_zones();
    }
    running_device = outer_device;
    if (result == CUDA_ERROR_NOT_READY)
        stream->running = !is_waiting;
    else if (result != CUDA_SUCCESS)
        discard(stream); /* what came after the failure never happens */
    if (stream->queue.head == stream->queue.tail)
        stream->queue.head = stream->queue.tail = 0;
    return result;
}

static CUresult drain(struct CUstream_st *stream, uint64_t position)
{
    const CUresult result = advance(stream, position);
    if (result == CUDA_ERROR_NOT_READY)
        emulated_abort("a wait without end for a kernel that does not end");
    return result;
}

CUresult stream_advance_to(CUstream stream, uint64_t position)
{
    return advance(stream, position);
}

CUresult stream_drain(CUstream handle)
{
    struct CUstream_st *stream = find(handle);
    return stream ? drain(stream, UINT64_MAX) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult stream_drain_to(CUstream stream, uint64_t position)
{
    return drain(stream, position);
}

CUresult stream_advance_for(CUdevice device, CUstream stream, uint64_t position)
{
    const CUresult result = advance(stream, position);
    if (result == CUDA_ERROR_NOT_READY || context_device_of(stream->context) == device)
        return result;
    stream->failed = result;
    return CUDA_SUCCESS;
}

bool stream_is_behind(CUstream stream, CUstream other, uint64_t position)
{
    if (stream == other || (other->executed >= position && !other->running))
        return true;
    for (size_t at = stream->queue.head; at < stream->queue.tail;) {
        const struct operation *operation = (struct operation *)(stream->queue.records + at);
        if (event_awaits(operation, other, position))
            return true;
        at += operation->bytes;
    }
    return false;
}

CUstream stream_resolve(CUstream handle, uint64_t *appended, uint64_t *executed)
{
    struct CUstream_st *stream = find(handle);
    if (stream) {
        *appended = stream->appended;
        *executed = stream->executed;
    }
    return stream;
}

CUgraph stream_captured(CUstream handle)
{
    struct CUstream_st *stream = find(handle);
    return stream ? stream->captured : NULL;
}

void stream_capture(CUstream handle, CUgraph graph)
{
    find(handle)->captured = graph;
}

void stream_end_captures(void)
{
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        stream->captured = NULL;
}

CUresult stream_drain_device(CUdevice device)
{
    CUresult first = CUDA_SUCCESS;
    for (struct CUstream_st *stream = streams; stream; stream = stream->next) {
        if (context_device_of(stream->context) != device)
            continue;
        CUresult result = drain(stream, UINT64_MAX);
        stream->failed = result; /* whose work it was may be waiting, too */
        if (first == CUDA_SUCCESS)
            first = result;
    }
    return first;
}

bool stream_uses(CUdeviceptr address, size_t bytes)
{
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        for (size_t at = stream->queue.head; at < stream->queue.tail;) {
            const struct operation *operation = (struct operation *)(stream->queue.records + at);
            for (int i = 0; i < 2; i++)
                if (operation->begin[i] < address + bytes && operation->end[i] > address)
                    return true;
            at += operation->bytes;
        }
    return false;
}

/* A device whose context has failed does nothing more of what is queued. */
bool stream_uses_host(const unsigned char *begin, const unsigned char *end)
{
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        for (size_t at = stream->queue.head; at < stream->queue.tail;) {
            const struct operation *operation = (struct operation *)(stream->queue.records + at);
            if (operation->host_begin < end && operation->host_end > begin &&
                fault_sticky(context_device_of(stream->context)) == CUDA_SUCCESS)
                return true;
            at += operation->bytes;
        }
    return false;
}

EXPORT CUresult cuStreamCreate(CUstream *handle, unsigned flags)
{
    API_BEGIN(cuStreamCreate);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!handle || flags > CU_STREAM_NON_BLOCKING)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    *handle = create(NULL);
    API_END;
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
    API_BEGIN(cuStreamDestroy_v2);
    if (!stream || !stream->live)
        API_FAIL(misuse("cuStreamDestroy of a stream that does not exist"));
    result = drain(stream, UINT64_MAX);
    stream->live = false;
    queue_discard(&stream->queue);
    API_END;
}

/* Without the driver's lock: others go on meanwhile. */
static void wait_for_slow_device(void)
{
    const CUdevice device = context_device();
    if (device >= 0 && device_kind(device)->slow > 0)
        usleep((useconds_t)device_kind(device)->slow * 1000);
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    wait_for_slow_device();
    API_BEGIN(cuStreamSynchronize);
    if (options()->delay > 0) /* even a sleep of nothing gives the processor away */
        usleep((useconds_t)(1e6 * options()->delay));
    if ((result = context_check()) == CUDA_SUCCESS && (result = capture_forbids(stream)) == CUDA_SUCCESS)
        result = stream_drain(stream);
    API_END;
}

EXPORT CUresult cuStreamQuery(CUstream stream)
{
    uint64_t appended, executed;
    API_BEGIN(cuStreamQuery);
    if ((result = context_check()) == CUDA_SUCCESS && (result = capture_forbids(stream)) == CUDA_SUCCESS &&
        stream_resolve(stream, &appended, &executed) && executed < appended)
        result = CUDA_ERROR_NOT_READY;
    API_END;
}

static CUresult run_function(void *payload)
{
    void (*function)(void *);
    fenv_t environment;
    memcpy(&function, payload, sizeof function);
    fegetenv(&environment); /* as for kernels (module.c) */
    fesetenv(FE_DFL_ENV);
    function((unsigned char *)payload + 16);
    fesetenv(&environment);
    return CUDA_SUCCESS;
}

EXPORT CUresult emulated_enqueue(CUstream stream, void (*function)(void *argument), const void *argument,
                                 size_t bytes)
{
    CUresult result = context_check();
    struct operation *operation = NULL;
    if (result != CUDA_SUCCESS)
        return result;
    call_lock();
    if (stream_context(stream) == context_current())
        operation = stream_append(stream, run_function, NULL, 16 + bytes);
    if (operation) {
        operation->on_device = true;
        memcpy(operation->payload, &function, sizeof function);
        memcpy(operation->payload + 16, argument, bytes);
    }
    call_end();
    return operation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

void stream_reset(CUdevice device)
{
    for (struct CUstream_st *stream = streams; stream; stream = stream->next) {
        if (context_device_of(stream->context) != device)
            continue;
        discard(stream);
        stream->failed = CUDA_SUCCESS;
        stream->live = stream->implicit;
    }
    event_reset(device);
}

void stream_census(struct emulated_census *census)
{
    census->streams = 0;
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        census->streams += stream->live && !stream->implicit;
    census->events = event_count();
}
