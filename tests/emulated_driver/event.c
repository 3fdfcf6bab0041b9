/* Events, and streams that wait for them. */
#include "emulated_driver/internal.h"
#include "emulated_driver/time_model.h"

#include "common/clock.h"

#include <stdlib.h>
#include <string.h>

struct CUevent_st {
    struct CUevent_st *next;
    bool live;
    CUcontext context;
    CUstream stream; /* NULL: never recorded */
    uint64_t position;
    CUgraph captured; /* recorded while this was captured */
    double time; /* by the time model, once it was reached */
    unsigned asked; /* by cuEventQuery since it was recorded */
    uint64_t first_asked;
};

/* Destroyed ones stay in the list, so that stale handles are noticed. */
static struct CUevent_st *events;

void event_reset(CUdevice device)
{
    for (struct CUevent_st *event = events; event; event = event->next)
        event->live &= context_device_of(event->context) != device;
}

size_t event_count(void)
{
    size_t count = 0;
    for (const struct CUevent_st *event = events; event; event = event->next)
        count += event->live;
    return count;
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
    event->context = context_current();
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

static CUresult note_time(void *payload)
{
    (*(struct CUevent_st **)payload)->time = time_model_clock(stream_running_device());
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream handle)
{
    uint64_t position, executed;
    API_BEGIN(cuEventRecord);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    CUstream stream = stream_resolve(handle, &position, &executed);
    if (!event || !event->live)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    if (!stream)
        API_FAIL(misuse("cuEventRecord on a stream that does not exist"));
    if (event->context != stream_context(stream))
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    if (time_model_has_clock() && !stream_captured(stream)) {
        *(struct CUevent_st **)stream_append(stream, note_time, NULL, sizeof event)->payload = event;
        position++;
    }
    event->stream = stream;
    event->position = position;
    event->asked = 0;
    event->captured = stream_captured(stream);
    API_END;
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
    API_BEGIN(cuEventSynchronize);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!event || !event->live)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    if (event->captured)
        API_FAIL(CUDA_ERROR_CAPTURED_EVENT);
    if (event->stream)
        result = stream_drain_to(event->stream, event->position);
    API_END;
}

/* A thread that asks again and again waits: in the end the device has got there. One that asks now and then,
 * between work of its own, still has to wait. */
static bool is_due(struct CUevent_st *event)
{
    enum { LOOKS = 48 };
    const uint64_t now = clock_nanoseconds();
    if (event->asked == 0)
        event->first_asked = now;
    return event->asked++ >= LOOKS && (double)(now - event->first_asked) >= 1e9 * options()->delay;
}

EXPORT CUresult cuEventQuery(CUevent event)
{
    uint64_t appended, executed;
    API_BEGIN(cuEventQuery);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!event || !event->live)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    if (event->captured)
        API_FAIL(CUDA_ERROR_CAPTURED_EVENT);
    /* A stream that was destroyed has run all. */
    if (event->stream && stream_resolve(event->stream, &appended, &executed) && executed < event->position)
        result = is_due(event) ? stream_advance_to(event->stream, event->position) : CUDA_ERROR_NOT_READY;
    API_END;
}

/* Without a model of time an operation counts as a microsecond. */
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    uint64_t appended, executed;
    API_BEGIN(cuEventElapsedTime);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!milliseconds)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    if (!start || !end || !start->live || !end->live || !end->stream || start->stream != end->stream ||
        start->captured || end->captured)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    if (stream_resolve(end->stream, &appended, &executed) &&
        (executed < start->position || executed < end->position))
        API_FAIL(CUDA_ERROR_NOT_READY);
    *milliseconds = 1e-3f * (float)(int64_t)(end->position - start->position);
    if (time_model_has_clock())
        *milliseconds = (float)(1e3 * (end->time - start->time));
    API_END;
}

struct wait {
    CUstream stream;
    uint64_t position;
};

static CUresult run_wait(void *payload)
{
    const struct wait *wait = payload;
    return stream_advance_for(stream_running_device(), wait->stream, wait->position);
}

bool event_awaits(const struct operation *operation, CUstream stream, uint64_t position)
{
    const struct wait *wait = (const struct wait *)operation->payload;
    return operation->run == run_wait && wait->stream == stream && wait->position >= position;
}

/* The event is a capture's: the stream joins it. */
static CUresult wait_captured(CUstream stream, CUevent event)
{
    CUgraph present = stream_captured(stream);
    if (event->captured && !present)
        stream_capture(stream, event->captured);
    else if (event->captured != present)
        return capture_spoil(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags)
{
    uint64_t ignored;
    API_BEGIN(cuStreamWaitEvent);
    CUstream stream = stream_resolve(handle, &ignored, &ignored);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!stream || !event || !event->live || flags != 0)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    if (event->captured || stream_captured(stream)) {
        result = wait_captured(stream, event);
    } else if (event->stream) {
        struct operation *operation = stream_append(stream, run_wait, NULL, sizeof(struct wait));
        operation->is_wait = true;
        *(struct wait *)operation->payload = (struct wait){event->stream, event->position};
    }
    API_END;
}
