/* The proof that is put off until the kernel runs: what it sees, and what it refuses. */
#include "operand_calls.h"
#include "common/own_thread.h"
#include "mirror/mirror_table.h"
#include "mirror/tracking/write_tracker.h"
#include "unit_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

enum { ROWS = 1024, COLUMNS = 64 }; /* columns of two pages of 4 KiB */
static const size_t bytes = (size_t)ROWS * COLUMNS * 8;

static struct mirror_table *table;
static struct lane *lane;
static uint64_t state = 1;

static unsigned char *map_at(void *where)
{
    int fixed = where ? MAP_FIXED : 0;
    unsigned char *memory = mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    memset(memory, where ? 7 : 3, bytes);
    return memory;
}

static struct operand columns(void *memory, int first, int count, enum operand_access access)
{
    return operand_of((char *)memory + (size_t)first * ROWS * 8, ROWS, count, ROWS, PART_FULL, access);
}

/* An ordinary call makes the operand resident. */
static unsigned char *resident_memory(void)
{
    unsigned char *memory = map_at(NULL);
    struct operand operand = columns(memory, 0, COLUMNS, OPERAND_READ);
    if (!run_call(table, lane, &operand, 1, &state, 0).equal)
        abort();
    return memory;
}

struct deferred {
    struct operand operand;
    struct operands_hold *hold;
    bool changed;
    struct transfer_count moved;
};

static bool begin(struct deferred *call, struct operand operand)
{
    *call = (struct deferred){.operand = operand};
    return operands_take_hold(table, lane, NULL, &call->operand, 1, 0, HOLD_UNPROVEN,
                              &call->hold) == STATUS_OK;
}

static bool device_has_it(const struct deferred *call)
{
    return lane_synchronise(lane, "uploading") == STATUS_OK && device_is_equal(&call->operand);
}

/* The proof succeeds and says whether it found changes; the device has what the host has. */
static bool proves(struct deferred *call, bool change)
{
    call->changed = !change;
    return operands_prove(call->hold, &call->changed) == STATUS_OK && call->changed == change && device_has_it(call);
}

static bool ends_well(struct deferred *call)
{
    bool good = operands_write_back(call->hold) == STATUS_OK;
    operands_release(call->hold, &call->moved);
    return good;
}

static bool ordinary_call(void *memory, long uploaded)
{
    struct operand operand = columns(memory, 0, COLUMNS, OPERAND_READ);
    struct call_result result = run_call(table, lane, &operand, 1, &state, 0);
    return result.held == STATUS_OK && result.written == STATUS_OK && result.equal &&
           (uploaded < 0 || result.count.bytes_up == (size_t)uploaded);
}

static void test_nothing_written(void)
{
    unsigned char *memory = resident_memory();
    struct deferred call;
    tap_ok(begin(&call, columns(memory, 0, COLUMNS, OPERAND_READ)), "a resident operand is held");
    tap_ok(operands_write_back(call.hold) == STATUS_NOT_TRACKABLE, "nothing may leave before the proof");
    tap_ok(proves(&call, false), "nothing was written: nothing changed");
    tap_ok(ends_well(&call) && call.moved.bytes_up == 0, "and the call ends without an upload");
    tap_ok(begin(&call, columns(memory, 0, COLUMNS, OPERAND_READ)), "the call that never is proven");
    operands_release(call.hold, &call.moved);
    memory[5] ^= 1;
    tap_ok(ordinary_call(memory, -1), "is no reason to trust anything later");
    munmap(memory, bytes);
}

static void store(unsigned char *memory)
{
    memory[3 * ROWS * 8 + 17] ^= 1;
}

static void read_into(unsigned char *memory)
{
    int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (zero < 0 || read(zero, memory + 3 * ROWS * 8 + 100, 200) != 200)
        abort();
    close(zero);
}

static void test_written(void (*write_to)(unsigned char *), const char *how)
{
    unsigned char *memory = resident_memory();
    struct operand operand = columns(memory, 0, COLUMNS, OPERAND_READ);
    struct deferred call;
    write_to(memory);
    tap_ok(begin(&call, operand) && !device_has_it(&call), "%s: the hold has not looked", how);
    tap_ok(proves(&call, true), "%s: the proof sees it and sends it", how);
    tap_ok(ends_well(&call) && call.moved.bytes_up == (size_t)1 << page_shift(), "%s: one page went up", how);
    tap_ok(begin(&call, operand) && proves(&call, false) && ends_well(&call), "%s: after which nothing has changed", how);
    tap_ok(begin(&call, operand), "%s: held again", how);
    write_to(memory);
    memory[0] ^= 1;
    tap_ok(proves(&call, true) && ends_well(&call), "%s: what is written beside the kernel is seen too", how);
    munmap(memory, bytes);
}

/* Before each of many calls: soon the hold looks first, and for some calls more; once
 * nothing is written it puts the look off again. */
static void test_written_each_time(void)
{
    unsigned char *memory = resident_memory();
    struct operand operand = columns(memory, 0, COLUMNS, OPERAND_READ);
    struct deferred call;
    int put_off = 0, first_put_off = -1;
    bool good = true;
    for (int i = 0; i < 40; i++) {
        store(memory);
        good = begin(&call, operand) && good;
        put_off += !device_has_it(&call);
        good = operands_prove(call.hold, &call.changed) == STATUS_OK && good && device_has_it(&call) && ends_well(&call);
    }
    tap_ok(good && put_off >= 3 && put_off <= 6, "of 40 calls after a store each %d ran in vain", put_off);
    for (int i = 0; i < 20; i++) {
        good = begin(&call, operand) && good;
        memory[5]++;
        /* Only where nobody had looked is there something to prove. */
        good = operands_prove(call.hold, &call.changed) == STATUS_OK && good;
        if (call.changed && first_put_off < 0)
            first_put_off = i;
        good = lane_synchronise(lane, "uploading") == STATUS_OK && good;
        good = ends_well(&call) && good;
    }
    tap_ok(good && first_put_off >= 10 && first_put_off <= 16, "after some calls looks are put off again");
    munmap(memory, bytes);
}

static void test_elsewhere(void)
{
    unsigned char *memory = resident_memory();
    struct deferred call;
    store(memory);
    tap_ok(begin(&call, columns(memory, 8, 8, OPERAND_READ)) && proves(&call, false) && ends_well(&call),
           "a page outside of the operand does not matter to it");
    /* Whether the first scan passed over that page, and the hold knows, is not said. */
    bool good = begin(&call, columns(memory, 0, 8, OPERAND_READ)) &&
                operands_prove(call.hold, &call.changed) == STATUS_OK && device_has_it(&call);
    tap_ok(ends_well(&call) && good && call.moved.bytes_up == (size_t)1 << page_shift(), "but to the operand that has it");
    munmap(memory, bytes);
}

/* Two operands in two mirrors: each is looked at. */
static void test_two(void)
{
    unsigned char *memory[2] = {resident_memory(), resident_memory()};
    for (int i = 0; i < 2; i++) {
        struct operand both[2] = {columns(memory[0], 0, 8, OPERAND_READ), columns(memory[1], 0, 8, OPERAND_READ)};
        struct operands_hold *hold;
        bool changed = false;
        store(memory[i]);
        bool good = operands_take_hold(table, lane, NULL, both, 2, 0, HOLD_UNPROVEN, &hold) == STATUS_OK &&
                    operands_prove(hold, &changed) == STATUS_OK && changed &&
                    lane_synchronise(lane, "uploading") == STATUS_OK && device_is_equal(&both[0]) &&
                    device_is_equal(&both[1]) && operands_write_back(hold) == STATUS_OK;
        operands_release(hold, NULL);
        tap_ok(good, "of two operands the %s is looked at", i ? "second" : "first");
    }
    munmap(memory[0], bytes);
    munmap(memory[1], bytes);
}

static void test_exchanged(bool beside_kernel)
{
    const char *when = beside_kernel ? "beside the kernel" : "before the call";
    unsigned char *memory = resident_memory();
    struct deferred call;
    bool good = !beside_kernel || begin(&call, columns(memory, 0, COLUMNS, OPERAND_READ));
    munmap(memory, bytes);
    map_at(memory);
    good = good && (beside_kernel || begin(&call, columns(memory, 0, COLUMNS, OPERAND_READ)));
    tap_ok(good && operands_prove(call.hold, &call.changed) == STATUS_NOT_TRACKABLE,
           "memory that changed hands %s has no proof", when);
    operands_release(call.hold, &call.moved);
    tap_ok(ordinary_call(memory, (long)bytes), "and is sent anew (%s)", when);
    munmap(memory, bytes);
}

/* Neither what is written by the call nor what has still to be sent can wait. */
static void test_not_deferred(void)
{
    static const enum operand_access accesses[] = {OPERAND_UPDATE, OPERAND_READ};
    for (int i = 0; i < 2; i++) {
        unsigned char *memory = i ? map_at(NULL) : resident_memory();
        struct deferred call;
        store(memory);
        tap_ok(begin(&call, columns(memory, 0, COLUMNS, accesses[i])) && device_has_it(&call),
               "%s is looked at when it is held", i ? "what was never sent" : "an updated operand");
        tap_ok(operands_prove(call.hold, &call.changed) == STATUS_OK && !call.changed && ends_well(&call),
               "and has nothing left to prove");
        munmap(memory, bytes);
    }
}

static void test_failed_upload(void)
{
    unsigned char *memory = resident_memory();
    struct deferred call;
    store(memory);
    tap_ok(begin(&call, columns(memory, 0, COLUMNS, OPERAND_READ)), "held before a fault");
    set_faults("cuMemcpyHtoDAsync_v2:1:400");
    tap_ok(operands_prove(call.hold, &call.changed) != STATUS_OK, "an upload that fails fails the proof");
    set_faults("");
    operands_release(call.hold, &call.moved);
    tap_ok(ordinary_call(memory, -1), "and the next call is right");
    munmap(memory, bytes);
}

struct late_call {
    struct deferred call;
    bool good;
};

static void *hold_late(void *argument)
{
    struct late_call *late = argument;
    struct device_scope scope;
    struct operand *operand = &late->call.operand;
    late->good = device_enter(emulated_device, &scope) == STATUS_OK &&
                 operands_take_hold(table, NULL, NULL, operand, 1, 0, HOLD_UNPROVEN,
                                    &late->call.hold) == STATUS_OK;
    device_leave(emulated_device, &scope);
    return NULL;
}

static void await_claims(const void *memory, int wanted)
{
    for (int count = 0; count != wanted; pause_a_step()) {
        pthread_mutex_lock(&table->space->lock);
        struct mirror *mirror = mirror_table_find(table, (uintptr_t)memory, (uintptr_t)memory + 1);
        pthread_mutex_unlock(&table->space->lock);
        pthread_mutex_lock(&mirror->lock);
        count = 0;
        for (const struct claim *claim = mirror->claims; claim; claim = claim->next)
            count++;
        pthread_mutex_unlock(&mirror->lock);
    }
}

/* One that came when all was valid waits for a lane; another finds out what the host wrote meanwhile, and a third
 * one's kernel has read the old bytes. */
static void test_shared_with_late(void)
{
    unsigned char *memory = resident_memory();
    const struct operand operand = columns(memory, 0, COLUMNS, OPERAND_READ);
    struct lane *others[LANE_COUNT - 1];
    struct deferred early, finder = {.operand = operand};
    struct late_call late = {.call = {.operand = operand}};
    pthread_t thread;
    bool good = true;
    for (int i = 0; i < LANE_COUNT - 1; i++)
        good = lane_acquire(emulated_device, &others[i]) == STATUS_OK && good;
    store(memory);
    good = begin(&early, operand) && good;
    good = operands_take_hold(table, others[0], NULL, &finder.operand, 1, 0, HOLD_UNPROVEN,
                              &finder.hold) == STATUS_OK &&
           good;
    pthread_create(&thread, NULL, hold_late, &late);
    await_claims(memory, 3);
    tap_ok(good && operands_prove(finder.hold, &finder.changed) == STATUS_NOT_TRACKABLE,
           "nobody sends again what others share");
    operands_release(finder.hold, NULL);
    for (int i = 0; i < LANE_COUNT - 1; i++)
        lane_release(others[i]);
    pthread_join(thread, NULL);
    operands_prove(early.hold, &early.changed);
    tap_ok(late.good && early.changed, "whose kernel has read the old bytes is told so");
    operands_release(early.hold, NULL);
    tap_ok(operands_prove(late.call.hold, &late.call.changed) == STATUS_OK && late.call.changed &&
               lane_synchronise(operands_lane(late.call.hold), "uploading") == STATUS_OK &&
               device_is_equal(&late.call.operand) && ends_well(&late.call),
           "and so is who came late, and sends it");
    munmap(memory, bytes);
}

UNIT_TEST(test_operands_proof)
{
    alarm(60); /* after a failure a hold may be kept that later ones wait for */
    lane = emulated_lane();
    if (mirror_table_create(emulated_device, (size_t)64 << 20, 0, true, &table) != STATUS_OK)
        abort();
    unsigned char *memory = resident_memory();
    struct operand operand = columns(memory, 0, COLUMNS, OPERAND_READ);
    if (!operands_residency(table, &operand, 1, NULL).resident)
        tap_skip_all("host writes cannot be tracked here");
    munmap(memory, bytes);
    test_nothing_written();
    test_written(store, "a store");
    test_written(read_into, "read(2)");
    test_written_each_time();
    test_elsewhere();
    test_two();
    test_exchanged(false);
    test_exchanged(true);
    test_not_deferred();
    test_failed_upload();
    test_shared_with_late();
    mirror_table_destroy(table);
    lane_release(lane);
    return tap_done();
}
