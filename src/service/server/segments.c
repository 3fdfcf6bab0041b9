/* Segments: sealed memory at addresses that clients are likely to have free, pinned for the device. */
#include "service/server/server.h"

#include "common/log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Far from where programs, libraries, stacks and heaps lie by default. */
#ifdef __SANITIZE_THREAD__ /* which has its own there */
static const uint64_t FIRST_ADDRESS = UINT64_C(0x7e9000000000);
#else
static const uint64_t FIRST_ADDRESS = UINT64_C(0x2a0000000000);
#endif
enum { SEGMENTS_MOST = 1024, GAP = 2 };

static struct server_segment segments[SEGMENTS_MOST];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *map_at(int file, uint64_t address)
{
    void *const wanted = (void *)(uintptr_t)address;
    void *const memory = mmap(wanted, SERVICE_SEGMENT_BYTES, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    if (memory != wanted && memory != MAP_FAILED)
        munmap(memory, SERVICE_SEGMENT_BYTES);
    return memory == wanted ? memory : NULL;
}

/* Present before it is pinned: memory that is not there would end whoever touches it. */
static bool make(struct server_segment *segment, int number)
{
    *segment = (struct server_segment){.file = service_memory_make("mublas service", SERVICE_SEGMENT_BYTES)};
    if (segment->file < 0)
        return false;
    if (fallocate(segment->file, 0, 0, SERVICE_SEGMENT_BYTES) == 0)
        segment->memory =
            map_at(segment->file, FIRST_ADDRESS + (uint64_t)number * GAP * SERVICE_SEGMENT_BYTES);
    if (segment->memory &&
        driver()->pin(segment->memory, SERVICE_SEGMENT_BYTES, CU_MEMHOSTREGISTER_PORTABLE) == CUDA_SUCCESS) {
        segment->is_free = true;
        return true;
    }
    if (segment->memory)
        munmap(segment->memory, SERVICE_SEGMENT_BYTES);
    close(segment->file);
    return false;
}

bool segments_open(int wanted)
{
    pthread_mutex_lock(&lock);
    while (count < wanted && make(&segments[count], count))
        count++;
    const bool is_done = count >= wanted;
    pthread_mutex_unlock(&lock);
    return is_done;
}

struct server_segment *segments_take(void)
{
    struct server_segment *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count && !found; i++)
        if (segments[i].is_free)
            found = &segments[i];
    if (!found && count < SEGMENTS_MOST && make(&segments[count], count))
        found = &segments[count++];
    if (found)
        found->is_free = false;
    pthread_mutex_unlock(&lock);
    return found;
}

void segments_give(struct server_segment *segment)
{
    pthread_mutex_lock(&lock);
    segment->is_free = true;
    pthread_mutex_unlock(&lock);
}
