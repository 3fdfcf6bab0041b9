/* All sessions: the list of them, what each may have of the device's memory, and what is left of those that
 * have ended. */
#include "service/server/session.h"

#include "common/log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct session *sessions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int lost; /* a CUresult: the device is */
static atomic_int present; /* sessions that use the device, with those that are not in the list any more */

/* With the lock. */
static void share_processors(void)
{
    cpu_set_t all, own;
    int count = 0;
    CPU_ZERO(&all);
    for (const struct session *session = sessions; session; session = session->next) {
        memcpy(&own, session->owner.processors, sizeof own); /* which need not lie as a set does */
        CPU_OR(&all, &all, &own);
        count++;
    }
    for (struct session *session = sessions; session; session = session->next)
        atomic_store(&session->control->has_spare_processors, CPU_COUNT(&all) >= 2 * count);
}

void sessions_add(struct session *session)
{
    atomic_fetch_add(&present, 1);
    pthread_mutex_lock(&lock);
    session->next = sessions;
    sessions = session;
    share_processors();
    pthread_mutex_unlock(&lock);
}

void sessions_remove(struct session *session)
{
    pthread_mutex_lock(&lock);
    struct session **link = &sessions;
    while (*link != session)
        link = &(*link)->next;
    *link = session->next;
    share_processors();
    pthread_mutex_unlock(&lock);
}

void sessions_end_one(void)
{
    atomic_fetch_sub(&present, 1);
}

bool sessions_are_lost(void)
{
    return atomic_load_explicit(&lost, memory_order_relaxed) != CUDA_SUCCESS;
}

/* Sessions whose client still lives, with their segments: one that closed its descriptors goes on writing
 * there. */
static struct session *remembered;

static bool process_has_ended(const struct session_owner *owner)
{
    struct pollfd process = {.fd = owner->process_file, .events = POLLIN};
    if (owner->process_file >= 0)
        return poll(&process, 1, 0) > 0;
    return kill(owner->process, 0) != 0 && errno == ESRCH;
}

/* A client that is this very process, in a test, has given its memory back by closing the connection. */
static bool may_recycle(const struct session *session)
{
    return session->owner.process == getpid() || process_has_ended(&session->owner);
}

static void give_segments(struct session *session)
{
    for (int i = 0; i < session->segment_count; i++)
        segments_give(session->segments[i]);
    if (session->owner.process_file >= 0)
        close(session->owner.process_file);
    free(session);
}

void sessions_remember(struct session *session)
{
    pthread_mutex_lock(&lock);
    session->next = remembered;
    remembered = session;
    pthread_mutex_unlock(&lock);
}

/* With the lock. */
static void recycle_segments(void)
{
    for (struct session **link = &remembered; *link;) {
        struct session *const session = *link;
        if (!may_recycle(session)) {
            link = &session->next;
            continue;
        }
        *link = session->next;
        give_segments(session);
    }
}

int sessions_count(void)
{
    return atomic_load_explicit(&present, memory_order_seq_cst);
}

static bool has_gone(const struct session *session)
{
    struct pollfd ends[] = {{.fd = session->owner.socket, .events = POLLRDHUP},
                            {.fd = session->owner.process_file, .events = POLLIN}};
    if (poll(ends, 2, 0) <= 0)
        return false;
    return (ends[0].revents & (POLLRDHUP | POLLHUP | POLLERR)) || (ends[1].revents & POLLIN);
}

static struct {
    size_t bytes; /* 0: not known, and nobody is kept from any */
    int expected;
} shared;

void sessions_share(size_t total_bytes, int expected)
{
    shared.bytes = total_bytes;
    shared.expected = expected;
}

/* With the lock. */
static size_t count_clients(size_t *connected)
{
    *connected = 0;
    for (const struct session *session = sessions; session; session = session->next)
        ++*connected;
    return *connected > (size_t)shared.expected ? *connected : (size_t)shared.expected;
}

/* The same. */
static size_t share_of_each(void)
{
    size_t connected;
    const size_t clients = count_clients(&connected);
    return shared.bytes / (clients ? clients : 1);
}

size_t session_allowance(const struct session *asking)
{
    size_t used = 0, claimed = 0, connected;
    if (shared.bytes == 0)
        return SIZE_MAX;
    pthread_mutex_lock(&lock);
    const size_t share = share_of_each(), own = atomic_load(&asking->used_bytes);
    for (const struct session *session = sessions; session; session = session->next) {
        const size_t has = atomic_load(&session->used_bytes);
        used += has;
        claimed += session != asking && has < share ? share - has : 0;
    }
    const size_t clients = count_clients(&connected);
    pthread_mutex_unlock(&lock);
    claimed += (clients - connected) * share;
    const size_t nobodys = shared.bytes > used + claimed ? shared.bytes - used - claimed : 0;
    return own < share && share - own > nobodys ? share - own : nobodys;
}

size_t session_claim(const struct session *asking)
{
    const size_t own = atomic_load(&asking->used_bytes);
    pthread_mutex_lock(&lock);
    const size_t share = share_of_each();
    pthread_mutex_unlock(&lock);
    return own < share ? share - own : 0;
}

bool sessions_revoke(struct session *asking, size_t bytes)
{
    const bool is_claimed = bytes <= session_claim(asking);
    struct session *holder = NULL;
    pthread_mutex_lock(&lock);
    const size_t share = share_of_each();
    for (struct session *session = sessions; session && is_claimed && !holder; session = session->next)
        if (session != asking && atomic_load(&session->used_bytes) > share && session_revoke_begin(session))
            holder = session;
    pthread_mutex_unlock(&lock);
    return holder && session_revoke(holder);
}

void sessions_look(void)
{
    pthread_mutex_lock(&lock);
    for (struct session *session = sessions; session; session = session->next) {
        atomic_fetch_add_explicit(&session->control->heartbeat, 1, memory_order_relaxed);
        if (!atomic_load(&session->is_gone) && has_gone(session)) {
            atomic_store(&session->is_gone, true);
            atomic_store(&session->control->is_asleep, 0);
            service_word_wake(&session->control->is_asleep);
        }
    }
    recycle_segments();
    pthread_mutex_unlock(&lock);
}

void sessions_lose(CUresult result)
{
    int32_t none = CUDA_SUCCESS;
    if (!atomic_compare_exchange_strong(&lost, &none, result))
        return;
    log_message(LOG_WARNING, "service: its device is lost (%s)", driver_error_name(result));
    pthread_mutex_lock(&lock);
    for (struct session *session = sessions; session; session = session->next)
        atomic_store(&session->control->lost, result);
    pthread_mutex_unlock(&lock);
}

/* Calls that the client has put and the server has not taken, as far as the client can be believed. */
static unsigned count_waiting(const struct session *session)
{
    const uint64_t taken = session->calls, put = atomic_load(&session->control->calls);
    return put > taken && put - taken < SERVICE_RING_BYTES ? (unsigned)(put - taken) : 0;
}

/* A stream that its thread gives back meanwhile may have another client's work: for --status that will do. */
static unsigned count_busy_streams(const struct session *session)
{
    unsigned count = 0;
    for (int i = 0; i < SERVICE_STREAMS; i++) {
        const CUstream stream = __atomic_load_n(&session->streams[i], __ATOMIC_RELAXED);
        count += stream && driver()->stream_query(stream) == CUDA_ERROR_NOT_READY;
    }
    return count;
}

int sessions_describe(char *text, size_t size)
{
    size_t used = 0;
    int count = 0;
    text[0] = '\0';
    pthread_mutex_lock(&lock);
    for (const struct session *session = sessions; session; session = session->next)
        count++;
    for (const struct session *session = sessions; session && used + 1 < size; session = session->next) {
        const unsigned waiting = count_waiting(session), busy = count_busy_streams(session);
        const int length =
            snprintf(text + used, size - used,
                     "  process %d: %zu MiB of device memory, %d MiB pinned, %llu call%s, %llu of them answered; "
                     "%u call%s in the queue, %u stream%s at work\n",
                     (int)session->owner.process, atomic_load(&session->used_bytes) >> 20,
                     session->segment_count * (SERVICE_SEGMENT_BYTES >> 20), session->calls,
                     session->calls == 1 ? "" : "s", session->answers, waiting,
                     waiting == 1 ? "" : "s", busy, busy == 1 ? "" : "s");
        used += length > 0 ? (size_t)length : 0;
    }
    pthread_mutex_unlock(&lock);
    return count;
}
