/* Streams and events. Nothing runs before somebody waits for it. */
#include "emulated_driver/internal.h"

#include <stdlib.h>
#include <string.h>

struct CUstream_st {
    struct CUstream_st *next;
    bool live;
    unsigned char *queue; /* struct operation records */
    size_t head, tail, capacity;
    uint64_t appended, executed; /* operations */
    CUresult failed; /* found while another was waited for; told at the next wait for this one */
};

struct CUevent_st {
    struct CUevent_st *next;
    bool live;
    struct CUstream_st *stream; /* NULL: never recorded */
    uint64_t position;
};

/* Destroyed ones stay in the lists, so that stale handles are noticed. */
static struct CUstream_st null_stream = {.live = true};
static struct CUstream_st *streams = &null_stream;
static struct CUevent_st *events;

static struct CUstream_st *find(CUstream stream)
{
    if (!stream)
        return &null_stream;
    return stream->live ? stream : NULL;
}

bool stream_is_valid(CUstream stream)
{
    return find(stream) != NULL;
}

struct operation *stream_append(CUstream handle, operation_run *run, operation_drop *drop, size_t bytes)
{
    struct CUstream_st *stream = find(handle);
    if (!stream)
        return NULL;
    size_t record = (sizeof(struct operation) + bytes + 15) / 16 * 16;
    if (stream->tail + record > stream->capacity) {
        stream->capacity = 2 * stream->capacity + record + 4096;
        unsigned char *queue = aligned_alloc(16, (stream->capacity + 15) / 16 * 16);
        if (!queue)
            emulated_abort("out of host memory");
        if (stream->queue)
            memcpy(queue, stream->queue, stream->tail);
        free(stream->queue);
        stream->queue = queue;
    }
    struct operation *operation = (struct operation *)(stream->queue + stream->tail);
    memset(operation, 0, sizeof *operation);
    operation->run = run;
    operation->drop = drop;
    operation->bytes = record;
    stream->tail += record;
    stream->appended++;
    return operation;
}

static struct operation *take_first(struct CUstream_st *stream)
{
    struct operation *operation = (struct operation *)(stream->queue + stream->head);
    stream->head += operation->bytes;
    stream->executed++;
    return operation;
}

static void discard(struct CUstream_st *stream)
{
    while (stream->head < stream->tail) {
        struct operation *operation = take_first(stream);
        if (operation->drop)
            operation->drop(operation->payload);
    }
    stream->head = stream->tail = 0;
}

static CUresult drain(struct CUstream_st *stream, uint64_t position)
{
    CUresult result = stream->failed;
    bool opened = false;
    stream->failed = CUDA_SUCCESS;
    while (stream->head < stream->tail && stream->executed < position && result == CUDA_SUCCESS) {
        struct operation *operation = take_first(stream);
        if (operation->on_device && !opened) {
            memory_guard_open();
            opened = true;
        }
        result = operation->run(operation->payload);
        if (operation->drop)
            operation->drop(operation->payload);
    }
    if (opened) {
        memory_guard_close();
        if (options()->guard)
            memory_check_red_zones();
    }
    if (result != CUDA_SUCCESS)
        discard(stream); /* what came after the failure never happens */
    if (stream->head == stream->tail)
        stream->head = stream->tail = 0;
    return result;
}

CUresult stream_drain(CUstream handle)
{
    struct CUstream_st *stream = find(handle);
    return stream ? drain(stream, UINT64_MAX) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult stream_drain_all(void)
{
    CUresult first = CUDA_SUCCESS;
    for (struct CUstream_st *stream = streams; stream; stream = stream->next) {
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
        for (size_t at = stream->head; at < stream->tail;) {
            const struct operation *operation = (struct operation *)(stream->queue + at);
            for (int i = 0; i < 2; i++)
                if (operation->begin[i] < address + bytes && operation->end[i] > address)
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
    struct CUstream_st *stream = calloc(1, sizeof *stream);
    if (!stream)
        emulated_abort("out of host memory");
    stream->live = true;
    stream->next = null_stream.next;
    null_stream.next = stream;
    *handle = stream;
    API_END;
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
    API_BEGIN(cuStreamDestroy_v2);
    if (!stream || !stream->live)
        API_FAIL(misuse("cuStreamDestroy of a stream that does not exist"));
    result = drain(stream, UINT64_MAX);
    stream->live = false;
    free(stream->queue);
    stream->queue = NULL;
    stream->capacity = 0;
    API_END;
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    API_BEGIN(cuStreamSynchronize);
    if ((result = context_check()) == CUDA_SUCCESS)
        result = stream_drain(stream);
    API_END;
}

EXPORT CUresult cuEventCreate(CUevent *handle, unsigned flags)
{
    API_BEGIN(cuEventCreate);
    (void)flags;
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!handle)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    struct CUevent_st *event = calloc(1, sizeof *event);
    if (!event)
        emulated_abort("out of host memory");
    event->live = true;
    event->next = events;
    events = event;
    *handle = event;
    API_END;
}

EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
    API_BEGIN(cuEventDestroy_v2);
    if (!event || !event->live)
        API_FAIL(misuse("cuEventDestroy of an event that does not exist"));
    event->live = false;
    API_END;
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream handle)
{
    API_BEGIN(cuEventRecord);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    struct CUstream_st *stream = find(handle);
    if (!event || !event->live || !stream)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    event->stream = stream;
    event->position = stream->appended;
    API_END;
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
    API_BEGIN(cuEventSynchronize);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!event || !event->live)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    if (event->stream)
        result = drain(event->stream, event->position);
    API_END;
}

static CUresult run_function(void *payload)
{
    void (*function)(void *);
    memcpy(&function, payload, sizeof function);
    function((unsigned char *)payload + 16);
    return CUDA_SUCCESS;
}

EXPORT CUresult emulated_enqueue(CUstream stream, void (*function)(void *argument), const void *argument,
                                 size_t bytes)
{
    CUresult result = context_check();
    struct operation *operation;
    if (result != CUDA_SUCCESS)
        return result;
    call_lock();
    operation = stream_append(stream, run_function, NULL, 16 + bytes);
    if (operation) {
        operation->on_device = true;
        memcpy(operation->payload, &function, sizeof function);
        memcpy(operation->payload + 16, argument, bytes);
    }
    call_end();
    return operation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

void stream_reset(void)
{
    for (struct CUstream_st *stream = streams; stream; stream = stream->next) {
        discard(stream);
        stream->failed = CUDA_SUCCESS;
        stream->live = stream == &null_stream;
    }
    for (struct CUevent_st *event = events; event; event = event->next)
        event->live = false;
}

void stream_census(struct emulated_census *census)
{
    census->streams = census->events = 0;
    for (struct CUstream_st *stream = null_stream.next; stream; stream = stream->next)
        census->streams += stream->live;
    for (struct CUevent_st *event = events; event; event = event->next)
        census->events += event->live;
}
