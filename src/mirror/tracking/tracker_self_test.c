/* Does this kernel really follow writes? Kernels, container profiles and emulators have lacked one or
 * another of the promises of write_tracker.h: each is tried on small mappings of its own. */
#include "mirror/tracking/write_tracker.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 16 };

struct trial {
    struct write_tracker *tracker;
    unsigned char *memory;
    size_t page;
    uint32_t reported; /* bit p: page p was reported by the last scan */
};

static void note_pages(void *context, uintptr_t begin, uintptr_t end)
{
    struct trial *trial = context;
    for (uintptr_t at = begin; at < end; at += trial->page)
        trial->reported |= UINT32_C(1) << ((at - (uintptr_t)trial->memory) / trial->page);
}

static bool scan(struct trial *trial)
{
    uintptr_t begin = (uintptr_t)trial->memory;
    trial->reported = 0;
    return write_tracker_scan(trial->tracker, begin, begin + PAGES * trial->page, note_pages, trial) ==
           STATUS_OK;
}

static bool scan_gives(struct trial *trial, uint32_t expected)
{
    return scan(trial) && trial->reported == expected;
}

/* read(2) into the last eight bytes of a page. */
static bool kernel_writes(struct trial *trial, int page)
{
    int ends[2];
    bool good = false;
    if (pipe(ends) != 0)
        return false;
    if (write(ends[1], "mublas!", 8) == 8)
        good = read(ends[0], trial->memory + (size_t)(page + 1) * trial->page - 8, 8) == 8;
    close(ends[0]);
    close(ends[1]);
    return good;
}

static const char *try_writes(struct trial *trial)
{
    const uint32_t all = (UINT32_C(1) << PAGES) - 1;
    memset(trial->memory, 1, PAGES / 2 * trial->page);
    if (!scan_gives(trial, all))
        return "a first scan does not report every page";
    if (!scan(trial) || trial->reported & ((UINT32_C(1) << PAGES / 2) - 1))
        return "clean pages are reported";
    trial->memory[3 * trial->page] = 2;
    if (!scan(trial) || !(trial->reported & 1u << 3))
        return "a write is missed";
    if (trial->reported & 1u << 2)
        return "a neighbour of a written page is reported";
    if (!kernel_writes(trial, 5) || !scan(trial) || !(trial->reported & 1u << 5))
        return "a write by the kernel is missed";
    trial->memory[9 * trial->page] = 2;
    if (!scan(trial) || !(trial->reported & 1u << 9))
        return "a write to an untouched page is missed";
    return NULL;
}

static const char *try_identity(struct trial *trial)
{
    if (madvise(trial->memory + 2 * trial->page, trial->page, MADV_DONTNEED) != 0 || !scan(trial) ||
        !(trial->reported & 1u << 2))
        return "a discarded page is missed";
    void *again = mmap(trial->memory + 4 * trial->page, trial->page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (again == MAP_FAILED || scan(trial))
        return "new memory at an old address is missed";
    return NULL;
}

/* NULL when all promises hold, else a phrase that names the broken one. */
static const char *broken_promise(struct write_tracker *tracker)
{
    struct trial trial = {.tracker = tracker, .page = (size_t)sysconf(_SC_PAGESIZE)};
    const char *failure = "cannot register memory";
    size_t bytes = PAGES * trial.page;
    trial.memory = mmap(NULL, bytes + 2 * trial.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (trial.memory == MAP_FAILED)
        return "cannot map memory";
    /* Guard pages keep the trial from merging with the program's mappings. */
    trial.memory += trial.page;
    if (mprotect(trial.memory, bytes, PROT_READ | PROT_WRITE) == 0) {
        uintptr_t begin = (uintptr_t)trial.memory;
        if (write_tracker_register(tracker, begin, begin + bytes) == STATUS_OK) {
            failure = try_writes(&trial);
            if (!failure)
                failure = try_identity(&trial);
        }
    }
    munmap(trial.memory - trial.page, bytes + 2 * trial.page);
    return failure;
}

enum { BLOCK_BYTES = 2 << 20, BLOCKS = 2 };

struct block_trial {
    uintptr_t begin, end;
    size_t reported_bytes;
};

static void add_run(void *context, uintptr_t begin, uintptr_t end)
{
    struct block_trial *trial = context;
    trial->reported_bytes += end - begin;
}

static bool scan_reports(struct write_tracker *tracker, struct block_trial *trial, size_t bytes)
{
    trial->reported_bytes = 0;
    return write_tracker_scan(tracker, trial->begin, trial->end, add_run, trial) == STATUS_OK &&
           trial->reported_bytes == bytes;
}

/* Discard a whole block, whose page table the kernel may free with it. */
static bool discarding_is_seen(struct write_tracker *tracker, struct block_trial *trial, int advice)
{
    void *memory = (void *)trial->begin;
    madvise(memory, trial->end - trial->begin, advice);
    memset(memory, 1, trial->end - trial->begin);
    trial->reported_bytes = 0;
    return write_tracker_scan(tracker, trial->begin, trial->end, add_run, trial) == STATUS_OK &&
           scan_reports(tracker, trial, 0) && madvise(memory, BLOCK_BYTES, MADV_DONTNEED) == 0 &&
           scan_reports(tracker, trial, BLOCK_BYTES);
}

/* True when scans report memory that was never touched, and blocks of 2 MiB that were discarded whole,
 * small pages and huge ones, as they must. */
static bool sees_discarded_blocks(struct write_tracker *tracker)
{
    size_t bytes = (BLOCKS + 1) * (size_t)BLOCK_BYTES;
    bool good = false;
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    uintptr_t begin = ((uintptr_t)memory + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    struct block_trial trial = {begin, begin + BLOCKS * (size_t)BLOCK_BYTES, 0};
    if (write_tracker_register(tracker, trial.begin, trial.end) == STATUS_OK)
        good = scan_reports(tracker, &trial, trial.end - trial.begin) &&
               discarding_is_seen(tracker, &trial, MADV_NOHUGEPAGE) &&
               discarding_is_seen(tracker, &trial, MADV_HUGEPAGE);
    munmap(memory, bytes);
    return good;
}

/* A scan for "written" alone has a fast path in the kernel (a quarter of the time), and Linux 6.18 counts
 * discarded memory as written. A kernel that does not is asked for both. */
static const char *test(struct write_tracker *tracker)
{
    if (sees_discarded_blocks(tracker) && !broken_promise(tracker))
        return NULL;
    write_tracker_ask_for_absent(tracker);
    return broken_promise(tracker);
}

enum status write_tracker_create(struct write_tracker **result)
{
    struct write_tracker *tracker;
    enum status status = write_tracker_open(&tracker);
    if (status != STATUS_OK)
        return status;
    const char *failure = test(tracker);
    if (failure) {
        write_tracker_destroy(tracker);
        return write_tracker_refuse("self-test", failure);
    }
    *result = tracker;
    return STATUS_OK;
}
