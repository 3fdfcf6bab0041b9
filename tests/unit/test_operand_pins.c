/* Pinning of operands by the mirror layer, and what the program or strangers pin. */
#include "operand_table.h"
#include "unit_test.h"

#include <dlfcn.h>

static bool has_tracking(void)
{
    unsigned char *memory = map(MIB);
    open_table(64 * MIB, 0);
    const bool has = call_read(memory, MIB) > 0 && is_resident(memory, MIB);
    unmap(memory, MIB);
    mirror_table_destroy(table);
    return has;
}

static void test_pinned(void)
{
    /* Twice as much as is used: neighbouring allocations are often one mapping. */
    const size_t bytes = 36 * MIB;
    unsigned char *memory = map(bytes), *shadow = map(bytes);
    ptrdiff_t distance = shadow - memory;
    struct operand lower = operand_of(memory + 8, 1500, 1500, 1530, PART_LOWER, OPERAND_UPDATE);
    unsigned long pins = call_count("cuMemHostRegister_v2");
    open_table(64 * MIB, 64 * MIB);
    tap_ok(call(lower, distance) > 0 && memcmp(memory, shadow, bytes) == 0, "a large triangle is updated");
    tap_ok(call_count("cuMemHostRegister_v2") == pins + 1, "its memory was pinned");
    tap_ok(call(lower, distance) == 0 && call(lower, distance) == 0 && memcmp(memory, shadow, bytes) == 0,
           "by DMA all its pages stay valid, also those it shares");
    tap_ok(call_count("cuMemHostRegister_v2") == pins + 1, "it is pinned once");
    madvise(memory + MIB, 2 * MIB, MADV_DONTNEED);
    memset(memory + MIB, 5, 2 * MIB);
    memcpy(shadow + MIB, memory + MIB, 2 * MIB);
    tap_ok(call(lower, distance) > 0 && memcmp(memory, shadow, bytes) == 0,
           "discarded and new pages go through staging both ways");
    munmap(memory + 4 * MIB, 4 * MIB);
    void *again = mmap(memory + 4 * MIB, 4 * MIB, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memset(shadow + 4 * MIB, 0, 4 * MIB);
    tap_ok(again != MAP_FAILED && call(lower, distance) > 0 && memcmp(memory, shadow, bytes) == 0,
           "new memory in the middle makes a new mirror");
    unmap(memory, bytes);
    unmap(shadow, bytes);
    mirror_table_destroy(table);
}

static void test_pinned_again(void)
{
    const size_t bytes = 16 * MIB;
    unsigned char *memory = map(bytes);
    unsigned long pins = call_count("cuMemHostRegister_v2");
    open_table(64 * MIB, 64 * MIB);
    for (int i = 0; i < 5; i++) {
        memset(memory, i, bytes);
        call_read(memory, bytes);
    }
    tap_ok(call_count("cuMemHostRegister_v2") == pins + 2, "what staging moved twice over is pinned anew");
    struct operand whole = operand_of(memory, (int64_t)bytes / 8, 1, (int64_t)bytes / 8, PART_FULL,
                                      OPERAND_READ);
    memset(memory, 9, bytes);
    call_read(memory, bytes);
    struct residency residency = operands_residency(table, &whole, 1, NULL);
    tap_ok(!residency.resident && residency.pinned_bytes == bytes,
           "what was rewritten is missing, and known to be pinned");
    call_read(memory, bytes);
    tap_ok(call_read(memory, bytes) == 0, "and stays resident");
    unmap(memory, bytes);
    mirror_table_destroy(table);
}

/* The pages of a triangle are less than half of its hull where columns are longer than it. */
static void test_triangle_pinned_again(void)
{
    enum { ORDER = 2900, LD = 4096 };
    const size_t bytes = (size_t)ORDER * LD * 8;
    unsigned char *memory = map(bytes);
    unsigned long pins = call_count("cuMemHostRegister_v2");
    struct operand lower = operand_of(memory, ORDER, ORDER, LD, PART_LOWER, OPERAND_UPDATE);
    open_table(128 * MIB, 128 * MIB);
    bool good = run_call(table, lane, &lower, 1, &state, 0).equal;
    tap_ok(good && call_count("cuMemHostRegister_v2") == pins + 1, "a triangle is pinned");
    for (size_t j = 0; j < ORDER; j++)
        memset(memory + (j * LD + j) * 8, 5, (ORDER - j) * 8);
    for (int i = 0; i < 2; i++)
        good = run_call(table, lane, &lower, 1, &state, 0).equal && good;
    tap_ok(good && call_count("cuMemHostRegister_v2") == pins + 2, "and anew once the host has rewritten it");
    unmap(memory, bytes);
    mirror_table_destroy(table);
}

/* An output to which columns are added. */
static void test_grown(void)
{
    unsigned char *memory = map(32 * MIB), *shadow = map(32 * MIB);
    open_table(64 * MIB, 64 * MIB);
    bool good = call(whole(memory, 20 * MIB, OPERAND_UPDATE), shadow - memory) > 0;
    const unsigned long pins = call_count("cuMemHostRegister_v2");
    for (size_t bytes = 21 * MIB; bytes <= 32 * MIB; bytes += MIB)
        good = good && call(whole(memory, bytes, OPERAND_UPDATE), shadow - memory) >= 0;
    const unsigned long more = call_count("cuMemHostRegister_v2") - pins;
    tap_ok(good && more > 0 && more <= 2, "a matrix that outgrows its pin is pinned anew (%lu times)", more);
    for (int i = 0; i < 12; i++)
        good = good && call(whole(memory, 32 * MIB, OPERAND_UPDATE), shadow - memory) >= 0;
    tap_ok(good && call_count("cuMemHostRegister_v2") <= pins + more + 1 &&
               memcmp(memory, shadow, 32 * MIB) == 0,
           "and not for ever");
    unmap(memory, 32 * MIB);
    unmap(shadow, 32 * MIB);
    mirror_table_destroy(table);
}

struct result {
    int64_t rows, columns;
    enum blas_part part;
};

static struct operand overwritten(void *memory, struct result result)
{
    return operand_of(memory, result.rows, result.columns, result.rows, result.part, OPERAND_OVERWRITE);
}

static size_t bytes_of(struct result result)
{
    return (size_t)(result.rows * result.columns) * 8;
}

/* Results in the same memory, the second a little larger: how many pins, and bytes staged at last. */
static bool grow(struct result first, struct result larger, int calls, unsigned long *pins, uint64_t *staged)
{
    const size_t bytes = bytes_of(larger) + page;
    unsigned char *memory = map(bytes), *shadow = map(bytes);
    bool good = true;
    open_table(128 * MIB, 128 * MIB);
    for (int i = 0; i < calls; i++)
        good = good && call(overwritten(memory, first), shadow - memory) >= 0;
    *pins = call_count("cuMemHostRegister_v2");
    for (int i = 0; i < calls; i++)
        good = good && call(overwritten(memory, larger), shadow - memory) >= 0;
    *pins = call_count("cuMemHostRegister_v2") - *pins;
    *staged = mirror_of(memory)->staged_bytes;
    good = good && call(overwritten(memory, larger), shadow - memory) >= 0 &&
           call(overwritten(memory, first), shadow - memory) >= 0;
    *staged = mirror_of(memory)->staged_bytes - *staged;
    good = good && memcmp(memory, shadow, bytes) == 0;
    unmap(memory, bytes);
    unmap(shadow, bytes);
    mirror_table_destroy(table);
    return good;
}

/* The part that sticks out of a pin comes home in pieces, with a fault for every page: not for ever. */
static void test_grown_results(void)
{
    static const struct result results[][2] = {{{1024, 128, PART_FULL}, {1024, 132, PART_FULL}},
                                               {{1024, 512, PART_FULL}, {1024, 640, PART_FULL}},
                                               {{1024, 2560, PART_FULL}, {1024, 2624, PART_FULL}},
                                               {{700, 700, PART_LOWER}, {710, 710, PART_LOWER}},
                                               {{1396, 1396, PART_LOWER}, {1409, 1409, PART_UPPER}}};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        unsigned long pins;
        uint64_t staged;
        const bool good = grow(results[i][0], results[i][1], 30, &pins, &staged);
        tap_ok(good && pins == 1 && staged == 0,
               "a %s of %zu KiB that grows to %zu is pinned anew, once (%lu), and %llu bytes are staged then",
               results[i][0].part == PART_FULL ? "result" : "triangle", bytes_of(results[i][0]) >> 10,
               bytes_of(results[i][1]) >> 10, pins, (unsigned long long)staged);
    }
}

/* Its pin stays as long as there is no room for a larger one. */
static void test_grown_without_room(void)
{
    unsigned char *other = map(19 * MIB), *memory = map(22 * MIB), *shadow = map(22 * MIB);
    open_table(128 * MIB, 40 * MIB);
    bool good = call_read(other, 19 * MIB) > 0;
    for (int i = 0; i < 5; i++)
        good = good && call(whole(memory, 20 * MIB, OPERAND_UPDATE), shadow - memory) >= 0;
    for (int i = 0; i < 30; i++)
        good = good && call(whole(memory, 21 * MIB + MIB / 2, OPERAND_UPDATE), shadow - memory) >= 0;
    const uint64_t staged = mirror_of(memory)->staged_bytes;
    good = good && call(whole(memory, 21 * MIB + MIB / 2, OPERAND_UPDATE), shadow - memory) >= 0;
    const uint64_t more = mirror_of(memory)->staged_bytes - staged;
    tap_ok(good && mirror_of(memory)->pin_count == 1 && more > 0 && more < 2 * MIB &&
               memcmp(memory, shadow, 22 * MIB) == 0,
           "a result that has no room for a larger pin keeps the old one (%llu KiB staged)",
           (unsigned long long)more >> 10);
    unmap(other, 19 * MIB);
    unmap(memory, 22 * MIB);
    unmap(shadow, 22 * MIB);
    mirror_table_destroy(table);
}

/* A program that goes on to other small results, with room for the pins of eight. */
static void test_small_without_room(void)
{
    enum { PLACES = 12, EACH = 2 };
    unsigned char *memory = map(PLACES * EACH * MIB), *shadow = map(PLACES * EACH * MIB);
    bool good = true;
    open_table(128 * MIB, 8 * MIB + MIB / 2);
    for (size_t place = 0; place < PLACES; place++)
        for (int i = 0; i < 12; i++)
            good = good &&
                   call(whole(memory + place * EACH * MIB, MIB, OPERAND_OVERWRITE), shadow - memory) >= 0;
    unsigned char *last = memory + (PLACES - 1) * EACH * MIB;
    const uint64_t staged = mirror_of(memory)->staged_bytes;
    good = good && call(whole(last, MIB, OPERAND_OVERWRITE), shadow - memory) >= 0;
    tap_ok(good && mirror_of(memory)->staged_bytes == staged && mirror_of(memory)->pin_count == 8 &&
               memcmp(memory, shadow, PLACES * EACH * MIB) == 0,
           "the oldest small pin makes room for a new one");
    unmap(memory, PLACES * EACH * MIB);
    unmap(shadow, PLACES * EACH * MIB);
    mirror_table_destroy(table);
}

/* The part that the host has rewritten is staged as well, and is no reason for a larger pin. */
static void test_grown_and_rewritten(void)
{
    const size_t bytes = 24 * MIB, rewritten = 7 * MIB;
    unsigned char *memory = map(bytes), *shadow = map(bytes);
    open_table(128 * MIB, 128 * MIB);
    bool good = call(whole(memory, 20 * MIB, OPERAND_UPDATE), shadow - memory) > 0;
    const unsigned long pins = call_count("cuMemHostRegister_v2");
    for (size_t i = 0; i < 24; i++) {
        memset(memory, (int)i, rewritten);
        memset(shadow, (int)i, rewritten);
        good = good &&
               call(whole(memory, 20 * MIB + (1 + i / 2) * 8192, OPERAND_UPDATE), shadow - memory) > 0;
    }
    const unsigned long more = call_count("cuMemHostRegister_v2") - pins;
    tap_ok(
        good && more <= 2 && memcmp(memory, shadow, bytes) == 0,
        "one that the host rewrites, and that grows by a column each time, is hardly pinned anew (%lu times)",
        more);
    unmap(memory, bytes);
    unmap(shadow, bytes);
    mirror_table_destroy(table);
}

/* Two matrices that overlap: each copy must lie in one pin, for which no other piece is to be had. */
static void test_neighbouring_pins(void)
{
    unsigned char *memory = map(50 * MIB), *shadow = map(50 * MIB);
    const unsigned long pins = call_count("cuMemHostRegister_v2");
    open_table(64 * MIB, 64 * MIB);
    bool good = call(whole(memory, 20 * MIB, OPERAND_UPDATE), shadow - memory) > 0;
    good = call(whole(memory + 10 * MIB, 40 * MIB, OPERAND_UPDATE), shadow - memory) > 0 && good;
    good = call(whole(memory + 10 * MIB, 40 * MIB, OPERAND_UPDATE), shadow - memory) == 0 && good;
    tap_ok(good && call_count("cuMemHostRegister_v2") == pins + 2 && memcmp(memory, shadow, 50 * MIB) == 0,
           "results come home where one pin ends and another begins");
    unmap(memory, 50 * MIB);
    unmap(shadow, 50 * MIB);
    mirror_table_destroy(table);
}

/* The driver refuses some pins: for want of what the next call may find again. */
static void test_refused(void)
{
    unsigned char *memory = map(16 * MIB), *other = map(16 * MIB);
    open_table(64 * MIB, 64 * MIB);
    set_faults("cuMemHostRegister_v2:1:2");
    const bool good = call_read(memory, 16 * MIB) > 0;
    set_faults("");
    unsigned long pins = call_count("cuMemHostRegister_v2");
    memset(memory, 6, 16 * MIB);
    tap_ok(good && call_read(memory, 16 * MIB) > 0 && call_count("cuMemHostRegister_v2") == pins + 1,
           "what the driver refused to pin is tried again");
    set_faults("cuMemHostRegister_v2:1:2,cuMemHostRegister_v2:2:2,cuMemHostRegister_v2:3:2,cuMemHostRegister_"
               "v2:4:2");
    pins = call_count("cuMemHostRegister_v2");
    for (int i = 0; i < 5; i++) {
        memset(other, i, 16 * MIB);
        call_read(other, 16 * MIB);
    }
    set_faults("");
    tap_ok(call_count("cuMemHostRegister_v2") == pins + 3, "three times at the most");
    unmap(memory, 16 * MIB);
    unmap(other, 16 * MIB);
    mirror_table_destroy(table);
}

static unsigned long copies_back(void)
{
    return call_count("cuMemcpy2DAsync_v2") + call_count("cuMemcpyDtoHAsync_v2");
}

/* A factorization's pattern: some rows of every column by the host, the others by the device. */
static void test_margins(void)
{
    enum { ROWS = 4000, COLUMNS = 800, LD = 4099, FEW = 40 };
    const size_t bytes = (size_t)COLUMNS * LD * 8;
    unsigned char *memory = map(bytes), *shadow = map(bytes);
    ptrdiff_t distance = shadow - memory;
    struct operand update = operand_of(memory, ROWS, COLUMNS, LD, PART_FULL, OPERAND_UPDATE);
    open_table(128 * MIB, 128 * MIB);
    bool good = call(update, distance) > 0;
    for (size_t j = 0; j < COLUMNS; j++) {
        const size_t top = j * LD * 8, bottom = (j * LD + ROWS - FEW) * 8;
        memset(memory + top, 6, FEW * 8);
        memset(shadow + top, 6, FEW * 8);
        memset(memory + bottom, 7, FEW * 8);
        memset(shadow + bottom, 7, FEW * 8);
    }
    good = call(update, distance) > 0 && good;
    unsigned long copies = copies_back();
    good = call(update, distance) >= 0 && good;
    tap_ok(good && memcmp(memory, shadow, bytes) == 0,
           "the host's rows and the results are where they belong");
    tap_ok(copies_back() - copies < 20, "columns come back in few copies, their margins beside the rest");
    mirror_table_destroy(table);
    open_table(128 * MIB, 128 * MIB);
    good = call(update, distance) > 0;
    memory[COLUMNS / 2 * LD * 8] = shadow[COLUMNS / 2 * LD * 8] = 8;
    good = call(update, distance) > 0 && memcmp(memory, shadow, bytes) == 0 && good;
    const uint64_t staged = mirror_of(memory)->staged_bytes;
    tap_ok(good && staged > 0 && staged < MIB,
           "one written column is no margin of all columns (%llu bytes staged)", (unsigned long long)staged);
    unmap(memory, bytes);
    unmap(shadow, bytes);
    mirror_table_destroy(table);
}

static void test_blind_spots(void)
{
    unsigned char *memory = map(MIB), *strange = map(MIB);
    bool (*has_dma)(void) = (bool (*)(void))emulated_symbol("emulated_has_dma");
    if (!has_dma()) {
        tap_skip("strange pins", "io_uring is not to be had here");
        return;
    }
    open_table(64 * MIB, 64 * MIB);
    call_read(memory, MIB);
    tap_ok(driver()->pin(strange, MIB, 0) == CUDA_SUCCESS, "something in the process pins memory");
    int calls = 0;
    while (calls < 100 && call_read(memory, MIB) == 0)
        calls++;
    tap_ok(calls < 70 && call_read(memory, MIB) == (long)MIB, "before long everything is copied");
    driver()->unpin(strange);
    tap_ok(call_read(memory, MIB) == (long)MIB, "for good");
    unmap(memory, MIB);
    unmap(strange, MIB);
    mirror_table_destroy(table);
}

/* A file by another name: the process's mappings show the name it was opened by. */
static bool copy_file(const char *from, const char *to)
{
    char bytes[4096];
    size_t count;
    bool good = true;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    while (in && out && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        good = fwrite(bytes, 1, count, out) == count && good;
    if (in)
        fclose(in);
    return out && fclose(out) == 0 && in && good;
}

static void test_blind_library(void)
{
    static const char library[] = "./librdmacm-of-test.so";
    unsigned char *memory = map(MIB);
    open_table(64 * MIB, 0);
    call_read(memory, MIB);
    tap_ok(call_read(memory, MIB) == 0, "memory stays on the device");
    void *handle = copy_file("tests/unit/.libs/device_code.so", library) ? dlopen(library, RTLD_NOW) : NULL;
    tap_ok(handle && call_read(memory, MIB) == (long)MIB,
           "once a library for RDMA is loaded everything is copied");
    if (handle)
        dlclose(handle);
    tap_ok(call_read(memory, MIB) == (long)MIB, "and when it has gone again, too");
    unlink(library);
    unmap(memory, MIB);
    mirror_table_destroy(table);
}

UNIT_TEST(test_operand_pins)
{
    /* On a busy machine scans may keep calls waiting until gathering pays, which pins anew as well. */
    setenv("MUBLAS_HUGE_PAGES", "0", 1);
    page = (size_t)1 << page_shift();
    lane = emulated_lane();
    struct emulated_census before = take_census();
    if (!has_tracking()) /* then nothing stays there, and nothing is pinned for it */
        tap_skip_all("host writes cannot be tracked here");
    test_pinned();
    test_pinned_again();
    test_grown();
    test_grown_results();
    test_grown_without_room();
    test_small_without_room();
    test_grown_and_rewritten();
    test_neighbouring_pins();
    test_refused();
    test_margins();
    test_blind_spots();
    test_blind_library();
    test_triangle_pinned_again();
    tap_ok(all_given_back(&before), "all device memory and all pins were given back");
    lane_release(lane);
    return tap_done();
}
