/* Which memory may be mirrored. */
#include "mirror/host_memory/mapping.h"
#include "mirror/host_memory/kernel_interface.h"
#include "mirror/tracking/write_tracker.h"
#include "tap.h"
#include "unit_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t page;
static char uninitialised[1 << 20];
static char initialised[1 << 16] = {1};

static bool trackable(const void *address)
{
    struct mapping mapping;
    return mapping_find((uintptr_t)address, &mapping) == STATUS_OK && mapping.trackable &&
           mapping.begin <= (uintptr_t)address && mapping.end > (uintptr_t)address;
}

static bool map_and_ask(int protection, int flags, int descriptor)
{
    char *memory = mmap(NULL, 8 * page, protection, flags, descriptor, 0);
    if (memory == MAP_FAILED)
        abort();
    bool answer = trackable(memory + 3 * page);
    munmap(memory, 8 * page);
    return answer;
}

static void test_kinds(void)
{
    char local = 0;
    char *heap = malloc(1000);
    int memfd = memfd_create("matrix", MFD_CLOEXEC);
    if (memfd < 0 || ftruncate(memfd, (off_t)(8 * page)) != 0)
        abort();
    tap_ok(map_and_ask(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1),
           "private anonymous memory is trackable");
    tap_ok(!map_and_ask(PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1), "read-only memory is not");
    tap_ok(!map_and_ask(PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1), "inaccessible memory is not");
    tap_ok(!map_and_ask(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1), "shared memory is not");
    tap_ok(!map_and_ask(PROT_READ | PROT_WRITE, MAP_PRIVATE, memfd), "a private file mapping is not");
    tap_ok(!map_and_ask(PROT_READ | PROT_WRITE, MAP_SHARED, memfd), "a shared file mapping is not");
    tap_ok(trackable(heap), "the heap is trackable");
    tap_ok(trackable(uninitialised + sizeof uninitialised / 2), "uninitialised static data is");
    tap_ok(!trackable(initialised + sizeof initialised / 2), "initialised static data is not");
    tap_ok(!trackable(&local), "the stack is not");
    tap_ok(!trackable((const void *)(uintptr_t)trackable), "code is not");
    struct mapping mapping;
    tap_ok(mapping_find(page, &mapping) == STATUS_NOT_TRACKABLE, "where nothing is mapped nothing is found");
    close(memfd);
    free(heap);
}

static void test_hugetlb(void)
{
    char *memory = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1,
                        0);
    if (memory == MAP_FAILED) {
        tap_skip("hugetlb memory is not", "no hugetlb pages here");
        return;
    }
    tap_ok(!trackable(memory), "hugetlb memory is not");
    munmap(memory, 2 << 20);
}

static void *on_thread(void *unused)
{
    char local = 0;
    (void)unused;
    return trackable(&local) ? &uninitialised : NULL;
}

static void test_thread_stack(void)
{
    pthread_t thread;
    void *answer = &thread;
    pthread_create(&thread, NULL, on_thread, NULL);
    pthread_join(thread, &answer);
    tap_ok(answer == NULL, "a thread's own stack is not");
}

static bool range_is(const char *begin, const char *end, const char *map_begin, const char *map_end)
{
    struct mapping mapping;
    return mapping_find_range((uintptr_t)begin, (uintptr_t)end, &mapping) == STATUS_OK && mapping.trackable &&
           mapping.begin == (uintptr_t)map_begin && mapping.end == (uintptr_t)map_end;
}

static void test_ranges(void)
{
    struct mapping mapping;
    char *memory = mmap(NULL, 18 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    memory += page;
    mprotect(memory, 16 * page, PROT_READ | PROT_WRITE);
    tap_ok(range_is(memory + 5 * page, memory + 6 * page, memory, memory + 16 * page),
           "a range finds its whole mapping");
    /* Different advice keeps mappings apart. */
    madvise(memory + 8 * page, 4 * page, MADV_DONTDUMP);
    tap_ok(range_is(memory + page, memory + 2 * page, memory, memory + 8 * page),
           "which ends where another kind begins");
    tap_ok(range_is(memory + 7 * page, memory + 8 * page + 1, memory, memory + 12 * page),
           "or two that adjoin");
    tap_ok(range_is(memory + 7 * page, memory + 13 * page, memory, memory + 16 * page), "or three");
    tap_ok(range_is(memory + 9 * page, memory + 12 * page, memory + 8 * page, memory + 12 * page),
           "a range that ends with a mapping needs no more");
    mprotect(memory + 9 * page, page, PROT_READ);
    tap_ok(mapping_find_range((uintptr_t)memory, (uintptr_t)(memory + 16 * page), &mapping) ==
               STATUS_NOT_TRACKABLE,
           "one page that cannot be written spoils the range");
    munmap(memory + 9 * page, page);
    tap_ok(mapping_find_range((uintptr_t)memory, (uintptr_t)(memory + 16 * page), &mapping) ==
               STATUS_NOT_TRACKABLE,
           "so does a hole");
    munmap(memory - page, 18 * page);
}

static int count_descriptors(void)
{
    int count = 0;
    for (int number = 0; number < 2048; number++)
        count += fcntl(number, F_GETFD) >= 0;
    return count;
}

static bool finds_new_memory(void)
{
    return map_and_ask(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1) &&
           !map_and_ask(PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

/* The descriptor by which the kernel is asked. */
static void test_descriptor(void)
{
    int status = 1;
    const int before = count_descriptors();
    bool good = finds_new_memory() && finds_new_memory();
    tap_ok(good && count_descriptors() == before, "questions leave no descriptor behind");
    for (int number = 3; number < 2048; number++)
        close(number);
    tap_ok(finds_new_memory() && finds_new_memory(), "closing it does no harm");
    for (int number = 512; number < 2048; number++) /* another file by its number */
        if (fcntl(number, F_GETFD) >= 0 && dup2(0, number) < 0)
            abort();
    tap_ok(finds_new_memory() && finds_new_memory(), "nor does another file under its number");
    const pid_t child = fork();
    if (child == 0)
        _exit(!(finds_new_memory() && finds_new_memory()));
    waitpid(child, &status, 0);
    tap_ok(status == 0, "a child asks for its own memory");
}

static void test_blind_spots(void)
{
    struct process_pins pins = {.process = 0};
    uint64_t pinned = process_pins_bytes(&pins);
    process_pins_close(&pins);
    tap_ok(!mapping_has_blind_spots(pinned), "this process has no blind spots beyond what is pinned");
    if (pinned > 0)
        tap_ok(mapping_has_blind_spots(pinned - 1), "a strange pin is one");
}

UNIT_TEST(test_mapping)
{
    page = (size_t)1 << page_shift();
    test_kinds();
    test_hugetlb();
    test_thread_stack();
    test_ranges();
    test_blind_spots();
    test_descriptor();
    return tap_done();
}
