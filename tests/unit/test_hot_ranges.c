/* Operands that are rewritten before every use: sent whole, no longer followed, never wrong. */
#include "mirror/hold.h"
#include "mirror/host_memory/kernel_interface.h"
#include "mirror/tracking/write_tracker.h"
#include "operand_calls.h"
#include "unit_test.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

enum { ROWS = 1024, COLUMNS = 64 };
static const size_t bytes = (size_t)ROWS * COLUMNS * 8;

static struct mirror_table *table;
static struct lane *lane;
static uint64_t state = 1;

static unsigned char *map_at(void *where)
{
    unsigned char *memory = mmap(where, bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0);
    if (memory == MAP_FAILED)
        abort();
    memset(memory, 3, bytes);
    return memory;
}

/* A call that reads these columns. Right to the byte? *uploaded: what went up. */
static bool call(void *memory, int first, int count, size_t *uploaded)
{
    struct operand operand =
        operand_of((char *)memory + (size_t)first * ROWS * 8, ROWS, count, ROWS, PART_FULL, OPERAND_READ);
    struct call_result result = run_call(table, lane, &operand, 1, &state, 0);
    *uploaded = result.count.bytes_up;
    return result.held == STATUS_OK && result.written == STATUS_OK && result.equal;
}

/* Does the kernel count the page as written since it was last protected? Takes no mark. */
static bool counts_as_written(const unsigned char *memory)
{
    struct page_region_record region;
    struct pagemap_scan_request request = {
        .size = sizeof request, .start = (uintptr_t)memory, .end = (uintptr_t)memory + (1u << page_shift()),
        .vec = (uintptr_t)&region, .vec_len = 1,
        .category_mask = PAGE_CATEGORY_WRITTEN, .return_mask = PAGE_CATEGORY_WRITTEN,
    };
    int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    bool written = ioctl(file, PAGEMAP_SCAN_REQUEST, &request) == 1;
    close(file);
    return written;
}

/* Calls after a rewrite each, until the range is not followed any more; how many it took. */
static int make_hot(unsigned char *memory)
{
    size_t uploaded;
    for (int i = 1; i <= 20; i++) {
        memset(memory, i, bytes);
        if (!call(memory, 0, COLUMNS, &uploaded) || uploaded < bytes)
            return -1;
        if (counts_as_written(memory))
            return i;
    }
    return 0;
}

static void test_hot(void)
{
    unsigned char *memory = map_at(NULL);
    size_t uploaded;
    int calls = make_hot(memory);
    tap_ok(calls >= 3 && calls <= 8, "what is rewritten each time is not protected any more after %d calls", calls);
    memory[bytes / 2] ^= 1;
    tap_ok(call(memory, 0, COLUMNS, &uploaded) && uploaded == bytes, "a single byte that changes is seen");
    tap_ok(call(memory, 0, COLUMNS, &uploaded) && uploaded == bytes, "where nothing does, all goes up still");
    memory[bytes / 4] ^= 1;
    tap_ok(call(memory, COLUMNS / 8, COLUMNS / 4, &uploaded), "a part of it is as the host has it");
    munmap(memory, bytes);
}

/* Nobody has looked who else may write to a page of it that the program leaves alone. */
static void test_forgotten(void)
{
    unsigned char *memory = map_at(NULL);
    const size_t page = (size_t)1 << page_shift();
    size_t uploaded;
    bool good = true;
    for (int i = 1; i <= 8; i++) {
        memset(memory, i, bytes / 2 - page);
        good = call(memory, 0, COLUMNS / 2, &uploaded) && good;
    }
    tap_ok(good && counts_as_written(memory) && !counts_as_written(memory + bytes / 2 - page) &&
               call(memory, 0, COLUMNS, &uploaded) && uploaded == bytes,
           "what was sent without a look is not kept");
    munmap(memory, bytes);
}

static void test_cools_down(void)
{
    unsigned char *memory = map_at(NULL);
    size_t uploaded = 1;
    int calls = 0;
    bool good = make_hot(memory) > 0;
    while (uploaded > 0 && calls++ < 200)
        good = call(memory, 0, COLUMNS, &uploaded) && good;
    tap_ok(good && calls >= 32 && calls < 100, "left alone it is followed again after %d calls", calls);
    memory[17] ^= 1;
    tap_ok(call(memory, 0, COLUMNS, &uploaded) && uploaded == (size_t)1 << page_shift(), "and what is written is seen");
    munmap(memory, bytes);
}

static void test_exchanged(void)
{
    unsigned char *memory = map_at(NULL);
    size_t uploaded;
    bool good = make_hot(memory) > 0;
    munmap(memory, bytes);
    map_at(memory);
    memory[100] = 9;
    tap_ok(good && call(memory, 0, COLUMNS, &uploaded) && uploaded == bytes, "other memory at its place is sent");
    memory[bytes - 1] = 9;
    tap_ok(call(memory, 0, COLUMNS, &uploaded) && call(memory, 1, COLUMNS - 1, &uploaded), "also later");
    munmap(memory, bytes);
}

/* A call that writes the memory, or reads and writes it. */
static bool write_result(unsigned char *memory, unsigned char *shadow, enum operand_access access)
{
    struct operand operand = operand_of(memory, ROWS, COLUMNS, ROWS, PART_FULL, access);
    struct call_result result = run_call(table, lane, &operand, 1, &state, shadow - memory);
    return result.held == STATUS_OK && result.written == STATUS_OK && result.equal &&
           memcmp(memory, shadow, bytes) == 0;
}

/* Results until one is not followed any more; how many it took. */
static int make_pass(unsigned char *memory, unsigned char *shadow)
{
    for (int i = 1; i <= 20; i++)
        if (!write_result(memory, shadow, OPERAND_OVERWRITE))
            return -1;
        else if (counts_as_written(memory))
            return i;
    return 0;
}

static void test_results_pass(void)
{
    unsigned char *memory = map_at(NULL), *const shadow = map_at(NULL);
    size_t uploaded;
    call(memory, 0, COLUMNS, &uploaded);
    int calls = make_pass(memory, shadow);
    tap_ok(calls >= 3 && calls <= 8, "a result that nobody uses is not followed after %d calls", calls);
    bool good = write_result(memory, shadow, OPERAND_OVERWRITE);
    memory[bytes / 2] ^= 1;
    tap_ok(good && call(memory, 0, COLUMNS, &uploaded) && uploaded == bytes,
           "used after all it is sent as the host has it");
    tap_ok(call(memory, 0, COLUMNS, &uploaded) && uploaded == 0, "once");
    memcpy(shadow, memory, bytes);
    good = true;
    for (int i = 0; i < 10; i++)
        good = write_result(memory, shadow, OPERAND_OVERWRITE) &&
               call(memory, 0, COLUMNS, &uploaded) && uploaded == 0 && good;
    tap_ok(good, "from then on it stays on the device for the next use");
    good = make_pass(memory, shadow) > 0 && write_result(memory, shadow, OPERAND_UPDATE);
    tap_ok(good && !counts_as_written(memory) && call(memory, 0, COLUMNS, &uploaded) && uploaded == 0,
           "an update is a use");
    munmap(memory, bytes);
    munmap(shadow, bytes);
}

/* Others' pages between its columns stay. */
static void test_wide_result(void)
{
    unsigned char *const memory = map_at(NULL);
    const size_t page = (size_t)1 << page_shift();
    struct operand narrow = operand_of(memory, 8, COLUMNS / 2, 2 * ROWS, PART_FULL, OPERAND_OVERWRITE);
    size_t uploaded;
    bool good = call(memory, 0, COLUMNS, &uploaded);
    for (int i = 0; i < 8; i++)
        good = run_call(table, lane, &narrow, 1, &state, 0).written == STATUS_OK && good;
    tap_ok(good && call(memory, 0, COLUMNS, &uploaded) && uploaded <= COLUMNS / 2 * page,
           "what lies between a result's columns is not sent again");
    munmap(memory, bytes);
}

/* Panels that are used once each do not drive the workspace out. */
static void test_panels_pass(void)
{
    struct mirror mirror = {.begin = 0};
    struct mirror_copy copy = {.mirror = &mirror};
    const struct page_range workspace = {1000, 1100};
    for (size_t i = 0; i < 8; i++) {
        hot_ranges_note(&copy, (struct page_range){i * 10, i * 10 + 10}, true);
        hot_ranges_note(&copy, workspace, true);
    }
    tap_ok(hot_ranges_hold(&copy, workspace) && !hot_ranges_hold(&copy, (struct page_range){50, 60}),
           "a workspace stays hot while panels pass by");
    hot_ranges_note(&copy, workspace, false);
    tap_ok(!hot_ranges_hold(&copy, workspace), "until it is found as it was");
    hot_ranges_note(&copy, (struct page_range){0, 1 << 16}, true);
    hot_ranges_note(&copy, (struct page_range){0, 1 << 16}, true);
    hot_ranges_note(&copy, (struct page_range){0, 1 << 16}, true);
    tap_ok(!hot_ranges_hold(&copy, (struct page_range){0, 1 << 16}), "a large matrix never is");
}

UNIT_TEST(test_hot_ranges)
{
    lane = emulated_lane();
    if (mirror_table_create(emulated_device, 64 << 20, 0, true, &table) != STATUS_OK)
        return 1;
    if (strstr(mirror_table_description(table), "stateless"))
        tap_skip_all("host writes cannot be followed here");
    test_panels_pass();
    test_hot();
    test_forgotten();
    test_cools_down();
    test_exchanged();
    test_results_pass();
    test_wide_result();
    mirror_table_destroy(table);
    lane_release(lane);
    return tap_done();
}
