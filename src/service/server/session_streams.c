/* A session's streams and events. */
#include "service/server/session.h"

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

/* Streams and events that no client has any more wait here for the next: to destroy one may wait
 * for others. */
enum { SPARE_STREAMS = 512, SPARE_EVENTS = 8192, BUSY_MOST = 8 };
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

/* Is the place free? One whose stream was destroyed is, once its work is done: no work of a session is ever
 * on a stream that it has not. */
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
    for (int i = 0; i < streams && driver()->stream_create(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS;
         i++)
        session_give_stream(stream);
    for (int i = 0; i < events && driver()->event_create(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS;
         i++)
        session_give_event(event);
}

CUresult serve_stream_create(struct session *session, const void *payload, size_t bytes, void *back)
{
    const uint32_t number = ((const struct service_handle *)payload)->number;
    CUstream stream;
    (void)bytes, (void)back;
    if (number < 1 || number > SERVICE_STREAMS)
        return CUDA_ERROR_INVALID_HANDLE;
    if (session->is_leaving[number - 1])
        driver()->stream_synchronise(session->streams[number - 1]); /* the client has waited */
    if (!stream_has_left(session, (int)number - 1))
        return CUDA_ERROR_INVALID_HANDLE;
    session->named_stream = number;
    atomic_store(&session->control->errors[number - 1], CUDA_SUCCESS);
    const CUresult result = session_take_stream(&stream);
    __atomic_store_n(&session->streams[number - 1], stream, __ATOMIC_RELAXED);
    return result;
}

/* The client has waited for its work. One that has not keeps the place until it is done. */
CUresult serve_stream_destroy(struct session *session, const void *payload, size_t bytes, void *back)
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

CUresult serve_stream_mark(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_mark *const call = payload;
    CUstream stream;
    (void)bytes, (void)back;
    if (!session_stream(session, call->stream, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    return driver()->stream_write_value(stream, session_word(session, call->stream - 1), call->value, 0);
}

CUresult serve_event_create(struct session *session, const void *payload, size_t bytes, void *back)
{
    const uint32_t number = ((const struct service_handle *)payload)->number;
    (void)bytes, (void)back;
    if (number < 1 || number > SERVICE_EVENTS || session->events[number - 1])
        return CUDA_ERROR_INVALID_HANDLE;
    return session_take_event(&session->events[number - 1]);
}

CUresult serve_event_destroy(struct session *session, const void *payload, size_t bytes, void *back)
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

CUresult session_record(struct session *session, CUevent event, uint32_t number, CUstream stream,
                        uint32_t value)
{
    const CUresult result = driver()->event_record(event, stream);
    if (result != CUDA_SUCCESS)
        return result;
    return driver()->stream_write_value(stream, session_word(session, SERVICE_STREAMS + number - 1), value,
                                        0);
}

CUresult serve_event_record(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_event_record *const call = payload;
    CUstream stream;
    CUevent event;
    (void)bytes, (void)back;
    if (!session_stream(session, call->stream, &stream) || !session_event(session, call->event, &event))
        return CUDA_ERROR_INVALID_HANDLE;
    return session_record(session, event, call->event, stream, call->value);
}

void session_streams_wait(struct session *session)
{
    for (int i = 0; i < SERVICE_STREAMS; i++)
        if (session->streams[i])
            driver()->stream_synchronise(session->streams[i]);
}

void session_streams_give(struct session *session)
{
    for (int i = 0; i < SERVICE_EVENTS; i++)
        if (session->events[i])
            session_give_event(session->events[i]);
    for (int i = 0; i < SERVICE_STREAMS; i++)
        if (session->streams[i])
            session_give_stream(session->streams[i]);
}
