/* The door of the mirror layer: what moves, what stays, what is given up. */
#include "operand_table.h"
#include "unit_test.h"

#include <dlfcn.h>

static double credit_of(void *memory, size_t bytes)
{
    struct operand operand = whole(memory, bytes, OPERAND_READ);
    return operands_residency(table, &operand, 1, NULL).credit_us;
}

static void test_resident(void)
{
    unsigned char *memory = map(4 * MIB);
    struct operand operand = whole(memory, 4 * MIB, OPERAND_READ);
    open_table(64 * MIB, 0);
    struct residency residency = operands_residency(table, &operand, 1, NULL);
    tap_ok(residency.trackable && !residency.resident && residency.bytes == 4 * MIB &&
               residency.missing_bytes == 4 * MIB && residency.credit_us == 0,
           "memory never uploaded is trackable, not resident, without credit");
    operands_credit(table, &operand, 1, 40);
    operands_credit(table, &operand, 1, 2);
    tap_ok(credit_of(memory, 4 * MIB) == 42, "host-run calls fill the account");
    tap_ok(call_read(memory, 4 * MIB) == (long)(4 * MIB), "a first call uploads everything");
    tap_ok(is_resident(memory, 4 * MIB) && is_resident(memory + MIB, MIB),
           "then all of it is resident, and any part");
    tap_ok(call_read(memory, 4 * MIB) == 0, "a second call uploads nothing");
    memory[5 * page + 17] ^= 1;
    tap_ok(call_read(memory, 4 * MIB) == (long)page, "one byte written: one page goes up");
    memory[5 * page] ^= 1;
    tap_ok(call_read(memory + 2 * MIB, MIB) == 0 && call_read(memory, 4 * MIB) == (long)page,
           "a change elsewhere waits until it is needed");
    memset(memory, 4, 3 * MIB);
    tap_ok(call_read(memory, 4 * MIB) == (long)(3 * MIB) && !is_resident(memory, 4 * MIB) &&
               credit_of(memory, 4 * MIB) == 0,
           "what is found mostly rewritten must earn residency again");
    unmap(memory, 4 * MIB);
    memory = map(4 * MIB);
    tap_ok(call_read(memory, 4 * MIB) == (long)(4 * MIB),
           "new memory, perhaps at the old address, is uploaded");
    unmap(memory, 4 * MIB);
    mirror_table_destroy(table);
}

static void test_outputs(void)
{
    unsigned char *memory = map(4 * MIB), *shadow = map(4 * MIB);
    ptrdiff_t distance = shadow - memory;
    open_table(64 * MIB, 0);
    tap_ok(call(whole(memory, 4 * MIB, OPERAND_UPDATE), distance) == (long)(4 * MIB),
           "an updated operand goes up");
    tap_ok(memcmp(memory, shadow, 4 * MIB) == 0, "and its result comes back");
    tap_ok(call_read(memory, 4 * MIB) == 0, "after which it is still valid");
    struct operand middle = operand_of(memory + 800, 900, 100, 1024, PART_FULL, OPERAND_UPDATE);
    tap_ok(call(middle, distance) == 0 && memcmp(memory, shadow, 4 * MIB) == 0,
           "a part can be updated in place");
    long again = call_read(memory, 4 * MIB);
    tap_ok(again > 0 && again <= 200 * (long)page, "of its pages those that others share go up again");
    struct operand overwrite = whole(memory, 4 * MIB, OPERAND_OVERWRITE);
    memset(memory, 9, 4 * MIB);
    tap_ok(call(overwrite, distance) == 0 && memcmp(memory, shadow, 4 * MIB) == 0,
           "what is only written does not go up");
    tap_ok(call_read(memory, 4 * MIB) == 0, "and is valid afterwards");
    unmap(memory, 4 * MIB);
    unmap(shadow, 4 * MIB);
    mirror_table_destroy(table);
}

static void test_growth(void)
{
    unsigned char *mapping = map(10 * MIB), *memory = (unsigned char *)block_ceiling((uintptr_t)mapping);
    mprotect(mapping, 10 * MIB, PROT_NONE);
    mprotect(memory, 3 * MIB, PROT_READ | PROT_WRITE);
    open_table(64 * MIB, 0);
    tap_ok(call_read(memory, 3 * MIB) == (long)(3 * MIB), "the first part of a growing mapping goes up");
    mprotect(memory + 3 * MIB, 3 * MIB, PROT_READ | PROT_WRITE);
    memory[page] ^= 1;
    tap_ok(call_read(memory, 6 * MIB) == (long)(3 * MIB + page), "grown, only what is new or written does");
    mprotect(memory + 6 * MIB, 2 * MIB, PROT_READ | PROT_WRITE);
    tap_ok(call_read(memory + 6 * MIB, 2 * MIB) == (long)(2 * MIB) && call_read(memory, 8 * MIB) == 0,
           "mirrors that adjoin are joined as they are");
    tap_ok(is_resident(memory, 8 * MIB), "and stay resident");
    unmap(mapping, 10 * MIB);
    mirror_table_destroy(table);
}

static void test_budget(void)
{
    unsigned char *one = map(4 * MIB), *other = map(4 * MIB), *large = map(16 * MIB);
    open_table(8 * MIB, 0);
    call_read(one, 4 * MIB);
    tap_ok(call_read(other, 2 * MIB) == (long)(2 * MIB), "other memory, too, goes up");
    call_read(one, 4 * MIB);
    tap_ok(call_read(large, 4 * MIB) == (long)(4 * MIB) && !is_resident(other, 2 * MIB),
           "where memory is short the one not used for longest goes");
    tap_ok(call_read(large + 8 * MIB, 4 * MIB) == (long)(4 * MIB), "even parts of the mirror in use");
    struct operand operand = whole(large, 12 * MIB, OPERAND_READ);
    struct operands_hold *hold = NULL;
    tap_ok(operands_take_hold(table, lane, NULL, &operand, 1, 0, HOLD_PROVEN,
                              &hold) == STATUS_OUT_OF_MEMORY &&
               !hold,
           "what can never fit is refused");
    set_faults(
        "cuMemCreate:1:2,cuMemCreate:2:2,cuMemCreate:3:2,cuMemCreate:4:2,cuMemCreate:5:2,cuMemCreate:6:2");
    tap_ok(call(whole(one, 4 * MIB, OPERAND_READ), 0) == -1,
           "so is everything when the device has no memory");
    set_faults("");
    tap_ok(call_read(one, 4 * MIB) == (long)(4 * MIB), "until it has");
    unmap(one, 4 * MIB);
    unmap(other, 4 * MIB);
    unmap(large, 16 * MIB);
    mirror_table_destroy(table);
}

/* A factorisation's panel; and its next one, of whose columns a page has been written each. */
static void test_panel_goes_at_once(void)
{
    enum { ROWS = 1500, LD = 2048, COLUMNS = 32 };
    const size_t bytes = (size_t)LD * COLUMNS * 8;
    unsigned char *memory = map(bytes);
    struct operand panel = operand_of(memory + 4096, ROWS, COLUMNS, LD, PART_FULL, OPERAND_READ);
    open_table(64 * MIB, 0);
    const unsigned long single = call_count("cuMemcpyHtoDAsync_v2"),
                        copies = call_count("cuMemcpy2DAsync_v2");
    bool good = call(panel, 0) >= ROWS * COLUMNS * 8;
    tap_ok(good && call_count("cuMemcpyHtoDAsync_v2") == single &&
               call_count("cuMemcpy2DAsync_v2") == copies + 1,
           "the columns of a panel go up in one copy");
    for (size_t j = 0; j < COLUMNS; j++)
        memory[4096 + j * LD * 8 + 5000] = (unsigned char)j;
    good = call(panel, 0) == COLUMNS * 4096;
    tap_ok(good && call_count("cuMemcpyHtoDAsync_v2") == single &&
               call_count("cuMemcpy2DAsync_v2") == copies + 2,
           "so does what has changed in each");
    unmap(memory, bytes);
    mirror_table_destroy(table);
}

/* Memory for a call that is cut into tiles: mirrors give some up, if there is little left, and not all. */
static void test_borrowed(void)
{
    unsigned char *memory = map(12 * MIB), *other = map(4 * MIB);
    CUdeviceptr address;
    size_t bytes;
    open_table(32 * MIB, 0);
    call_read(memory, 12 * MIB);
    call_read(other, 4 * MIB);
    bool good = operands_borrow(table, MIB, 32 * MIB, &address, &bytes) == STATUS_OK;
    tap_ok(good && bytes >= 8 * MIB && bytes <= 16 * MIB && call_read(other, 4 * MIB) == 0,
           "a tiled call takes what is free where that is enough (%zu MiB)", bytes >> 20);
    operands_return(table, address, bytes);
    good = operands_borrow(table, 24 * MIB, 28 * MIB, &address, &bytes) == STATUS_OK;
    tap_ok(good && bytes >= 24 * MIB && is_resident(other, 4 * MIB) && !is_resident(memory, 12 * MIB),
           "one that needs more takes it from what was used least");
    operands_return(table, address, bytes);
    unmap(memory, 12 * MIB);
    unmap(other, 4 * MIB);
    mirror_table_destroy(table);
}

static enum status copy_back(unsigned char *memory, enum operand_access access, const char *faults)
{
    struct operand operand = whole(memory, MIB, access);
    unsigned char *shadow = malloc(MIB);
    memcpy(shadow, memory, MIB);
    set_faults(faults);
    struct call_result result = run_call(table, lane, &operand, 1, &state, shadow - memory);
    set_faults("");
    if (result.written == STATUS_OK && memcmp(shadow, memory, MIB) != 0)
        result.written = STATUS_UNSUPPORTED;
    free(shadow);
    return result.held == STATUS_OK ? result.written : STATUS_NO_DEVICE;
}

static void test_failures(void)
{
    unsigned char *memory = map(MIB);
    open_table(64 * MIB, 0);
    call_read(memory, MIB);
    tap_ok(copy_back(memory, OPERAND_UPDATE, "COPY_BACK:1:400") == STATUS_OK,
           "a copy-back that fails is repeated");
    tap_ok(copy_back(memory, OPERAND_OVERWRITE, "COPY_BACK:1:400,COPY_BACK:2:400") == STATUS_DEVICE_ERROR,
           "failing twice, what is only written can be left to the host");
    tap_ok(call_read(memory, MIB) >= 0, "and the mirror tells the truth");
    enum status status = copy_back(memory, OPERAND_UPDATE, "COPY_BACK:1:400,COPY_BACK:2:400");
    tap_ok(status == STATUS_RESULT_LOST || status == STATUS_DEVICE_ERROR,
           "an updated operand is lost at worst");
    memset(memory, 6, MIB);
    set_faults("cuMemcpyHtoDAsync_v2:1:400");
    tap_ok(call(whole(memory, MIB, OPERAND_READ), 0) == -1, "a failed upload fails the call");
    set_faults("cuStreamSynchronize:1:400");
    tap_ok(call(whole(memory, MIB, OPERAND_READ), 0) == -1, "so does a failed wait");
    set_faults("");
    tap_ok(call_read(memory, MIB) == (long)MIB, "after which nothing is taken to have arrived");
    unmap(memory, MIB);
    mirror_table_destroy(table);
}

/* A call that finds no lane or no memory has sent nothing. */
static void test_refused(void)
{
    unsigned char *memory = map(MIB);
    struct operand operand = whole(memory, MIB, OPERAND_UPDATE);
    struct lane *others[LANE_COUNT - 1];
    struct patience none = patience_of_us(0);
    struct operands_hold *hold;
    bool good = true;
    open_table(64 * MIB, 0);
    call_read(memory, MIB);
    for (int i = 0; i < LANE_COUNT - 1; i++)
        good = lane_acquire(emulated_device, &others[i]) == STATUS_OK && good;
    tap_ok(good && operands_take_hold(table, NULL, &none, &operand, 1, 0, HOLD_PROVEN, &hold) == STATUS_BUSY,
           "a call without patience waits for no lane");
    for (int i = 0; i < LANE_COUNT - 1; i++)
        lane_release(others[i]);
    tap_ok(call_read(memory, MIB) == 0, "and what is resident stays so");
    set_faults("cuMemAlloc_v2:1:2,cuMemAlloc_v2:2:2,cuMemAlloc_v2:3:2,cuMemAlloc_v2:4:2");
    tap_ok(operands_take_hold(table, lane, NULL, &operand, 1, 48 * MIB, HOLD_PROVEN, &hold) ==
               STATUS_OUT_OF_MEMORY,
           "one without memory for its vectors is refused");
    set_faults("");
    tap_ok(call_read(memory, MIB) == 0, "and what is resident stays so");
    unmap(memory, MIB);
    mirror_table_destroy(table);
}

static void test_stateless(void)
{
    unsigned char *memory = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned char *private = map(MIB), *strange = map(16 * MIB);
    struct operand both[2] = {whole(memory, MIB, OPERAND_READ), whole(private, MIB, OPERAND_READ)};
    memset(memory, 2, MIB);
    open_table(64 * MIB, 64 * MIB);
    tap_ok(!operands_residency(table, both, 2, NULL).trackable, "shared memory is not trackable");
    struct call_result result = run_call(table, lane, both, 2, &state, 0);
    tap_ok(result.equal && result.count.bytes_up == 2 * MIB, "it is copied");
    result = run_call(table, lane, both, 2, &state, 0);
    tap_ok(result.equal && result.count.bytes_up == MIB, "at every call, and only it");
    struct operand empty[2] = {whole(private, MIB, OPERAND_READ), {.element_bytes = 8}};
    tap_ok(run_call(table, lane, empty, 2, &state, 0).equal, "an operand that is not there needs nothing");
    set_faults("cuMemHostRegister_v2:1:712");
    tap_ok(call_read(strange, 16 * MIB) == (long)(16 * MIB) &&
               call_read(strange, 16 * MIB) == (long)(16 * MIB),
           "what the program pinned is copied at every call");
    set_faults("");
    struct operand operand = whole(strange, 16 * MIB, OPERAND_READ);
    tap_ok(!operands_residency(table, &operand, 1, NULL).trackable, "and is not trackable");
    tap_ok(operands_residency(table, both + 1, 1, NULL).resident, "other memory is resident");
    munmap(memory, MIB);
    unmap(private, MIB);
    unmap(strange, 16 * MIB);
    mirror_table_destroy(table);
}

/* A record made from one memory must not arm another. */
static void test_exchanged(void)
{
    unsigned char *memory = map(MIB);
    int memfd = memfd_create("matrix", MFD_CLOEXEC);
    open_table(64 * MIB, 0);
    bool known = operands_residency(
                     table, &(struct operand){.matrix = {memory, 8, 8, 8, PART_FULL}, .element_bytes = 8}, 1,
                     NULL)
                     .trackable;
    if (memfd < 0 || ftruncate(memfd, (off_t)MIB) != 0 ||
        mmap(memory, MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memfd, 0) != (void *)memory)
        abort();
    unsigned char *alias = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    memset(memory, 1, MIB);
    bool good = known && call_read(memory, MIB) == (long)MIB;
    alias[1000] = 2; /* leaves no mark in the first mapping */
    tap_ok(good && call_read(memory, MIB) == (long)MIB, "a file mapped where memory was is copied");
    munmap(alias, MIB);
    close(memfd);
    unmap(memory, MIB);
    mirror_table_destroy(table);
}

static void test_plain(void)
{
    unsigned char *memory = map(4 * MIB);
    open_table(64 * MIB, 0);
    set_faults("cuMemGetAllocationGranularity:1:801");
    tap_ok(call_read(memory, 4 * MIB) == (long)(4 * MIB) && call_read(memory + MIB, MIB) == 0,
           "a device without virtual memory has mirrors too");
    set_faults("");
    unmap(memory, 4 * MIB);
    mirror_table_destroy(table);
}

/* How many of files with such names are kept; closes them if so told. */
static int count_descriptors(const char *name, bool closing)
{
    int count = 0;
    for (int i = DESCRIPTOR_LOWEST; i < 560; i++) {
        char path[64], target[64] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", i);
        if (readlink(path, target, sizeof target - 1) <= 0 || !strstr(target, name))
            continue;
        count++;
        if (closing)
            close(i);
    }
    return count;
}

static void test_descriptors(void)
{
    unsigned char *memory = map(MIB);
    const int others = count_descriptors("/pagemap", false); /* operand_memory.c has one of its own, for good */
    open_table(64 * MIB, 0);
    call_read(memory, MIB);
    tap_ok(count_descriptors("userfaultfd", false) == 1 && count_descriptors("/pagemap", false) == others + 1 &&
               count_descriptors("/status", false) == 1,
           "three descriptors are kept");
    mirror_table_destroy(table);
    tap_ok(count_descriptors("userfaultfd", false) == 0 && count_descriptors("/pagemap", false) == others &&
               count_descriptors("/status", false) == 0,
           "until the table goes");
    open_table(64 * MIB, 0);
    call_read(memory, MIB);
    count_descriptors("userfaultfd", true);
    count_descriptors("/pagemap", true);
    memory[0] ^= 1;
    tap_ok(call_read(memory, MIB) == (long)MIB && call_read(memory, MIB) == (long)MIB,
           "without its descriptors everything is copied");
    unmap(memory, MIB);
    mirror_table_destroy(table);
}

/* Single pages, some of them at the same distance. */
static void test_scattered_pages(void)
{
    static const size_t written[] = {1, 4, 7, 8, 10, 30, 50, 51, 53, 55, 60};
    enum { COUNT = sizeof written / sizeof *written };
    const size_t bytes = 64 * page;
    unsigned char *memory = map(bytes);
    open_table(64 * MIB, 0);
    bool good = call_read(memory, bytes) > 0;
    for (size_t i = 0; i < COUNT; i++)
        memory[written[i] * page] = (unsigned char)(100 + i);
    tap_ok(good && call_read(memory, bytes) == (long)(COUNT * page),
           "pages written here and there go up again, each to its place");
    unmap(memory, bytes);
    mirror_table_destroy(table);
}

UNIT_TEST(test_operands)
{
    page = (size_t)1 << page_shift();
    lane = emulated_lane();
    struct emulated_census before = take_census();
    test_resident();
    test_outputs();
    test_growth();
    test_budget();
    test_panel_goes_at_once();
    test_borrowed();
    test_failures();
    test_stateless();
    test_exchanged();
    test_scattered_pages();
    test_plain();
    test_descriptors();
    tap_ok(all_given_back(&before), "all device memory and all pins were given back");
    test_refused(); /* makes lanes, which stay */
    lane_release(lane);
    return tap_done();
}
