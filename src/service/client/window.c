/* Segments of pinned memory, and pieces of them, which stand for memory that the driver pins. */
#include "service/client/link.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/own_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE_ALIGNMENT = 4096, PATIENCE_MS = 5000, LOCK_MS = 10000 };

struct piece {
    struct piece *next; /* by address */
    size_t begin, end;  /* in the segment */
};

static struct segment {
    unsigned char *memory;
    struct piece *pieces;
} segments[SERVICE_SEGMENTS];
static atomic_int segment_count; /* those before are never changed but under the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_of_server; /* client and server are one process: its memory is ours */

/* False: the connection is lost, or a thread has left the lock by a jump. */
static bool take_lock(void)
{
    const uint64_t begun = clock_nanoseconds();
    while (pthread_mutex_trylock(&lock) != 0) {
        if (link_is_lost() || clock_nanoseconds() - begun > LOCK_MS * UINT64_C(1000000))
            return false;
        pause_a_step();
    }
    return true;
}

/* At the server's address or nowhere: kernels' arguments have addresses in it. */
static bool map_segment(struct segment *segment, int file, uint64_t address)
{
    void *const wanted = (void *)(uintptr_t)address;
    if (!service_memory_is_sealed(file, SERVICE_SEGMENT_BYTES) || address % PIECE_ALIGNMENT != 0)
        return false;
    if (!is_of_server) {
        void *const memory = mmap(wanted, SERVICE_SEGMENT_BYTES, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
        if (memory != wanted) {
            if (memory != MAP_FAILED)
                munmap(memory, SERVICE_SEGMENT_BYTES);
            return false;
        }
        madvise(memory, SERVICE_SEGMENT_BYTES, MADV_DONTFORK);
        madvise(memory, SERVICE_SEGMENT_BYTES, MADV_DONTDUMP);
    }
    *segment = (struct segment){.memory = wanted};
    return true;
}

bool window_open(int file, uint64_t address, bool is_server)
{
    is_of_server = is_server;
    if (!map_segment(&segments[0], file, address))
        return false;
    struct piece *const words = calloc(1, sizeof *words);
    if (!words)
        return false;
    words->end = SERVICE_WORDS_BYTES;
    segments[0].pieces = words;
    atomic_store(&segment_count, 1);
    return true;
}

void window_close(void)
{
    const int count = atomic_exchange(&segment_count, 0);
    for (int i = 0; i < count; i++) {
        for (struct piece *piece = segments[i].pieces, *next; piece; piece = next) {
            next = piece->next;
            free(piece);
        }
        if (!is_of_server)
            munmap(segments[i].memory, SERVICE_SEGMENT_BYTES);
        segments[i] = (struct segment){.memory = NULL};
    }
}

/* The first gap that is large enough. */
static void *take_from(struct segment *segment, size_t bytes)
{
    struct piece **link = &segment->pieces;
    size_t begin = 0;
    while (*link && (*link)->begin - begin < bytes) {
        begin = (*link)->end;
        link = &(*link)->next;
    }
    struct piece *const piece = SERVICE_SEGMENT_BYTES - begin >= bytes ? malloc(sizeof *piece) : NULL;
    if (!piece)
        return NULL;
    *piece = (struct piece){*link, begin, begin + bytes};
    *link = piece;
    return segment->memory + begin;
}

/* With the lock. */
static bool add_segment(void)
{
    const int count = atomic_load(&segment_count);
    struct service_segment_answer answer;
    int file, files = 1;
    uint32_t number;
    if (count == SERVICE_SEGMENTS || link_socket() < 0 ||
        link_ask(SERVICE_SEGMENT, NULL, 0, &answer, sizeof answer) != CUDA_SUCCESS)
        return false;
    if (!service_receive_files(link_socket(), &number, sizeof number, &file, &files, PATIENCE_MS))
        return false;
    const bool is_mapped = number == answer.number && map_segment(&segments[count], file, answer.address);
    close(file);
    if (is_mapped)
        atomic_store(&segment_count, count + 1);
    else
        log_message(LOG_INFO, "the service's memory does not fit here");
    return is_mapped;
}

void *window_take(size_t bytes)
{
    const size_t whole = (bytes + PIECE_ALIGNMENT - 1) / PIECE_ALIGNMENT * PIECE_ALIGNMENT;
    void *memory = NULL;
    if (bytes == 0 || whole > SERVICE_SEGMENT_BYTES)
        return NULL;
    if (!take_lock())
        return NULL;
    for (int i = 0; !memory && i < atomic_load(&segment_count); i++)
        memory = take_from(&segments[i], whole);
    if (!memory && add_segment())
        memory = take_from(&segments[atomic_load(&segment_count) - 1], whole);
    pthread_mutex_unlock(&lock);
    return memory;
}

static struct segment *segment_of(const void *memory)
{
    const uintptr_t address = (uintptr_t)memory;
    const int count = atomic_load_explicit(&segment_count, memory_order_acquire);
    for (int i = 0; i < count; i++)
        if (address - (uintptr_t)segments[i].memory < SERVICE_SEGMENT_BYTES)
            return &segments[i];
    return NULL;
}

void window_give(void *memory)
{
    struct segment *const segment = segment_of(memory);
    if (!segment)
        return;
    const size_t begin = (size_t)((unsigned char *)memory - segment->memory);
    if (!take_lock())
        return;
    for (struct piece **link = &segment->pieces; *link; link = &(*link)->next)
        if ((*link)->begin == begin) {
            struct piece *const piece = *link;
            *link = piece->next;
            free(piece);
            break;
        }
    pthread_mutex_unlock(&lock);
}

/* Shared memory: those with an end are there. */
static struct share {
    _Atomic uintptr_t begin, end;
} shares[SERVICE_SHARES];

static bool is_shared(const void *memory, size_t bytes)
{
    const uintptr_t begin = (uintptr_t)memory;
    for (int i = 0; i < SERVICE_SHARES; i++) {
        const uintptr_t end = atomic_load_explicit(&shares[i].end, memory_order_acquire);
        if (end > begin && begin >= atomic_load_explicit(&shares[i].begin, memory_order_relaxed))
            return bytes <= end - begin;
    }
    return false;
}

bool window_has(const void *memory, size_t bytes)
{
    const struct segment *const segment = segment_of(memory);
    return segment
               ? bytes <= SERVICE_SEGMENT_BYTES - (size_t)((const unsigned char *)memory - segment->memory)
               : is_shared(memory, bytes);
}

CUresult window_share(int file, void *memory, size_t bytes)
{
    const struct service_range call = {(uintptr_t)memory, bytes};
    const uint64_t address = call.address;
    CUresult result = CUDA_ERROR_NOT_SUPPORTED;
    pthread_mutex_lock(&lock); /* messages with descriptors go one by one */
    for (int i = 0; i < SERVICE_SHARES && file >= 0; i++) {
        if (atomic_load(&shares[i].end) != 0)
            continue;
        if (!service_send_files(link_socket(), &address, sizeof address, &file, 1))
            break;
        result = link_ask(SERVICE_SHARE, &call, sizeof call, NULL, 0);
        if (result == CUDA_SUCCESS) {
            atomic_store(&shares[i].begin, (uintptr_t)memory);
            atomic_store_explicit(&shares[i].end, (uintptr_t)memory + bytes, memory_order_release);
        }
        break;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult window_unshare(void *memory)
{
    const struct service_range call = {(uintptr_t)memory, 0};
    CUresult result = CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SERVICE_SHARES; i++)
        if (atomic_load(&shares[i].end) != 0 && atomic_load(&shares[i].begin) == (uintptr_t)memory) {
            atomic_store(&shares[i].end, 0);
            result = link_ask(SERVICE_UNSHARE, &call, sizeof call, NULL, 0);
            break;
        }
    pthread_mutex_unlock(&lock);
    return result;
}
