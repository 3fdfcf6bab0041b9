/* Which memory a thread of mublas' own may touch: what raises no signal when it is, whatever a map shows. */
#include "mirror/host_memory/mapping.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 600, GUARD_ADVICE = 102 /* MADV_GUARD_INSTALL, since Linux 6.13 */ };

static size_t page;

static char *map(int protection)
{
    char *const memory = mmap(NULL, PAGES * page, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        tap_skip_all("no memory");
    return memory;
}

/* One run of bytes. */
static bool allows(const char *memory, size_t bytes, bool writes)
{
    const struct memory_rows rows = {.first = (uintptr_t)memory, .rows = 1, .end = bytes, .high = SIZE_MAX};
    return memory_reach_allows(&rows, writes);
}

static bool is_there(char *memory)
{
    unsigned char there = 0;
    return mincore(memory, page, &there) == 0 && (there & 1);
}

static void test_plain(void)
{
    char *const memory = map(PROT_READ | PROT_WRITE);
    tap_ok(allows(memory, PAGES * page, false), "memory that nobody has touched may be read");
    tap_ok(allows(memory, PAGES * page, true), "and written");
    tap_ok(is_there(memory) && is_there(memory + (PAGES - 1) * page) && memory[PAGES * page - 1] == 0,
           "it is there then, and zero");
    memset(memory, 3, PAGES * page);
    tap_ok(allows(memory + 5, PAGES * page - 9, false) && allows(memory + 5, PAGES * page - 9, true) &&
               memory[5] == 3,
           "what is there may be, and stays");
    munmap(memory, PAGES * page);
}

static void test_protection(void)
{
    char *const memory = map(PROT_READ | PROT_WRITE);
    memset(memory, 3, PAGES * page);
    mprotect(memory + 300 * page, page, PROT_READ);
    tap_ok(allows(memory, PAGES * page, false) && !allows(memory, PAGES * page, true),
           "a page that may be read alone");
    mprotect(memory + 300 * page, page, PROT_NONE);
    tap_ok(!allows(memory, PAGES * page, false) && !allows(memory, PAGES * page, true), "one that may not");
    tap_ok(allows(memory, 300 * page, true) && allows(memory + 301 * page, 299 * page, true),
           "those before and behind it may");
    munmap(memory + 300 * page, page);
    tap_ok(!allows(memory, PAGES * page, false), "one that is not mapped");
    munmap(memory, PAGES * page);
}

static void test_guards(void)
{
    char *const memory = map(PROT_READ | PROT_WRITE);
    memset(memory, 3, PAGES * page);
    if (madvise(memory + 300 * page, page, GUARD_ADVICE) != 0) {
        tap_skip("guard regions", "not with this kernel");
        tap_skip("beside them", "not with this kernel");
    } else {
        tap_ok(!allows(memory, PAGES * page, false) && !allows(memory, PAGES * page, true),
               "a guard region, which no map shows");
        tap_ok(allows(memory, 300 * page, true) && allows(memory + 301 * page, 299 * page, true),
               "those before and behind it may");
    }
    munmap(memory, PAGES * page);
}

static void test_short_file(void)
{
    char name[] = "/tmp/mublas_reach_XXXXXX";
    const int file = mkstemp(name);
    unlink(name);
    if (file < 0 || ftruncate(file, (off_t)(10 * page)) != 0)
        tap_skip_all("no file");
    char *const memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    tap_ok(allows(memory, 10 * page, false) && allows(memory, 10 * page, true), "a file's pages");
    tap_ok(!allows(memory, 11 * page, false) && !allows(memory, 11 * page, true), "but none behind its end");
    if (ftruncate(file, (off_t)(PAGES * page)) != 0)
        abort();
    tap_ok(allows(memory, PAGES * page, false), "until it is longer");
    munmap(memory, PAGES * page);
    close(file);
}

/* Rows of 100 bytes, each on a page of its own, of which every second page may not be touched. */
static void test_rows(void)
{
    char *const memory = map(PROT_READ | PROT_WRITE);
    struct memory_rows rows = {.first = (uintptr_t)memory, .pitch = (ptrdiff_t)(2 * page), .rows = PAGES / 2,
                               .end = 100, .high = SIZE_MAX};
    for (size_t i = 1; i < PAGES; i += 2)
        mprotect(memory + i * page, page, PROT_NONE);
    tap_ok(memory_reach_allows(&rows, true), "pages between rows do not matter");
    rows.first += (rows.rows - 1) * 2 * page;
    rows.pitch = -rows.pitch;
    tap_ok(memory_reach_allows(&rows, false), "backwards, too");
    mprotect(memory + 100 * page, page, PROT_NONE);
    tap_ok(!memory_reach_allows(&rows, false), "unless a row is there");
    munmap(memory, PAGES * page);
}

/* The lower triangle of rows of pages: its upper one may not be touched. */
static void test_triangle(void)
{
    enum { ORDER = 20 };
    char *const memory = map(PROT_READ | PROT_WRITE);
    struct memory_rows rows = {.first = (uintptr_t)memory, .pitch = (ptrdiff_t)(ORDER * page), .rows = ORDER,
                               .end = ORDER * page, .low_step = page, .high = SIZE_MAX};
    for (size_t j = 0; j < ORDER; j++)
        if (j > 0)
            mprotect(memory + j * ORDER * page, j * page, PROT_NONE);
    tap_ok(memory_reach_allows(&rows, true), "a triangle whose other half is guarded");
    rows.low_step = 0;
    tap_ok(!memory_reach_allows(&rows, false), "which is not all of the matrix");
    munmap(memory, PAGES * page);
}

UNIT_TEST(test_memory_reach)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    test_plain();
    test_protection();
    test_guards();
    test_short_file();
    test_rows();
    test_triangle();
    return tap_done();
}
