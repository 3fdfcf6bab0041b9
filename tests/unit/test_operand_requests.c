/* Requests to the kernel by calls on resident matrices: how often, and about how much memory. */
#include "operand_table.h"

#include "common/own_thread.h"
#include "mirror/host_memory/kernel_interface.h"
#include "mirror/ledger/account.h"

#include <dlfcn.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/syscall.h>

static struct {
    unsigned scans, changes; /* requests; changes of protection beside them */
    size_t scanned;          /* bytes */
} asked;

static void count_request(unsigned long request, const void *argument)
{
    if (request == PAGEMAP_SCAN_REQUEST) {
        const struct pagemap_scan_request *scan = argument;
        asked.scans++;
        asked.scanned += scan->end - scan->start;
    }
    asked.changes += request == UFFDIO_WRITEPROTECT;
}

/* The C library's; its ioctls are counted. */
long syscall(long number, ...)
{
    static long (*next)(long, ...);
    unsigned long arguments[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) /* more than were given are garbage, as in the C library's */
        arguments[i] = va_arg(list, unsigned long);
    va_end(list);
    if (number == SYS_ioctl)
        count_request(arguments[1], (const void *)arguments[2]);
    if (!next)
        next = (long (*)(long, ...))(uintptr_t)dlsym(RTLD_NEXT, "syscall");
    return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

enum { BYTES = 160 << 10 }; /* of an operand */

/* The last of some calls with three operands of the memory, which follow each other after `distance`
 * bytes. */
static bool warm_call(unsigned char *memory, size_t distance, enum operand_access access, bool defer)
{
    struct operand operands[3];
    bool good = true, changed;
    for (int i = 0; i < 3; i++)
        operands[i] = whole(memory + (size_t)i * distance, BYTES, i < 2 ? OPERAND_READ : access);
    for (int i = 0; i < 3 && good; i++) {
        struct operands_hold *hold;
        memset(&asked, 0, sizeof asked);
        if (!defer)
            good = run_call(table, lane, operands, 3, &state, 0).equal;
        else if ((good = operands_take_hold(table, lane, NULL, operands, 3, 0, HOLD_UNPROVEN, &hold) ==
                         STATUS_OK)) {
            good = operands_prove(hold, &changed) == STATUS_OK &&
                   lane_synchronise(lane, "uploading") == STATUS_OK && device_is_equal(&operands[0]) &&
                   operands_write_back(hold) == STATUS_OK;
            operands_release(hold, NULL);
        }
    }
    return good;
}

static void test_apart(void)
{
    const size_t distance = 40 * MIB, bytes = 2 * distance + MIB;
    unsigned char *memory = map(bytes);
    open_table(256 * MIB, 0);
    bool good = warm_call(memory, distance, OPERAND_READ, false);
    tap_ok(good && asked.scans == 3 && asked.scanned <= 3 * 4 * MIB,
           "three matrices far apart in one mapping are three scans of %zu KiB", asked.scanned >> 10);
    good = warm_call(memory, distance, OPERAND_READ, true);
    tap_ok(good && asked.scans == 3 && asked.scanned <= 3 * 4 * MIB,
           "also beside the kernel (%zu KiB)", asked.scanned >> 10);
    memory[distance + 5] ^= 1;
    tap_ok(warm_call(memory, distance, OPERAND_READ, false), "what is written to the middle one is seen");
    good = warm_call(memory, distance, OPERAND_UPDATE, false);
    tap_ok(good && asked.scans == 4 && asked.changes == 1,
           "an updated one is opened and looked at again (%u, %u)", asked.scans, asked.changes);
    unmap(memory, bytes);
    mirror_table_destroy(table);
}

static void test_neighbours(void)
{
    unsigned char *memory = map(MIB);
    open_table(64 * MIB, 0);
    tap_ok(warm_call(memory, BYTES, OPERAND_READ, false) && asked.scans == 1, "neighbours are one scan");
    tap_ok(warm_call(memory, 2 * BYTES, OPERAND_READ, true) && asked.scans == 1,
           "with a little between them, too");
    unmap(memory, MIB);
    mirror_table_destroy(table);
}

/* Not on the borders of pages. */
static void test_overwritten(void)
{
    unsigned char *memory = map(MIB);
    struct operand result = whole(memory + 8, BYTES, OPERAND_OVERWRITE);
    open_table(64 * MIB, 0);
    call(whole(memory, MIB, OPERAND_READ), 0);
    memory[9 + BYTES] ^= 1;
    memset(&asked, 0, sizeof asked);
    const bool good = call(result, 0) == 0;
    tap_ok(good && asked.scans == 1, "what is only written is looked at once (%u times)", asked.scans);
    tap_ok(call_read(memory, MIB) > 0, "and with it what the host wrote beside it");
    unmap(memory, MIB);
    mirror_table_destroy(table);
}

/* The calls until a result of these bytes needs no more change of protection; -1: more than 100, or wrong. */
static int calls_to_settle(unsigned char *memory, ptrdiff_t to_shadow, size_t bytes)
{
    for (int i = 0; i < 100; i++) {
        memset(&asked, 0, sizeof asked);
        const long moved = call(whole(memory, bytes, OPERAND_UPDATE), to_shadow);
        if (moved < 0)
            return -1;
        if (asked.changes == 0)
            return i;
    }
    return -1;
}

static void test_repeated(void)
{
    unsigned char *memory = map(4 * MIB), *shadow = map(4 * MIB);
    const ptrdiff_t distance = shadow - memory;
    const unsigned long pins = call_count("cuMemHostRegister_v2");
    open_table(64 * MIB, 64 * MIB);
    const int times = (int)staged_results_until_pin(BYTES + page);
    tap_ok(calls_to_settle(memory + 8, distance, BYTES) == times &&
               call_count("cuMemHostRegister_v2") == pins + 1,
           "a result that comes home to the same pages is pinned");
    memset(&asked, 0, sizeof asked);
    tap_ok(call(whole(memory + 8, BYTES, OPERAND_UPDATE), distance) == 0 && asked.scans == 1 &&
               asked.changes == 0,
           "then a call asks once, and sends nothing up");
    memory[50000] = shadow[50000] = 77;
    tap_ok(call(whole(memory + 8, BYTES, OPERAND_UPDATE), distance) == (long)page,
           "what the host writes goes up");
    tap_ok(calls_to_settle(memory + 8 + BYTES, distance, BYTES) == times &&
               call_count("cuMemHostRegister_v2") == pins + 2,
           "its neighbour, which shares a page, is pinned with it");
    tap_ok(calls_to_settle(memory + 8, distance, 2 * BYTES) == 0, "both are one result, too");
    tap_ok(calls_to_settle(memory + 2 * MIB + 80, distance, BYTES) == -1 &&
               call_count("cuMemHostRegister_v2") == pins + 2,
           "what may share its first page with something else is not pinned");
    tap_ok(memcmp(memory, shadow, 4 * MIB) == 0, "and all of it came home");
    memset(memory, 5, 2 * BYTES + 8);
    memset(shadow, 5, 2 * BYTES + 8);
    const int again = calls_to_settle(memory + 8, distance, BYTES);
    tap_ok(again > 3 * times && again <= 4 * times && call_count("cuMemHostRegister_v2") == pins + 3,
           "rewritten, it waits longer for the next pin (%d)", again);
    unmap(memory, 4 * MIB);
    unmap(shadow, 4 * MIB);
    mirror_table_destroy(table);
}

static unsigned char variable[2 << 20];

static void test_variable(void)
{
    unsigned char *const result = variable + (-(uintptr_t)variable & (page - 1)) + 80;
    const unsigned long pins = call_count("cuMemHostRegister_v2");
    open_table(64 * MIB, 64 * MIB);
    memset(variable, 3, sizeof variable);
    tap_ok(calls_to_settle(result, 0, MIB) > 0 && call_count("cuMemHostRegister_v2") == pins + 1,
           "what is a variable is pinned wherever it begins");
    mirror_table_destroy(table);
}

/* Fewer calls than for all of the square. */
static void test_triangle(void)
{
    enum { ORDER = 600 };
    unsigned char *memory = map(4 * MIB), *shadow = map(4 * MIB);
    struct operand lower = operand_of(memory, ORDER, ORDER, ORDER, PART_LOWER, OPERAND_UPDATE);
    open_table(64 * MIB, 64 * MIB);
    int calls = 0;
    bool good = true;
    do {
        memset(&asked, 0, sizeof asked);
        good = call(lower, shadow - memory) >= 0 && good;
    } while (asked.changes > 0 && ++calls < 20);
    tap_ok(good && calls <= (int)staged_results_until_pin(ORDER * ORDER * 8) &&
               call(lower, shadow - memory) == 0 && memcmp(memory, shadow, 4 * MIB) == 0,
           "a triangle is pinned, after %d calls, and nothing goes up again", calls);
    lower = operand_of(memory + 3 * MIB, 120, 120, 120, PART_LOWER, OPERAND_UPDATE);
    const unsigned long pins = call_count("cuMemHostRegister_v2");
    for (int i = 0; i < 100 && good; i++)
        good = call(lower, shadow - memory) >= 0;
    tap_ok(good && call_count("cuMemHostRegister_v2") == pins,
           "a small one is not, since it would come in pieces");
    unmap(memory, 4 * MIB);
    unmap(shadow, 4 * MIB);
    mirror_table_destroy(table);
}

/* One after the other, more of them than there are pins of that kind. */
static void test_phases(void)
{
    enum { PHASES = MIRROR_SMALL_PINS_MAX + 3 };
    unsigned char *memory = map(PHASES * MIB), *shadow = map(PHASES * MIB);
    const unsigned long pins = call_count("cuMemHostRegister_v2");
    bool good = true;
    open_table(64 * MIB, 64 * MIB);
    for (size_t i = 0; i < PHASES; i++)
        good = calls_to_settle(memory + i * MIB, shadow - memory, MIB / 2) > 0 && good;
    tap_ok(good && call_count("cuMemHostRegister_v2") == pins + PHASES &&
               mirror_of(memory)->pin_count == MIRROR_SMALL_PINS_MAX &&
               memcmp(memory, shadow, PHASES * MIB) == 0,
           "what a program turns to later is pinned, too, in place of the first");
    unmap(memory, PHASES * MIB);
    unmap(shadow, PHASES * MIB);
    mirror_table_destroy(table);
}

/* The program writes beside a pinned result, on its last page, before each call. */
static void test_written_beside(void)
{
    unsigned char *memory = map(MIB), *shadow = map(MIB);
    open_table(64 * MIB, 64 * MIB);
    bool good = calls_to_settle(memory + 8, shadow - memory, BYTES) > 0;
    for (int i = 0; i < 5; i++) {
        memory[BYTES + 100] = shadow[BYTES + 100] = (unsigned char)(i + 1);
        memset(&asked, 0, sizeof asked);
        good = call(whole(memory + 8, BYTES, OPERAND_UPDATE), shadow - memory) >= 0 && asked.changes > 0 &&
               good;
    }
    tap_ok(good && memcmp(memory, shadow, MIB) == 0,
           "what is staged beside the program's writes goes into open pages");
    unmap(memory, MIB);
    unmap(shadow, MIB);
    mirror_table_destroy(table);
}

static void test_beside_pin(void)
{
    unsigned char *memory = map(24 * MIB);
    open_table(64 * MIB, 64 * MIB);
    bool good = call(whole(memory + 20 * MIB, 2 * MIB, OPERAND_OVERWRITE), 0) == 0;
    good = good && call_read(memory, 16 * MIB) > 0 && mirror_of(memory)->pin_count == 1;
    memset(&asked, 0, sizeof asked);
    const unsigned long before = call_count("cuMemcpyDtoHAsync_v2");
    good = call(whole(memory + 20 * MIB, 2 * MIB, OPERAND_OVERWRITE), 0) == 0 && good;
    tap_ok(good && call_count("cuMemcpyDtoHAsync_v2") == before + 1 && asked.changes > 0,
           "a result beside pinned memory is staged in one piece, into open pages");
    unmap(memory, 24 * MIB);
    mirror_table_destroy(table);
}

/* For good in this process: last. */
static void test_program_turns_to_cuda(void)
{
    unsigned char *small = map(MIB), *pinned = map(16 * MIB);
    open_table(64 * MIB, 64 * MIB);
    const bool good = call_read(pinned, 16 * MIB) > 0 && mirror_of(pinned)->pin_count == 1 &&
                      warm_call(small, BYTES, OPERAND_READ, true) && mirror_of(pinned)->pin_count == 1;
    void *user = dlopen("tests/unit/.libs/driver_user.so", RTLD_NOW | RTLD_LOCAL);
    tap_ok(good && user && warm_call(small, BYTES, OPERAND_READ, true) && mirror_of(pinned)->pin_count == 0,
           "once the program uses CUDA, calls on other matrices undo pins, too");
    unmap(small, MIB);
    unmap(pinned, 16 * MIB);
    mirror_table_destroy(table);
}

struct late_call {
    struct operand operands[2];
    struct call_result result;
};

static void *call_late(void *argument)
{
    struct late_call *late = argument;
    struct device_scope scope;
    if (device_enter(emulated_device, &scope) != STATUS_OK)
        abort();
    late->result = run_call(table, lane, late->operands, 2, &state, 0);
    device_leave(emulated_device, &scope);
    return NULL;
}

static void await_waiter(struct mirror *mirror)
{
    for (bool waits = false; !waits; pause_a_step()) {
        pthread_mutex_lock(&mirror->lock);
        waits = mirror->claims_awaited > 0;
        pthread_mutex_unlock(&mirror->lock);
    }
}

/* Blocks of small pages become huge ones while a call waits for two operands: then what it looks at comes
 * near to be one range. */
static void test_huge_meanwhile(void)
{
    unsigned char *memory = map(8 * MIB), *low = (unsigned char *)block_ceiling((uintptr_t)memory),
                  *high = low + 5 * MIB / 2;
    struct late_call late = {{whole(low, 8 * page, OPERAND_READ), whole(high, 8 * page, OPERAND_READ)}, {0}};
    pthread_t thread;
    open_table(64 * MIB, 0);
    bool good = run_call(table, lane, late.operands, 2, &state, 0).equal;
    struct mirror *mirror = mirror_of(low);
    const size_t block = mirror_block(mirror, (uintptr_t)low);
    page_bits_set(mirror->split, block, block + 2);
    high[5] ^= 1;
    good = claims_try_whole(mirror) && good && pthread_create(&thread, NULL, call_late, &late) == 0;
    await_waiter(mirror);
    page_bits_clear(mirror->split, block, block + 2);
    claims_give_whole(mirror);
    pthread_join(thread, NULL);
    tap_ok(good && late.result.held == STATUS_OK && late.result.equal && late.result.count.bytes_up == page,
           "of operands whose pages became huge meanwhile both are looked at");
    unmap(memory, 8 * MIB);
    mirror_table_destroy(table);
}

int main(void)
{
    page = (size_t)1 << page_shift();
    lane = emulated_lane();
    bool (*has_dma)(void) = (bool (*)(void))emulated_symbol("emulated_has_dma");
    unsigned char *memory = map(MIB);
    open_table(64 * MIB, 0);
    const bool tracked = call_read(memory, MIB) > 0 && is_resident(memory, MIB);
    unmap(memory, MIB);
    mirror_table_destroy(table);
    if (!tracked)
        tap_skip_all("host writes cannot be tracked here");
    test_apart();
    test_neighbours();
    test_huge_meanwhile();
    test_overwritten();
    if (has_dma()) {
        test_repeated();
        test_variable();
        test_triangle();
    } else {
        tap_skip("pinned results", "io_uring is not to be had here");
    }
    test_phases();
    test_written_beside();
    test_beside_pin();
    test_program_turns_to_cuda();
    lane_release(lane);
    return tap_done();
}
