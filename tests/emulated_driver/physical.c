#include "emulated_driver/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Offsets are dealt from a sparse file much larger than the device: no fragmentation. */
static const uint64_t DEVICE_BYTES = (uint64_t)128 << 30;

static int file = -1;
static unsigned char *alias_base;
static struct range_set offsets;
static size_t used[DEVICES_MAX];

/* Ranges that were given back with their pages, the oldest first: new pages are most of what a small mapping
 * costs. */
enum { KEPT_MOST = 16, KEPT_BYTES = 4 << 20 };
static struct range kept[KEPT_MOST];
static unsigned kept_count;

CUresult physical_open(void)
{
    const uint64_t bytes = (uint64_t)kinds_count() * DEVICE_BYTES;
    if (file >= 0)
        return CUDA_SUCCESS;
    int low = memfd_create("emulated-device", MFD_CLOEXEC);
    int descriptor = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 512);
    if (descriptor < 0)
        descriptor = low;
    else
        close(low);
    if (descriptor < 0 || ftruncate(descriptor, (off_t)bytes) != 0)
        emulated_abort("memfd: %s", strerror(errno));
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    if (base == MAP_FAILED)
        emulated_abort("mapping the device memory file: %s", strerror(errno));
    madvise(base, bytes, MADV_DONTDUMP);
    madvise(base, bytes, MADV_DONTFORK);
    alias_base = base;
    file = descriptor;
    offsets.limit = bytes;
    return CUDA_SUCCESS;
}

static struct range take_kept(unsigned place)
{
    const struct range range = kept[place];
    memmove(&kept[place], &kept[place + 1], (--kept_count - place) * sizeof *kept);
    return range;
}

static bool find_kept(size_t bytes, size_t alignment, uint64_t *offset)
{
    for (unsigned i = 0; i < kept_count; i++)
        if (kept[i].end - kept[i].begin == bytes && kept[i].begin % alignment == 0) {
            *offset = take_kept(i).begin;
            return true;
        }
    return false;
}

static void give(struct range range)
{
    range_give(&offsets, range.begin);
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)range.begin,
              (off_t)(range.end - range.begin));
}

/* Without poison fresh memory has new pages. */
static void keep_or_give(struct range range)
{
    if (!options()->poison || range.end - range.begin > KEPT_BYTES) {
        give(range);
        return;
    }
    if (kept_count == KEPT_MOST)
        give(take_kept(0));
    kept[kept_count++] = range;
}

static bool has_limit_of_files(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* Writes to the file, but where the program's files have a limit: pages that nobody touches are never mapped, which
 * is most of what they cost. */
static void poison(uint64_t offset, size_t bytes)
{
    static unsigned char pattern[256 << 10];
    if (has_limit_of_files()) {
        memset(alias_base + offset, POISON, bytes);
        return;
    }
    if (pattern[0] != POISON)
        memset(pattern, POISON, sizeof pattern);
    for (size_t done = 0; done < bytes;) {
        const size_t left = bytes - done;
        const ssize_t written =
            pwrite(file, pattern, left < sizeof pattern ? left : sizeof pattern, (off_t)(offset + done));
        if (written <= 0)
            emulated_abort("poisoning device memory: %s", strerror(errno));
        done += (size_t)written;
    }
}

CUresult physical_take(CUdevice device, size_t bytes, size_t alignment, struct physical **result)
{
    if (bytes > device_kind(device)->memory - used[device])
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct physical *physical = calloc(1, sizeof *physical);
    if (!physical || !(find_kept(bytes, alignment, &physical->offset) ||
                       range_take(&offsets, bytes, alignment, &physical->offset)))
        emulated_abort("out of emulation resources");
    physical->bytes = bytes;
    physical->references = 1;
    physical->device = device;
    used[device] += bytes;
    if (options()->poison)
        poison(physical->offset, bytes);
    *result = physical;
    return CUDA_SUCCESS;
}

void physical_drop(struct physical *physical)
{
    if (--physical->references > 0)
        return;
    keep_or_give((struct range){physical->offset, physical->offset + physical->bytes});
    used[physical->device] -= physical->bytes;
    free(physical);
}

int physical_file(void)
{
    return file;
}

unsigned char *physical_alias(uint64_t offset)
{
    return alias_base + offset;
}

size_t physical_used(CUdevice device)
{
    return used[device];
}
