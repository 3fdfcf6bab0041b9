/* The write tracker: every way in which memory changes must be reported, or make
 * the scan fail; what did not change must not be reported. */
#include "mirror/tracking/write_tracker.h"
#include "mirror/host_memory/kernel_interface.h"
#include "tap.h"
#include "unit_test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct write_tracker *tracker;
static size_t page;

enum { PAGES = 2048 };

/* A mapping between two inaccessible pages, so that it merges with no other. */
struct region {
    unsigned char *memory;
    size_t pages;
    uint64_t written[PAGES / 64 + 1]; /* by the last scan */
    int runs;
};

static struct region region_create(size_t pages)
{
    struct region region = {.pages = pages};
    unsigned char *memory = mmap(NULL, (pages + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, pages * page, PROT_READ | PROT_WRITE) != 0)
        abort();
    region.memory = memory + page;
    return region;
}

static uintptr_t address(const struct region *region, size_t number)
{
    return (uintptr_t)region->memory + number * page;
}

static void region_destroy(struct region *region)
{
    write_tracker_unregister(tracker, address(region, 0), address(region, region->pages));
    munmap(region->memory - page, (region->pages + 2) * page);
}

static void note(void *context, uintptr_t begin, uintptr_t end)
{
    struct region *region = context;
    region->runs++;
    page_bits_set(region->written, (begin - address(region, 0)) / page, (end - address(region, 0)) / page);
}

static bool scan_part(struct region *region, size_t first, size_t end)
{
    memset(region->written, 0, sizeof region->written);
    region->runs = 0;
    return write_tracker_scan(tracker, address(region, first), address(region, end), note, region) ==
           STATUS_OK;
}

static bool scan(struct region *region)
{
    return scan_part(region, 0, region->pages);
}

/* Exactly pages [begin, end) were reported. */
static bool reported(const struct region *region, size_t begin, size_t end)
{
    return page_bits_count(region->written, 0, region->pages) == end - begin &&
           page_bits_all(region->written, begin, end);
}

/* Registered, all pages present and clean. */
static struct region clean_region(size_t pages)
{
    struct region region = region_create(pages);
    memset(region.memory, 1, pages * page);
    if (write_tracker_register(tracker, address(&region, 0), address(&region, pages)) != STATUS_OK)
        abort();
    scan(&region);
    return region;
}

static void test_writes(void)
{
    struct region region = region_create(64);
    int ends[2];
    memset(region.memory, 1, 64 * page);
    tap_ok(!scan(&region), "memory that is not registered is refused");
    tap_ok(!write_tracker_holds(tracker, address(&region, 3)), "and not held");
    write_tracker_register(tracker, address(&region, 0), address(&region, 64));
    tap_ok(scan(&region) && reported(&region, 0, 64), "a first scan reports everything");
    tap_ok(scan(&region) && reported(&region, 0, 0), "then nothing");
    tap_ok(write_tracker_holds(tracker, address(&region, 3)), "a clean page is held");
    region.memory[5 * page - 1] = 2;
    tap_ok(scan(&region) && reported(&region, 4, 5), "one byte reports its page");
    tap_ok(scan(&region) && reported(&region, 0, 0), "once");
    tap_ok(pipe(ends) == 0 && write(ends[1], "matrix", 6) == 6 &&
               read(ends[0], region.memory + 9 * page, 6) == 6 && scan(&region) && reported(&region, 9, 10),
           "read(2) into a page reports it");
    region.memory[20 * page] = region.memory[30 * page] = 2;
    tap_ok(scan_part(&region, 16, 24) && reported(&region, 20, 21), "a part can be scanned alone");
    tap_ok(scan(&region) && reported(&region, 30, 31), "and leaves the marks of the rest");
    volatile unsigned char sink = region.memory[40 * page];
    (void)sink;
    tap_ok(scan(&region) && reported(&region, 0, 0), "reading reports nothing");
    close(ends[0]);
    close(ends[1]);
    region_destroy(&region);
}

static void test_many_runs(void)
{
    struct region region = clean_region(PAGES);
    for (size_t i = 0; i < PAGES; i += 2)
        region.memory[i * page] = 2;
    bool good = scan(&region) && region.runs >= PAGES / 2;
    for (size_t i = 0; i < PAGES; i++)
        good = good && page_bits_test(region.written, i) == (i % 2 == 0);
    tap_ok(good, "more runs than one request can return are all reported");
    tap_ok(scan(&region) && reported(&region, 0, 0), "and all protected again");
    region_destroy(&region);
}

static void test_discarded(void)
{
    struct region region = clean_region(64);
    madvise(region.memory + 8 * page, 4 * page, MADV_DONTNEED);
    tap_ok(scan(&region) && reported(&region, 8, 12), "discarded pages are reported");
    volatile unsigned char sink = region.memory[9 * page];
    (void)sink;
    tap_ok(scan(&region) && !page_bits_test(region.written, 7), "their neighbours are not");
    region.memory[10 * page] = 3;
    tap_ok(scan(&region) && page_bits_test(region.written, 10), "a write after that is reported");
    region_destroy(&region);
}

static void test_replaced(void)
{
    struct region region = clean_region(64);
    void *again = mmap(region.memory + 8 * page, 4 * page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    tap_ok(again != MAP_FAILED && !scan(&region), "new memory at an old address makes the scan fail");
    tap_ok(!write_tracker_holds(tracker, address(&region, 8)), "and is not held");
    tap_ok(scan_part(&region, 0, 8), "the part before it still stands");
    munmap(region.memory + 8 * page, 4 * page);
    tap_ok(scan(&region) && !page_bits_any(region.written, 8, 12), "a hole is passed over in silence");
    tap_ok(!write_tracker_holds(tracker, address(&region, 8)), "but not held");
    region_destroy(&region);
}

static void test_moved(void)
{
    struct region from = clean_region(32), to = clean_region(32);
    void *moved = mremap(from.memory, 32 * page, 32 * page, MREMAP_MAYMOVE | MREMAP_FIXED, to.memory);
    tap_ok(moved == to.memory, "a registered mapping can be moved");
    tap_ok(!scan(&to), "what mremap moved to an old address makes the scan fail");
    region_destroy(&to);
    munmap(from.memory - page, 34 * page);
}

static void test_grown(void)
{
    struct region region = clean_region(64);
    munmap(region.memory + 32 * page, 32 * page);
    void *same = mremap(region.memory, 32 * page, 64 * page, 0);
    tap_ok(same == region.memory && scan(&region) && reported(&region, 32, 64),
           "what mremap adds in place is reported");
    region_destroy(&region);
}

static void test_fork(void)
{
    struct region region = clean_region(32);
    int state = 1;
    pid_t child = fork();
    if (child == 0) {
        region.memory[3 * page] = 9; /* the child's own copy */
        _exit(0);
    }
    waitpid(child, &state, 0);
    tap_ok(state == 0 && scan(&region) && reported(&region, 0, 0), "what a fork child writes is not ours");
    region.memory[4 * page] = 9;
    tap_ok(scan(&region) && page_bits_test(region.written, 4), "after a fork our writes are still seen");
    region_destroy(&region);
}

static void test_parts(void)
{
    struct region region = region_create(64);
    memset(region.memory, 1, 64 * page);
    tap_ok(write_tracker_register(tracker, address(&region, 0), address(&region, 32)) == STATUS_OK,
           "a part can be registered");
    tap_ok(!scan(&region), "a scan that reaches beyond it fails");
    write_tracker_register(tracker, address(&region, 32), address(&region, 64));
    scan_part(&region, 0, 32);
    tap_ok(scan(&region) && reported(&region, 32, 64), "registering a neighbour keeps what was protected");
    write_tracker_unregister(tracker, address(&region, 0), address(&region, 64));
    tap_ok(!scan(&region), "after unregistering scans fail");
    region_destroy(&region);
}

static void test_huge_pages(void)
{
    const size_t huge = (size_t)2 << 20;
    unsigned char *raw = mmap(NULL, 3 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *memory = (unsigned char *)(((uintptr_t)raw + huge - 1) & ~(huge - 1));
    struct region region = {.memory = memory, .pages = huge / page};
    madvise(memory, huge, MADV_HUGEPAGE);
    memset(memory, 1, huge);
    bool good = write_tracker_register(tracker, (uintptr_t)raw, (uintptr_t)raw + 3 * huge) == STATUS_OK;
    tap_ok(good && scan(&region) && reported(&region, 0, region.pages), "a huge page is reported at first");
    tap_ok(scan(&region) && reported(&region, 0, 0), "then clean");
    memory[100 * page] = 2;
    tap_ok(scan(&region) && page_bits_test(region.written, 100), "a write into a huge page is reported");
    tap_ok(scan(&region) && reported(&region, 0, 0), "once");
    write_tracker_unregister(tracker, (uintptr_t)raw, (uintptr_t)raw + 3 * huge);
    munmap(raw, 3 * huge);
}

/* Last: it ends the tracker. */
static void test_lost_descriptors(void)
{
    struct region region = clean_region(16);
    for (int i = DESCRIPTOR_LOWEST; i < 600; i++)
        close(i);
    int ends[2];
    tap_ok(pipe2(ends, O_NONBLOCK) == 0 && !scan(&region), "closed descriptors make every scan fail");
    for (int i = DESCRIPTOR_LOWEST; i < 600; i++)
        dup2(ends[0], i);
    tap_ok(!scan(&region), "so do the program's own in their place");
    write_tracker_destroy(tracker);
    bool left = true;
    for (int i = DESCRIPTOR_LOWEST; i < 600; i++)
        left = left && close(i) == 0;
    tap_ok(left, "which are left open");
}

/* The very same file as ours, which its inode does not tell from it. */
static void test_own_pagemap(void)
{
    struct write_tracker *another = NULL;
    int number = -1, file = open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 && write_tracker_create(&another) == STATUS_OK;
    for (int i = DESCRIPTOR_LOWEST; i < 600; i++) {
        char path[64], target[64] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", i);
        if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, "/pagemap"))
            number = i;
    }
    good = good && dup2(file, number) == number;
    write_tracker_destroy(another);
    tap_ok(good && close(number) == 0, "the program's own pagemap file is left open, too");
    close(file);
}

static void test_unprotected(void)
{
    struct region region = clean_region(64);
    write_tracker_unprotect(tracker, address(&region, 10), address(&region, 20));
    tap_ok(scan(&region) && reported(&region, 10, 20),
           "pages that were opened for writing count as written, no other");
    tap_ok(scan(&region) && reported(&region, 0, 0), "until they were scanned");
    region.memory[15 * page] = 2;
    tap_ok(scan(&region) && reported(&region, 15, 16), "then they are followed as before");
    region_destroy(&region);
}

UNIT_TEST(test_write_tracker)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    if (write_tracker_create(&tracker) != STATUS_OK)
        tap_skip_all(write_tracker_description());
    test_writes();
    test_many_runs();
    test_discarded();
    test_replaced();
    test_moved();
    test_grown();
    test_fork();
    test_parts();
    test_unprotected();
    test_huge_pages();
    test_lost_descriptors();
    test_own_pagemap();
    return tap_done();
}
