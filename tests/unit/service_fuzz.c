/* Sends a service what no client sends: random messages, and right ones with some bits changed, from one short-lived
 * client after the other; some write over the ring, its ends and the slots of answers meanwhile. Prints how many
 * messages there were, and how many connections the service has closed. Arguments: messages, a seed. Exit status: 0;
 * 1: the service has gone.
 *
 * Kernels' arguments and addresses for cuBLAS and cuSOLVER are not tried: nobody can check them, and such messages are
 * sent with a number of no kernel, or of no function. No message unmaps what there is:
 * the device may use it, which nobody knows, either. */
#include "gpu/device.h"
#include "service/calls.h"
#include "service/message.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES_OF_CLIENT = 1000, KNOWN_MOST = 32, VENDOR_FUNCTIONS = 9999, PATIENCE = 1200000 };

static uint64_t state;
static _Atomic uint64_t *sent; /* messages, of all clients */

static uint64_t dice(uint64_t sides)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % sides;
}

/* Values that are near limits more often than dice would have them. */
static uint64_t strange(void)
{
    static const uint64_t values[] = {0, 1, 2, 4, 15, 16, 4096, 1 << 20, 2 << 20, 32 << 20, INT32_MAX, UINT32_MAX,
                                      UINT64_C(1) << 32, UINT64_C(1) << 62, (UINT64_C(1) << 62) + 1, INT64_MAX,
                                      UINT64_MAX, UINT64_MAX - 15};
    return dice(3) ? values[dice(sizeof values / sizeof *values)] : dice(UINT64_MAX);
}

static struct {
    int socket;
    struct service_control *control;
    unsigned char *segment;
    uint64_t tail;
    uint64_t blocks[KNOWN_MOST], physical[KNOWN_MOST], reserved[KNOWN_MOST];
    unsigned block_count, physical_count, reserved_count;
    bool scribbles;
} own;

static bool is_closed(void)
{
    struct pollfd end = {.fd = own.socket, .events = POLLRDHUP};
    return atomic_load(&own.control->lost) != 0 || (poll(&end, 1, 0) > 0 && (end.revents & (POLLRDHUP | POLLHUP)));
}

static bool join_service(void)
{
    static struct service_identity identity;
    struct service_welcome welcome;
    const char *why = NULL;
    int files[2], count = 2;
    if (!service_identity_make(&identity) || (own.socket = service_connect_socket(&identity, &why)) < 0 ||
        !service_greet(own.socket, &identity, REQUEST_CONNECT) ||
        !service_receive_files(own.socket, &welcome, sizeof welcome, files, &count, 10000) || welcome.refusal)
        return false;
    own.control = mmap(NULL, sizeof *own.control, PROT_READ | PROT_WRITE, MAP_SHARED, files[0], 0);
    own.segment = mmap((void *)(uintptr_t)welcome.segment, SERVICE_SEGMENT_BYTES, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED_NOREPLACE, files[1], 0);
    own.tail = 0;
    return own.control != MAP_FAILED && own.segment == (void *)(uintptr_t)welcome.segment;
}

/* False: the service has closed the connection, or takes nothing more. */
static bool send_record(const struct service_record *head, const void *payload, size_t bytes)
{
    const size_t size = (sizeof *head + bytes + 15) / 16 * 16, at = own.tail % SERVICE_RING_BYTES;
    const size_t filler = at + size > SERVICE_RING_BYTES ? SERVICE_RING_BYTES - at : 0;
    for (int tries = 0; own.tail + size + filler - atomic_load(&own.control->head) > SERVICE_RING_BYTES; tries++) {
        if (is_closed() || own.scribbles || tries > 20000)
            return false;
        usleep(50);
    }
    if (filler > 0)
        *(struct service_record *)(own.control->ring + at) =
            (struct service_record){.bytes = (uint32_t)filler, .call = SERVICE_FILLER};
    unsigned char *const place = own.control->ring + (own.tail + filler) % SERVICE_RING_BYTES;
    memcpy(place, head, sizeof *head);
    if (bytes > 0)
        memcpy(place + sizeof *head, payload, bytes);
    own.tail += filler + size;
    atomic_store(&own.control->tail, own.tail);
    if (atomic_exchange(&own.control->is_asleep, 0))
        service_word_wake(&own.control->is_asleep);
    return true;
}

static bool send_call(unsigned call, unsigned slot, const void *payload, size_t bytes)
{
    const struct service_record head = {.bytes = (uint32_t)((sizeof head + bytes + 15) / 16 * 16),
                                        .call = (uint16_t)call, .slot = (uint16_t)slot, .sent = (uint32_t)bytes};
    return send_record(&head, payload, bytes);
}

/* A right call's answer; false: none came within a minute, or it failed. One that came later would be taken for the next. */
static bool ask(unsigned call, const void *payload, size_t bytes, void *answer, size_t answer_bytes)
{
    struct service_slot *const slot = &own.control->slots[SERVICE_SLOTS - 1];
    atomic_store(&slot->state, SLOT_PENDING);
    if (!send_call(call, SERVICE_SLOTS, payload, bytes))
        return false;
    for (int tries = 0; atomic_load(&slot->state) != SLOT_DONE; tries++) {
        if (is_closed() || tries > PATIENCE)
            return false;
        usleep(50);
    }
    if (slot->result != CUDA_SUCCESS)
        return false;
    memcpy(answer, slot->answer, answer_bytes);
    return true;
}

static void note(uint64_t *list, unsigned *count, uint64_t value)
{
    list[*count < KNOWN_MOST ? (*count)++ : dice(KNOWN_MOST)] = value;
}

/* Memory that its owner could make shorter under the server's hands, who must refuse it. */
static void share_unsealed(void)
{
    const struct service_range range = {UINT64_C(0x2c0000000000), 1 << 20};
    const int file = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    char unused;
    if (file < 0 || ftruncate(file, (off_t)range.bytes) != 0 ||
        !service_send_files(own.socket, &range.address, sizeof range.address, &file, 1))
        return;
    close(file);
    if (!ask(SERVICE_SHARE, &range, sizeof range, &unused, 0))
        return;
    puts("memory without seals is shared");
    fflush(stdout);
    _exit(3);
}

/* Things that a right client has. */
static void get_something(void)
{
    struct service_range range = {0, (UINT64_C(1) << dice(4)) << 20}, answer;
    const struct service_reserve reserve = {8 << 20, 0, 0};
    const struct service_handle handle = {(uint32_t)(1 + dice(3))};
    struct service_library_answer library;
    char unused;
    switch (dice(9)) {
    case 0: ask(SERVICE_STREAM_CREATE, &handle, sizeof handle, &unused, 0); break;
    case 1: ask(SERVICE_EVENT_CREATE, &handle, sizeof handle, &unused, 0); break;
    case 2:
        if (ask(SERVICE_ADDRESS_RESERVE, &reserve, sizeof reserve, &answer, sizeof answer))
            note(own.reserved, &own.reserved_count, answer.address);
        break;
    case 3:
        range.bytes = (UINT64_C(2) << dice(2)) << 20;
        if (ask(SERVICE_PHYSICAL_CREATE, &range, sizeof range, &answer, sizeof answer))
            note(own.physical, &own.physical_count, answer.address);
        break;
    case 4: ask(SERVICE_OPEN_LIBRARY, &(struct service_library){(uint32_t)dice(2), (uint32_t)dice(2)}, 8, &library, sizeof library); break;
    case 5: share_unsealed(); break;
    default:
        if (ask(SERVICE_MEMORY_ALLOCATE, &range, sizeof range, &answer, sizeof answer))
            note(own.blocks, &own.block_count, answer.address);
    }
}

/* Its begin, or an address in it or behind it. */
static uint64_t any_block(void)
{
    const uint64_t begin = own.block_count ? own.blocks[dice(own.block_count)] : strange();
    return dice(8) ? begin : begin + dice(32 << 20) / 8 * 8;
}
static uint64_t any_reserved(void) { return own.reserved_count ? own.reserved[dice(own.reserved_count)] : strange(); }
static uint64_t any_physical(void) { return own.physical_count ? own.physical[dice(own.physical_count)] : strange(); }
static uint64_t any_host(void) { return (uintptr_t)own.segment + dice(SERVICE_SEGMENT_BYTES); }
static uint32_t any_stream(void) { return (uint32_t)(dice(8) ? 1 + dice(3) : strange()); }
static uint32_t any_event(void) { return (uint32_t)(dice(8) ? 1 + dice(3) : strange()); }

union payload {
    struct service_handle handle;
    struct service_mark mark;
    struct service_event_record record;
    struct service_range range;
    struct service_map map;
    struct service_copy copy;
    struct service_copy_2d copy_2d;
    struct service_launch launch;
    struct service_level3 level3;
    struct service_vendor vendor;
    struct call_words_set_2d_async fill;
    struct call_memory_set_async set;
    unsigned char bytes[SERVICE_RECORD_MOST - sizeof(struct service_record)];
};

static size_t make_level3(union payload *payload)
{
    struct blas_call *const call = &payload->level3.call;
    *call = (struct blas_call){.family = FAMILY_GEMM, .type = (enum blas_type)dice(4), .m = 16, .n = 16, .k = 16,
                               .a = {(void *)(uintptr_t)any_block(), 16, 16, 16, PART_FULL},
                               .b = {(void *)(uintptr_t)any_block(), 16, 16, 16, PART_FULL},
                               .c = {(void *)(uintptr_t)any_block(), 16, 16, 16, PART_FULL}};
    *(dice(2) ? &call->m : &call->k) = dice(2) ? 16 : (int64_t)strange();
    payload->level3.stream = any_stream();
    return sizeof payload->level3;
}

static size_t make_copy_2d(union payload *payload)
{
    struct service_copy_2d *const copy = &payload->copy_2d;
    *copy = (struct service_copy_2d){any_block(), any_host(), 256, 256, 100, 10, any_stream(), 0, 1, {0, 0}};
    if (dice(2))
        *(dice(2) ? &copy->height : dice(2) ? &copy->width : &copy->to_pitch) = strange();
    return sizeof *copy;
}

/* A call as a client might send it. */
static size_t make(unsigned call, union payload *payload)
{
    const uint64_t bytes = dice(2) ? 1 + dice(1 << 16) : strange();
    switch (call) {
    case SERVICE_STREAM_DESTROY: payload->handle.number = any_stream(); return sizeof payload->handle;
    case SERVICE_EVENT_DESTROY: payload->handle.number = any_event(); return sizeof payload->handle;
    case SERVICE_STREAM_MARK: payload->mark = (struct service_mark){any_stream(), (uint32_t)strange()}; return sizeof payload->mark;
    case SERVICE_EVENT_RECORD:
        payload->record = (struct service_event_record){any_event(), any_stream(), (uint32_t)strange()};
        return sizeof payload->record;
    case SERVICE_MEMORY_ALLOCATE: payload->range = (struct service_range){0, dice(4) ? dice(8 << 20) : strange()}; return sizeof payload->range;
    case SERVICE_MEMORY_FREE: payload->range = (struct service_range){any_block(), 0}; return sizeof payload->range;
    case SERVICE_ADDRESS_FREE: payload->range = (struct service_range){any_reserved(), 8 << 20}; return sizeof payload->range;
    case SERVICE_PHYSICAL_RELEASE: payload->range = (struct service_range){any_physical(), 0}; return sizeof payload->range;
    case SERVICE_PHYSICAL_UNMAP:
        payload->range = (struct service_range){any_reserved() + (dice(4) << 21), (1 + dice(3)) << 21};
        return sizeof payload->range;
    case SERVICE_PHYSICAL_MAP:
        payload->map = (struct service_map){any_reserved() + (dice(5) << 21), dice(4) ? 2 << 20 : strange(), 0, any_physical()};
        return sizeof payload->map;
    case SERVICE_COPY:
        payload->copy = (struct service_copy){any_block(), any_host(), bytes, any_stream(), (uint32_t)dice(2)};
        return sizeof payload->copy;
    case SERVICE_COPY_2D: return make_copy_2d(payload);
    case SERVICE_LEVEL3: return make_level3(payload);
    case SERVICE_GENERATED_MEMORY_SET_ASYNC:
        payload->set = (struct call_memory_set_async){.address = any_block(), .bytes = bytes, .stream = any_stream()};
        return sizeof payload->set;
    case SERVICE_GENERATED_WORDS_SET_2D_ASYNC:
        payload->fill = (struct call_words_set_2d_async){.address = any_block(), .pitch = dice(2) ? 1024 : strange(),
                                                         .words = dice(2) ? 16 : strange(), .rows = dice(2) ? 8 : strange(),
                                                         .stream = any_stream()};
        return sizeof payload->fill;
    default: break;
    }
    const size_t length = dice(3000) ? 320 + dice(64) : dice(sizeof payload->bytes); /* too short ends the connection */
    for (size_t i = 0; i < length / 8; i++)
        ((uint64_t *)payload->bytes)[i] = strange();
    return length;
}

static void change_some(void *memory, size_t bytes)
{
    for (uint64_t changes = dice(4); changes > 0 && bytes > 0; changes--)
        ((unsigned char *)memory)[dice(bytes)] ^= (unsigned char)(1u << dice(8));
}

/* Spares the calls that the head leaves untried. */
static void spare_the_unchecked(unsigned call, union payload *payload)
{
    if (call == SERVICE_LAUNCH && payload->launch.kernel <= KERNEL_COUNT)
        payload->launch.kernel += KERNEL_COUNT;
    if (call == SERVICE_PHYSICAL_UNMAP)
        payload->range.address |= 4096; /* no mapping begins there */
    if (call == SERVICE_VENDOR && (payload->vendor.function < SERVICE_FUNCTIONS_MOST))
        payload->vendor.function = VENDOR_FUNCTIONS;
}

static bool send_one(void)
{
    union payload payload;
    struct service_record head = {0};
    memset(&payload, 0, sizeof payload);
    unsigned call = (unsigned)(dice(5000) ? 1 + dice(SERVICE_CALLS - 1) : dice(UINT16_MAX));
    size_t bytes = make(call, &payload);
    if (call == SERVICE_SEGMENT && dice(8))
        return true; /* each is 32 MiB */
    if (call == SERVICE_SHARE && dice(64))
        return true; /* each is a second, until a descriptor should have come */
    if (dice(2))
        change_some(&payload, bytes);
    head = (struct service_record){.bytes = (uint32_t)((sizeof head + bytes + 15) / 16 * 16), .call = (uint16_t)call,
                                   .slot = (uint16_t)(dice(4) ? 0 : 1 + dice(SERVICE_SLOTS - 1)), .sent = (uint32_t)bytes};
    if (dice(5000) == 0)
        change_some(&head, sizeof head);
    spare_the_unchecked(head.call, &payload);
    if (own.scribbles && (head.call == SERVICE_LAUNCH || head.call == SERVICE_VENDOR))
        return true;
    return send_record(&head, &payload, bytes);
}

static void *scribble(void *unused)
{
    uint64_t seed = dice(UINT64_MAX);
    (void)unused;
    for (;;) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t place = (size_t)(seed >> 33) % sizeof *own.control;
        /* A call's number and a mapping's range are left alone: they could become a launch, or an unmapping. */
        if (place < offsetof(struct service_control, ring) || place % 16 > 7)
            ((volatile unsigned char *)own.control)[place] = (unsigned char)(seed >> 24);
        if ((seed >> 40) % 64 == 0)
            usleep(100);
    }
    return NULL;
}

/* A client's life; its status: 0, 1 where the connection was closed, 2 where there was none. */
static int live(uint64_t messages)
{
    pthread_t thread;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!join_service())
        return 2;
    for (int i = 0; i < 10; i++)
        get_something();
    own.scribbles = dice(4) == 0;
    if (own.scribbles && pthread_create(&thread, NULL, scribble, NULL) != 0)
        return 2;
    for (uint64_t i = 0; i < messages; i++) {
        if (!own.scribbles && dice(24) == 0)
            get_something();
        if (!send_one() || is_closed())
            return 1;
        atomic_fetch_add(sent, 1);
    }
    for (int tries = 0; atomic_load(&own.control->head) != own.tail && tries < (own.scribbles ? 100 : 20000); tries++) {
        if (is_closed())
            return 1;
        usleep(1000);
    }
    return is_closed();
}

int main(int count, char **arguments)
{
    const uint64_t messages = count > 1 ? strtoull(arguments[1], NULL, 10) : 1000;
    uint64_t closed = 0, clients = 0;
    sent = mmap(NULL, sizeof *sent, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sent == MAP_FAILED)
        return 2;
    state = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    while (atomic_load(sent) < messages) {
        int status = 0;
        clients++;
        state = (dice(UINT64_MAX) ^ clients) * UINT64_C(0xd1342543de82ef95);
        const pid_t child = fork();
        if (child == 0)
            _exit(live(MESSAGES_OF_CLIENT));
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) > 1) {
            printf("client %llu: the service is gone (%#x)\n", (unsigned long long)clients, status);
            return 1;
        }
        closed += WEXITSTATUS(status) == 1;
    }
    printf("%llu messages, %llu of %llu connections closed\n", (unsigned long long)atomic_load(sent), (unsigned long long)closed,
           (unsigned long long)clients);
    return 0;
}
