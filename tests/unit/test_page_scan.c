/* Scans in pieces by several threads: what one thread finds, with writers running. */
#include "mirror/tracking/write_tracker.h"
#include "said_processors.h"
#include "tap.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BYTES = 128 << 20, HELPERS = 3, WRITERS = 3, ROUNDS = 60 };

static struct write_tracker *tracker;
static int pagemap;
static size_t page;
static unsigned char *memory; /* a page behind a border of 2 MiB */
static size_t pages;
static uint64_t *written, *found;

static void note(void *unused, uintptr_t begin, uintptr_t end)
{
    (void)unused;
    page_bits_set(found, (begin - (uintptr_t)memory) / page, (end - (uintptr_t)memory) / page);
}

static struct page_scan whole(void)
{
    return (struct page_scan){.pagemap = pagemap, .written_suffices = true, .begin = (uintptr_t)memory,
                              .end = (uintptr_t)memory + pages * page, .report = note};
}

typedef enum status scan_function(const struct page_scan *scan);

static enum status shared(const struct page_scan *scan)
{
    return page_scan_shared(scan, HELPERS);
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void write_pages(size_t begin, size_t end, size_t step)
{
    for (size_t i = begin; i < end; i += step) {
        memory[i * page + 17] += 1;
        page_bits_set(written, i, i + 1);
    }
}

/* Exactly what was written since the last scan. */
static bool finds_what_was_written(scan_function *scan_it)
{
    const struct page_scan scan = whole();
    page_bits_clear(found, 0, pages);
    const bool good = scan_it(&scan) == STATUS_OK && memcmp(found, written, pages / 8) == 0;
    page_bits_clear(written, 0, pages);
    return good;
}

static void test_exactness(scan_function *scan_it, const char *name)
{
    uint64_t state = 4711;
    bool good = true;
    tap_ok(finds_what_was_written(scan_it), "%s: nothing where nothing was written", name);
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 100; i++) {
            const size_t at = draw(&state) % pages;
            write_pages(at, at + 1, 1);
        }
        good = good && finds_what_was_written(scan_it);
    }
    tap_ok(good, "%s: single pages", name);
    write_pages(0, pages, 2);
    tap_ok(finds_what_was_written(scan_it), "%s: more than the answers have room for", name);
    write_pages(0, pages, 1);
    tap_ok(finds_what_was_written(scan_it), "%s: everything", name);
    write_pages(0, 1, 1);
    write_pages(pages - 1, pages, 1);
    tap_ok(finds_what_was_written(scan_it) && finds_what_was_written(scan_it), "%s: both ends, once", name);
}

static atomic_bool ends;

__attribute__((no_sanitize("thread")))
static void *keep_writing(void *seed)
{
    uint64_t state = (uint64_t)(uintptr_t)seed;
    while (!atomic_load(&ends)) {
        const uint64_t at = draw(&state);
        volatile unsigned char *place = memory + at % pages * page + WRITERS + (uintptr_t)seed;
        *place = (unsigned char)(*place + 1);
    }
    return NULL;
}

/* Copies what is reported, and only that, as a mirror does. */
__attribute__((no_sanitize("thread")))
static void copy_found(unsigned char *copy)
{
    for (size_t i = 0; i < pages; i++)
        if (page_bits_test(found, i))
            for (size_t byte = i * page + WRITERS; byte < i * page + WRITERS + 8; byte++)
                copy[byte] = ((volatile unsigned char *)memory)[byte];
}

__attribute__((no_sanitize("thread")))
static void test_writers(void)
{
    const struct page_scan scan = whole();
    pthread_t writers[WRITERS];
    bool good = true;
    unsigned char *copy = malloc(pages * page);
    if (!copy)
        abort();
    memcpy(copy, memory, pages * page);
    for (uintptr_t i = 0; i < WRITERS; i++)
        good = good && pthread_create(&writers[i], NULL, keep_writing, (void *)i) == 0;
    for (int round = 0; round <= ROUNDS && good; round++) {
        if (round == ROUNDS) {
            atomic_store(&ends, true);
            for (int i = 0; i < WRITERS; i++)
                pthread_join(writers[i], NULL);
        }
        page_bits_clear(found, 0, pages);
        good = shared(&scan) == STATUS_OK;
        copy_found(copy);
    }
    tap_ok(good && memcmp(copy, memory, pages * page) == 0, "no write beside %d scans is lost", ROUNDS);
    free(copy);
}

static void test_failure(void)
{
    const struct page_scan scan = whole();
    unsigned char *hole = memory + pages / 8 * 5 * page;
    if (mmap(hole, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != hole)
        abort();
    tap_ok(shared(&scan) == STATUS_NOT_TRACKABLE, "a piece that fails fails the scan");
    tap_ok(page_scan(&scan) == STATUS_NOT_TRACKABLE, "and of one that begins alone");
    struct page_scan before = scan;
    before.end = (uintptr_t)memory + pages / 2 * page;
    tap_ok(shared(&before) == STATUS_OK, "memory beside it can still be scanned");
}

static void create_memory(int advice, size_t offset)
{
    const size_t block = (size_t)1 << BLOCK_SHIFT, bytes = BYTES + 2 * block;
    unsigned char *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        abort();
    memory = (unsigned char *)block_ceiling((uintptr_t)all) + offset;
    pages = BYTES / page;
    madvise(all, bytes, advice);
    memset(all, 1, bytes);
    if (write_tracker_register(tracker, (uintptr_t)all, (uintptr_t)all + bytes) != STATUS_OK)
        abort();
    page_bits_set(written, 0, pages);
}

/* Protecting a part of a huge page splits it. */
static void test_huge_pages(void)
{
    const struct page_scan scan = whole();
    if (write_tracker_huge_bytes(tracker, scan.begin, scan.end) < BYTES) {
        tap_skip("huge pages", "the system gave too few");
        return;
    }
    tap_ok(finds_what_was_written(shared), "huge pages: all is reported first");
    tap_ok(finds_what_was_written(shared) && write_tracker_huge_bytes(tracker, scan.begin, scan.end) == BYTES,
           "and none is cut");
}

int main(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0 || write_tracker_create(&tracker) != STATUS_OK) {
        tap_skip("scans", "host writes cannot be followed here");
        return tap_done();
    }
    written = page_bits_create(BYTES / page);
    found = page_bits_create(BYTES / page);
    create_memory(MADV_HUGEPAGE, 0);
    test_huge_pages();
    create_memory(MADV_NOHUGEPAGE, page);
    tap_ok(finds_what_was_written(shared), "a first scan reports everything");
    test_exactness(page_scan_alone, "alone");
    test_exactness(page_scan, "begun alone");
    processors = 8;
    test_exactness(page_scan, "begun alone, with as many processors as sharing takes");
    processors = 0;
    test_exactness(shared, "shared");
    test_writers();
    test_failure();
    return tap_done();
}
