/* Streams. Nothing runs before somebody waits for it. */
#include "emulated_driver/internal.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct CUstream_st {
    struct CUstream_st *next;
    bool live, implicit;
    bool running; /* the kernel that was taken out last has not ended */
    struct queue queue;
    uint64_t appended, executed; /* operations */
    CUresult failed; /* found while another was waited for; told at the next wait for this one */
    CUgraph captured; /* what is queued goes there */
};

/* Destroyed ones stay in the list, so that stale handles are noticed. */
static struct CUstream_st null_stream = {.live = true, .implicit = true};
static struct CUstream_st *streams = &null_stream;
static _Thread_local struct CUstream_st *per_thread_stream;

static struct CUstream_st *create(bool implicit)
{
    struct CUstream_st *stream = calloc(1, sizeof *stream);
    if (!stream)
        emulated_abort("out of host memory");
    stream->live = true;
    stream->implicit = implicit;
    stream->next = null_stream.next;
    null_stream.next = stream;
    return stream;
}

static struct CUstream_st *find(CUstream stream)
{
    if (stream == CU_STREAM_LEGACY)
        return &null_stream;
    if (stream == CU_STREAM_PER_THREAD) {
        if (!per_thread_stream || !per_thread_stream->live)
            per_thread_stream = create(true);
        return per_thread_stream;
    }
    if (!stream)
        return &null_stream;
    return stream->live ? stream : NULL;
}

bool stream_is_valid(CUstream stream)
{
    return find(stream) != NULL;
}

struct operation *queue_append(struct queue *queue, operation_run *run, operation_drop *drop, size_t bytes)
{
    size_t record = (sizeof(struct operation) + bytes + 15) / 16 * 16;
    if (queue->tail + record > queue->capacity) {
        queue->capacity = 2 * queue->capacity + record + 4096;
        unsigned char *records = aligned_alloc(16, (queue->capacity + 15) / 16 * 16);
        if (!records)
            emulated_abort("out of host memory");
        if (queue->records)
            memcpy(records, queue->records, queue->tail);
        free(queue->records);
        queue->records = records;
    }
    struct operation *operation = (struct operation *)(queue->records + queue->tail);
    memset(operation, 0, sizeof *operation);
    operation->run = run;
    operation->drop = drop;
    operation->bytes = record;
    queue->tail += record;
    return operation;
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

struct operation *queue_take(struct queue *queue)
{
    if (queue->head == queue->tail)
        return NULL;
    struct operation *operation = (struct operation *)(queue->records + queue->head);
    queue->head += operation->bytes;
    return operation;
}

void queue_discard(struct queue *queue)
{
    for (struct operation *operation; (operation = queue_take(queue));)
        if (operation->drop)
            operation->drop(operation->payload);
    free(queue->records);
    *queue = (struct queue){0};
}

static void discard(struct CUstream_st *stream)
{
    queue_discard(&stream->queue);
    stream->executed = stream->appended;
}

static CUresult advance(struct CUstream_st *stream, uint64_t position)
{
    CUresult result = stream->failed;
    bool opened = false;
    if (stream->running && grid_is_running())
        return CUDA_ERROR_NOT_READY;
    stream->running = false;
    stream->failed = CUDA_SUCCESS;
    while (stream->executed < position && result == CUDA_SUCCESS) {
        struct operation *operation = queue_take(&stream->queue);
        if (!operation)
            break;
        stream->executed++;
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
    if (result == CUDA_ERROR_NOT_READY)
        stream->running = true;
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
        for (size_t at = stream->queue.head; at < stream->queue.tail;) {
            const struct operation *operation = (struct operation *)(stream->queue.records + at);
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
    *handle = create(false);
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

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    API_BEGIN(cuStreamSynchronize);
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
    event_reset();
}

void stream_census(struct emulated_census *census)
{
    census->streams = 0;
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        census->streams += stream->live && !stream->implicit;
    census->events = event_count();
}
