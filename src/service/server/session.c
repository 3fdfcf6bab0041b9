#include "service/server/session.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/own_thread.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SPIN_NS = 50000, SLEEP_NS = 100000000, HOLDINGS_MOST = 1 << 16 };

static struct session *sessions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int lost; /* a CUresult: the device is */
static atomic_int ending; /* sessions that are not in the list any more, and still use the device */

bool session_hold(struct session *session, enum holding_kind kind, CUdeviceptr address, size_t bytes)
{
    if (session->holding_count == session->holding_room) {
        const size_t room = session->holding_room ? 2 * session->holding_room : 64;
        struct holding *const holdings = room > HOLDINGS_MOST ? NULL : realloc(session->holdings, room * sizeof *holdings);
        if (!holdings)
            return false;
        session->holdings = holdings;
        session->holding_room = room;
    }
    session->holdings[session->holding_count++] = (struct holding){kind, address, bytes, 0};
    session->used_bytes += kind == HOLDING_BLOCK || kind == HOLDING_PHYSICAL ? bytes : 0;
    return true;
}

struct holding *session_holding(struct session *session, enum holding_kind kind, CUdeviceptr address)
{
    for (size_t i = session->holding_count; i-- > 0;)
        if (session->holdings[i].kind == kind && session->holdings[i].address == address)
            return &session->holdings[i];
    return NULL;
}

void session_drop(struct session *session, struct holding *holding)
{
    if (holding->kind == HOLDING_BLOCK || holding->kind == HOLDING_PHYSICAL)
        session->used_bytes -= holding->bytes;
    *holding = session->holdings[--session->holding_count];
}

/* Mapped pieces that follow each other are one range: a copy may cross their borders. */
static CUdeviceptr end_of(const struct session *session, CUdeviceptr address)
{
    for (size_t i = session->holding_count; i-- > 0;) {
        const struct holding *const holding = &session->holdings[i];
        if ((holding->kind == HOLDING_BLOCK || holding->kind == HOLDING_MAPPED) &&
            address - holding->address < holding->bytes)
            return holding->address + holding->bytes;
    }
    return address;
}

bool session_owns(const struct session *session, CUdeviceptr address, unsigned __int128 bytes)
{
    while (bytes > 0) {
        const CUdeviceptr end = end_of(session, address);
        if (end == address)
            return false;
        if (bytes <= end - address)
            return true;
        bytes -= end - address;
        address = end;
    }
    return true;
}

bool session_has_host(const struct session *session, uint64_t address, unsigned __int128 bytes)
{
    for (int i = 0; i < session->segment_count; i++) {
        const uint64_t begin = (uintptr_t)session->segments[i]->memory;
        if (address - begin < SERVICE_SEGMENT_BYTES)
            return bytes <= SERVICE_SEGMENT_BYTES - (address - begin);
    }
    for (int i = 0; i < SERVICE_SHARES; i++) {
        const struct session_share *const share = &session->shares[i];
        if (share->memory && address - (uintptr_t)share->memory < share->bytes)
            return bytes <= share->bytes - (address - (uintptr_t)share->memory);
    }
    return false;
}

void session_answer(struct session *session, unsigned slot, CUresult result, const void *answer, size_t bytes)
{
    struct service_slot *const place = &session->control->slots[slot - 1];
    place->result = result;
    memcpy(place->answer, answer, bytes);
    if (atomic_exchange_explicit(&place->state, SLOT_DONE, memory_order_acq_rel) == SLOT_AWAITED)
        service_word_wake(&place->state);
}

static void note_failure(struct session *session, CUresult result)
{
    _Atomic int32_t *const error =
        session->named_stream ? &session->control->errors[session->named_stream - 1] : NULL;
    int32_t none = CUDA_SUCCESS;
    if (error)
        atomic_compare_exchange_strong(error, &none, result);
}

static void run(struct session *session, const struct service_record *head, const void *payload)
{
    alignas(16) unsigned char answer[sizeof session->control->slots[0].answer];
    const struct session_call *const call = session_call_of(head->call);
    if (!call || head->sent < call->least_bytes || head->slot > SERVICE_SLOTS) {
        session->is_broken = true;
        return;
    }
    memset(answer, 0, sizeof answer);
    session->named_stream = 0;
    session->calls++;
    session->answers += head->slot != 0;
    session->slot = head->slot;
    const CUresult result = call->handler(session, payload, head->sent, answer);
    if (driver_status(result) == STATUS_DEVICE_LOST)
        sessions_lose(result);
    if (session->slot)
        session_answer(session, session->slot, result, answer, call->answer_bytes);
    else if (!head->slot && result != CUDA_SUCCESS)
        note_failure(session, result);
}

/* A copy of the next record, which the client may write over meanwhile. False: there is none, or it is none. */
static bool take(struct session *session, struct service_record *head, void *payload)
{
    struct service_control *const control = session->control;
    const uint64_t at = session->head;
    const uint64_t tail = atomic_load_explicit(&control->tail, memory_order_acquire);
    const size_t place = at % SERVICE_RING_BYTES;
    if (tail == at)
        return false;
    memcpy(head, control->ring + place, sizeof *head); /* places are multiples of 16, as the ring's end is */
    const bool is_filler = head->call == SERVICE_FILLER;
    if (tail - at > SERVICE_RING_BYTES || head->bytes < sizeof *head || head->bytes % 16 != 0 ||
        head->bytes > tail - at || head->bytes > SERVICE_RING_BYTES - place ||
        (!is_filler && (head->bytes > SERVICE_RECORD_MOST || head->sent > head->bytes - sizeof *head))) {
        session->is_broken = true;
        return false;
    }
    if (!is_filler)
        memcpy(payload, control->ring + place + sizeof *head, head->bytes - sizeof *head);
    session->head = at + head->bytes;
    atomic_store_explicit(&control->head, session->head, memory_order_release);
    return true;
}

static bool goes_on(const struct session *session)
{
    return !session->is_broken && !atomic_load_explicit(&session->is_gone, memory_order_relaxed) &&
           atomic_load_explicit(&lost, memory_order_relaxed) == CUDA_SUCCESS;
}

static bool has_record(const struct session *session)
{
    return atomic_load_explicit(&session->control->tail, memory_order_seq_cst) != session->head;
}

/* Says that it sleeps before it looks for the last time. */
static void wait_for_record(struct session *session, bool is_alone)
{
    struct service_control *const control = session->control;
    const uint64_t begun = clock_nanoseconds();
    while (!is_alone && clock_nanoseconds() - begun < SPIN_NS) {
        if (has_record(session))
            return;
        pause_spin();
    }
    atomic_store_explicit(&control->is_asleep, 1, memory_order_seq_cst);
    if (!has_record(session))
        service_word_wait(&control->is_asleep, 1, SLEEP_NS);
    atomic_store_explicit(&control->is_asleep, 0, memory_order_relaxed);
}

static void serve(struct session *session)
{
    alignas(16) static __thread unsigned char payload[SERVICE_RECORD_MOST];
    const bool is_alone = processors_usable() == 1;
    struct service_record head;
    while (goes_on(session)) {
        if (!take(session, &head, payload))
            wait_for_record(session, is_alone);
        else if (head.call != SERVICE_FILLER)
            run(session, &head, payload);
    }
}

static void remove_from_list(struct session *session)
{
    pthread_mutex_lock(&lock);
    struct session **link = &sessions;
    while (*link != session)
        link = &(*link)->next;
    *link = session->next;
    pthread_mutex_unlock(&lock);
}

/* Sessions whose client still lives, with their segments: one that closed its descriptors goes on writing there. */
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

/* What is left of it is the segments and the pidfd. */
static void release(struct session *session)
{
    munmap(session->control, sizeof *session->control);
    close(session->control_file);
    close(session->owner.socket);
    free(session->holdings);
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

static void end(struct session *session)
{
    struct device_scope scope;
    atomic_store(&session->control->lost, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    if (session->is_broken)
        log_message(LOG_WARNING, "service: process %d sent what no client sends; its connection is closed",
                    (int)session->owner.process);
    atomic_fetch_add(&ending, 1);
    remove_from_list(session);
    if (atomic_load(&lost) == CUDA_SUCCESS && device_enter(session->device, &scope) == STATUS_OK) {
        session_calls_end(session);
        device_leave(session->device, &scope);
        release(session);
    } /* else the server is about to end, and all is the system's to free */
    atomic_fetch_sub(&ending, 1);
}

static bool welcome(const struct session *session)
{
    const struct service_welcome message = {.magic = SERVICE_MAGIC, .process = getpid(),
                                            .segment = (uintptr_t)session->segments[0]->memory};
    const int files[] = {session->control_file, session->segments[0]->file};
    return service_send_files(session->owner.socket, &message, sizeof message, files, 2);
}

static void *session_main(void *argument)
{
    struct session *const session = argument;
    struct device_scope scope;
    pthread_detach(pthread_self());
    sched_setaffinity(0, sizeof session->owner.processors, (const cpu_set_t *)session->owner.processors);
    if (welcome(session) && device_enter(session->device, &scope) == STATUS_OK) {
        serve(session);
        device_leave(session->device, &scope);
    }
    end(session);
    return NULL;
}

static bool make_control(struct session *session)
{
    session->control_file = service_memory_make("mublas service control", sizeof *session->control);
    if (session->control_file < 0)
        return false;
    session->control = mmap(NULL, sizeof *session->control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                            session->control_file, 0);
    if (session->control != MAP_FAILED)
        return true;
    close(session->control_file);
    return false;
}

static void add_to_list(struct session *session)
{
    pthread_mutex_lock(&lock);
    session->next = sessions;
    sessions = session;
    pthread_mutex_unlock(&lock);
}

bool session_begin(const struct session_owner *owner, struct device *device, const struct service_device *known)
{
    struct session *const session = calloc(1, sizeof *session);
    pthread_t thread;
    if (!session)
        return false;
    session->owner = *owner;
    session->device = device;
    session->segments[0] = segments_take();
    session->segment_count = session->segments[0] ? 1 : 0;
    if (session->segment_count == 1 && make_control(session)) {
        memset(session->segments[0]->memory, 0, SERVICE_WORDS_BYTES);
        session->control->device = *known;
        add_to_list(session);
        if (own_thread_start(&thread, OWN_THREAD_STACK_BYTES, session_main, session))
            return true;
        remove_from_list(session);
        munmap(session->control, sizeof *session->control);
        close(session->control_file);
    }
    if (session->segment_count == 1)
        segments_give(session->segments[0]);
    free(session);
    return false;
}

int sessions_count(void)
{
    int count = 0;
    pthread_mutex_lock(&lock);
    for (const struct session *session = sessions; session; session = session->next)
        count++;
    pthread_mutex_unlock(&lock);
    return count + atomic_load(&ending);
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

size_t session_allowance(const struct session *asking)
{
    size_t used = 0, claimed = 0, count = 0;
    if (shared.bytes == 0)
        return SIZE_MAX;
    pthread_mutex_lock(&lock);
    for (const struct session *session = sessions; session; session = session->next)
        count++;
    const size_t clients = count > (size_t)shared.expected ? count : (size_t)shared.expected;
    const size_t share = shared.bytes / (clients ? clients : 1), own = atomic_load(&asking->used_bytes);
    for (const struct session *session = sessions; session; session = session->next) {
        const size_t has = atomic_load(&session->used_bytes);
        used += has;
        claimed += session != asking && has < share ? share - has : 0;
    }
    pthread_mutex_unlock(&lock);
    claimed += (clients - count) * share;
    const size_t nobodys = shared.bytes > used + claimed ? shared.bytes - used - claimed : 0;
    return own < share && share - own > nobodys ? share - own : nobodys;
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

/* Of streams that its thread gives back meanwhile another client may have the work: for --status that will do. */
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
                     "  process %d: %zu MiB of device memory, %d MiB pinned, %llu call%s, %llu of them answered; %u call%s in the queue, %u stream%s at work\n",
                     (int)session->owner.process, atomic_load(&session->used_bytes) >> 20,
                     session->segment_count * (SERVICE_SEGMENT_BYTES >> 20), session->calls,
                     session->calls == 1 ? "" : "s", session->answers, waiting,
                     waiting == 1 ? "" : "s", busy, busy == 1 ? "" : "s");
        used += length > 0 ? (size_t)length : 0;
    }
    pthread_mutex_unlock(&lock);
    return count;
}
