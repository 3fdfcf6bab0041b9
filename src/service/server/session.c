#include "service/server/session.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/own_thread.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SPIN_NS = 50000, SLEEP_NS = 100000000, HOLDINGS_MOST = 1 << 16 };

bool session_hold(struct session *session, enum holding_kind kind, CUdeviceptr address, size_t bytes)
{
    if (session->holding_count == session->holding_room) {
        const size_t room = session->holding_room ? 2 * session->holding_room : 64;
        struct holding *const holdings =
            room > HOLDINGS_MOST ? NULL : realloc(session->holdings, room * sizeof *holdings);
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

/* A copy of the next record, which the client may write over meanwhile. False: there is none, or
 * it is none. */
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
           !sessions_are_lost();
}

static bool has_record(const struct session *session)
{
    return atomic_load_explicit(&session->control->tail, memory_order_seq_cst) != session->head;
}

/* A client that comes to wait after this look sees `served` before it sleeps. */
static void tell_served(struct session *session)
{
    struct service_control *const control = session->control;
    atomic_store_explicit(&control->served, session->head, memory_order_seq_cst);
    const unsigned awaited = atomic_load_explicit(&control->awaited, memory_order_seq_cst);
    if (awaited && (int32_t)(service_mark_of(session->head) - awaited) >= 0 && atomic_exchange(&control->awaited, 0))
        service_word_wake(&control->awaited);
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
        pthread_mutex_lock(&session->turn); /* a record that is taken is served before anybody revokes */
        const bool has_taken = take(session, &head, payload);
        if (has_taken && head.call != SERVICE_FILLER)
            run(session, &head, payload);
        pthread_mutex_unlock(&session->turn);
        if (has_taken)
            tell_served(session);
        else
            wait_for_record(session, is_alone);
    }
}

/* Only the segments and the pidfd are left of it. */
static void release(struct session *session)
{
    munmap(session->control, sizeof *session->control);
    close(session->control_file);
    close(session->owner.socket);
    free(session->holdings);
    sessions_remember(session);
}

static void end(struct session *session)
{
    struct device_scope scope;
    atomic_store(&session->control->lost, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    if (session->is_broken)
        log_message(LOG_WARNING, "service: process %d sent what no client sends; its connection is closed",
                    (int)session->owner.process);
    sessions_remove(session);
    pthread_mutex_lock(&session->turn); /* whoever revokes its memory has begun before, and comes to an end */
    pthread_mutex_unlock(&session->turn);
    if (!sessions_are_lost() && device_enter(session->device, &scope) == STATUS_OK) {
        session_calls_end(session);
        device_leave(session->device, &scope);
        release(session);
    } /* else the server is about to end, and all is the system's to free */
    sessions_end_one();
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

bool session_begin(const struct session_owner *owner, struct device *device,
                   const struct service_device *known)
{
    struct session *const session = calloc(1, sizeof *session);
    pthread_t thread;
    if (!session)
        return false;
    pthread_mutex_init(&session->turn, NULL);
    session->owner = *owner;
    session->device = device;
    session->segments[0] = segments_take();
    session->segment_count = session->segments[0] ? 1 : 0;
    if (session->segment_count == 1 && make_control(session)) {
        memset(session->segments[0]->memory, 0, SERVICE_WORDS_BYTES);
        session->control->device = *known;
        sessions_add(session);
        if (own_thread_start(&thread, OWN_THREAD_STACK_BYTES, session_main, session))
            return true;
        sessions_remove(session);
        sessions_end_one();
        munmap(session->control, sizeof *session->control);
        close(session->control_file);
    }
    if (session->segment_count == 1)
        segments_give(session->segments[0]);
    free(session);
    return false;
}

