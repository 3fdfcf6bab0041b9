#include "service/client/link.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/own_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOCK_MS = 5000, /* for a thread that has left the lock by a jump */
    SLOT_MS = 20000 /* the same of slots, all of them: there are more than calls that wait at once */
};

static struct {
    struct service_control *control;
    int socket;
    dev_t place; /* of the socket, as its inode: a program may close it, and have another there */
    ino_t inode;
    atomic_bool is_lost;
    atomic_int lock; /* a thread's number; 0: nobody has it */
    uint64_t tail, calls; /* under the lock */
    _Atomic uint64_t free_slots;
    _Atomic uint64_t left_slots; /* by jumps, and their answers have not been seen */
    atomic_uint *words;
} connection = {.socket = -1};

static const char *_Atomic lost_why; /* any thread may lose it */
static pid_t server_process;

static bool socket_is_ours(void)
{
    struct stat state;
    return connection.socket >= 0 && fstat(connection.socket, &state) == 0 && S_ISSOCK(state.st_mode) &&
           state.st_dev == connection.place && state.st_ino == connection.inode;
}

/* A server that ended has closed its end. */
bool link_is_hung_up(void)
{
    struct pollfd end = {.fd = connection.socket, .events = POLLRDHUP};
    if (!socket_is_ours())
        return false; /* the heartbeat tells */
    return poll(&end, 1, 0) > 0 && (end.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

int link_socket(void)
{
    return socket_is_ours() ? connection.socket : -1;
}

struct service_control *link_control(void)
{
    return connection.control;
}

void link_enter(void)
{
    if (connection.control)
        atomic_fetch_add(&connection.control->users, 1);
}

void link_leave(void)
{
    if (connection.control)
        atomic_fetch_sub(&connection.control->users, 1);
}

bool link_is_revoked(void)
{
    return connection.control && (atomic_load(&connection.control->users) & SERVICE_REVOKED);
}

void link_note_revoked(void)
{
    if (connection.control)
        atomic_fetch_and(&connection.control->users, ~SERVICE_REVOKED);
}

const struct service_device *link_device(void)
{
    return &connection.control->device;
}

bool link_is_lost(void)
{
    return atomic_load_explicit(&connection.is_lost, memory_order_acquire);
}

/* For good: a server that was only stopped sees the hang-up, and ends what is left. */
CUresult link_lose(const char *why)
{
    if (atomic_exchange(&connection.is_lost, true))
        return LINK_LOST;
    lost_why = why;
    log_message(LOG_WARNING, "the service is lost: %s; the host goes on", why);
    if (socket_is_ours())
        shutdown(connection.socket, SHUT_RDWR);
    return LINK_LOST;
}

CUresult link_stream_error(uint32_t stream)
{
    return atomic_load_explicit(&connection.control->errors[stream - 1], memory_order_acquire);
}

atomic_uint *link_stream_word(uint32_t stream)
{
    return &connection.words[stream - 1];
}

atomic_uint *link_event_word(uint32_t event)
{
    return &connection.words[SERVICE_STREAMS + event - 1];
}

/* A thread that has it already has left it by a jump, or a handler has interrupted it: then, too, the record
 * that it writes is not whole. */
static CUresult lock(void)
{
    const uint64_t begun = clock_nanoseconds();
    const int self = (int)syscall(SYS_gettid);
    int owner = 0;
    while (!atomic_compare_exchange_weak_explicit(&connection.lock, &owner, self, memory_order_acquire,
                                                  memory_order_relaxed)) {
        if (link_is_lost())
            return LINK_LOST;
        if (owner == self)
            return link_lose("a handler came while a call was written");
        owner = 0;
        if (clock_nanoseconds() - begun > LOCK_MS * UINT64_C(1000000))
            return link_lose("a thread left it half way");
        sched_yield();
    }
    return CUDA_SUCCESS;
}

static void unlock(void)
{
    atomic_store_explicit(&connection.lock, 0, memory_order_release);
}

static size_t record_bytes(size_t payload)
{
    return (sizeof(struct service_record) + payload + 15) / 16 * 16;
}

/* The server may sleep: it says so before it looks at the tail for the last time. */
static void wake_server(void)
{
    if (!atomic_load_explicit(&connection.control->is_asleep, memory_order_seq_cst))
        return;
    atomic_store_explicit(&connection.control->is_asleep, 0, memory_order_relaxed);
    service_word_wake(&connection.control->is_asleep);
}

static bool has_room(size_t bytes)
{
    return connection.tail + bytes - atomic_load_explicit(&connection.control->head, memory_order_acquire) <=
           SERVICE_RING_BYTES;
}

static CUresult wait_for_room(size_t bytes)
{
    struct vigil vigil = {.is_begun = false};
    CUresult result = CUDA_SUCCESS;
    if (has_room(bytes))
        return result;
    wake_server();
    while (!has_room(bytes) && result == CUDA_SUCCESS)
        result = vigil_step(&vigil);
    return result;
}

static void publish(bool wakes)
{
    atomic_store_explicit(&connection.control->tail, connection.tail, memory_order_seq_cst);
    if (wakes)
        wake_server();
}

/* Records lie in one piece: what is left at the ring's end is filled. */
static CUresult put(unsigned call, unsigned slot, const void *payload, size_t bytes, bool wakes)
{
    const size_t size = record_bytes(bytes), at = connection.tail % SERVICE_RING_BYTES;
    const size_t filler = at + size > SERVICE_RING_BYTES ? SERVICE_RING_BYTES - at : 0;
    const CUresult result = wait_for_room(size + filler);
    if (result != CUDA_SUCCESS)
        return result;
    if (filler > 0)
        *(struct service_record *)(connection.control->ring + at) =
            (struct service_record){.bytes = (uint32_t)filler, .call = SERVICE_FILLER};
    unsigned char *const place = connection.control->ring + (connection.tail + filler) % SERVICE_RING_BYTES;
    *(struct service_record *)place = (struct service_record){
        .bytes = (uint32_t)size, .call = (uint16_t)call, .slot = (uint16_t)slot, .sent = (uint32_t)bytes};
    if (bytes > 0)
        memcpy(place + sizeof(struct service_record), payload, bytes);
    connection.tail += filler + size;
    atomic_store_explicit(&connection.control->calls, ++connection.calls, memory_order_relaxed);
    publish(wakes);
    return CUDA_SUCCESS;
}

/* The number that goes into the payload at `where`; NULL: none does. */
struct numbering {
    _Atomic uint32_t *counter;
    uint32_t *where;
};

static CUresult transmit(unsigned call, unsigned slot, const void *payload, size_t bytes,
                         const struct numbering *numbering, bool wakes)
{
    if (link_is_lost())
        return LINK_LOST;
    CUresult result = lock();
    if (result != CUDA_SUCCESS)
        return result;
    if (numbering)
        *numbering->where = atomic_fetch_add(numbering->counter, 1) + 1;
    result = put(call, slot, payload, bytes, wakes);
    unlock();
    return result;
}

CUresult link_post(unsigned call, const void *payload, size_t bytes)
{
    return transmit(call, 0, payload, bytes, NULL, true);
}

CUresult link_post_beside(unsigned call, const void *payload, size_t bytes)
{
    return transmit(call, 0, payload, bytes, NULL, false);
}

CUresult link_post_numbered(unsigned call, const void *payload, size_t bytes, _Atomic uint32_t *counter,
                            uint32_t *where)
{
    return transmit(call, 0, payload, bytes, &(struct numbering){counter, where}, true);
}

/* The slot of the call that this thread waits in, and where on its stack. A thread that asks again from there
 * or from above has left that call by a jump. */
static __thread struct {
    unsigned slot;
    const void *frame;
} asking __attribute__((tls_model("initial-exec")));

/* Slots that were left so are free once their answers have come. */
static void free_left_slots(void)
{
    uint64_t left = atomic_load(&connection.left_slots);
    for (; left; left &= left - 1) {
        const unsigned place = (unsigned)__builtin_ctzll(left);
        const uint64_t bit = UINT64_C(1) << place;
        if (atomic_load_explicit(&connection.control->slots[place].state, memory_order_acquire) ==
                SLOT_DONE &&
            (atomic_fetch_and(&connection.left_slots, ~bit) & bit))
            atomic_fetch_or(&connection.free_slots, bit);
    }
}

/* From 1 on. */
static CUresult take_slot(unsigned *slot, const void *frame)
{
    struct vigil vigil = {.is_begun = false};
    const uint64_t begun = clock_nanoseconds();
    if (asking.slot && (uintptr_t)frame >= (uintptr_t)asking.frame) {
        atomic_fetch_or(&connection.left_slots, UINT64_C(1) << (asking.slot - 1));
        asking.slot = 0;
    }
    for (;;) {
        free_left_slots();
        uint64_t free_slots = atomic_load(&connection.free_slots);
        while (free_slots)
            if (atomic_compare_exchange_weak(&connection.free_slots, &free_slots,
                                             free_slots & (free_slots - 1))) {
                *slot = (unsigned)__builtin_ctzll(free_slots) + 1;
                return CUDA_SUCCESS;
            }
        const CUresult result = vigil_step(&vigil);
        if (result != CUDA_SUCCESS)
            return result;
        if (clock_nanoseconds() - begun > SLOT_MS * UINT64_C(1000000))
            return link_lose("threads that jumped out of calls have left no room for answers");
    }
}

static CUresult ask(unsigned call, const void *payload, size_t bytes, const struct numbering *numbering,
                    void *answer, size_t answer_bytes)
{
    unsigned number = 0;
    if (link_is_lost())
        return LINK_LOST;
    CUresult result = take_slot(&number, FRAME_HERE());
    if (result != CUDA_SUCCESS)
        return result;
    struct service_slot *const slot = &connection.control->slots[number - 1];
    const unsigned outer = asking.slot;
    const void *const outer_frame = asking.frame;
    atomic_store_explicit(&slot->state, SLOT_PENDING, memory_order_relaxed);
    asking.frame = FRAME_HERE();
    asking.slot = number;
    result = transmit(call, number, payload, bytes, numbering, true);
    if (result == CUDA_SUCCESS)
        result = vigil_await_slot(slot);
    asking.slot = outer;
    asking.frame = outer_frame;
    if (result != CUDA_SUCCESS)
        return result; /* the slot is not used again: the link is lost */
    result = slot->result;
    if (result == CUDA_SUCCESS && answer_bytes > 0)
        memcpy(answer, slot->answer, answer_bytes);
    atomic_fetch_or(&connection.free_slots, UINT64_C(1) << (number - 1));
    return result;
}

CUresult link_ask(unsigned call, const void *payload, size_t bytes, void *answer, size_t answer_bytes)
{
    return ask(call, payload, bytes, NULL, answer, answer_bytes);
}

CUresult link_ask_numbered(unsigned call, const void *payload, size_t bytes, _Atomic uint32_t *counter,
                           uint32_t *where)
{
    return ask(call, payload, bytes, counter ? &(struct numbering){counter, where} : NULL, NULL, 0);
}

bool link_adopt(int socket, const struct service_welcome *welcome, const int files[2])
{
    struct stat state;
    void *const memory =
        !service_memory_is_sealed(files[0], sizeof(struct service_control))
            ? MAP_FAILED
            : mmap(NULL, sizeof(struct service_control), PROT_READ | PROT_WRITE, MAP_SHARED, files[0], 0);
    if (memory == MAP_FAILED)
        return false;
    madvise(memory, sizeof(struct service_control), MADV_DONTFORK);
    if (fstat(socket, &state) != 0 ||
        !window_open(files[1], welcome->segment, welcome->process == getpid())) {
        munmap(memory, sizeof(struct service_control));
        return false;
    }
    connection.socket = socket;
    connection.inode = state.st_ino;
    connection.place = state.st_dev;
    server_process = welcome->process;
    lost_why = NULL;
    connection.control = memory;
    connection.words = (atomic_uint *)(uintptr_t)welcome->segment;
    connection.tail = connection.calls = 0;
    atomic_store(&connection.free_slots, UINT64_MAX);
    atomic_store(&connection.left_slots, 0);
    atomic_store(&connection.lock, 0);
    atomic_store(&connection.is_lost, false);
    return true;
}

void link_close(void)
{
    if (connection.socket < 0)
        return;
    atomic_store(&connection.is_lost, true);
    if (socket_is_ours())
        close(connection.socket);
    connection.socket = -1;
    window_close();
    munmap(connection.control, sizeof(struct service_control));
    connection.control = NULL;
}

struct service_use link_use(void)
{
    return (struct service_use){.process = server_process, .lost = lost_why,
                                .queue_nanoseconds = vigil_queue_nanoseconds()};
}
