/* More threads than lanes, with matrices of one mapping: they read the same pages at once, without a look before
 * the kernel or beside matrices of their own, write next to each other, have little patience, and device memory is
 * short. */
#include "common/own_thread.h"
#include "mirror/hold.h"
#include "mirror/mirror_table.h"
#include "operand_calls.h"
#include "unit_test.h"

#include <pthread.h>
#include <sys/mman.h>

enum { THREADS = 12, ROWS = 640, COLUMNS = 96, MATRICES = 3, CALLS = 12, SHARE = COLUMNS / THREADS, RENEWED = 2,
       COMMON_COLUMNS = 40 };

static const size_t offsets[MATRICES] = {7 * 4096 + 1000, (1 << 20) + (900 << 10) + 8, 4 << 20}, bytes = 5 << 20;
static const size_t common_offset = ((size_t)4 << 20) + (600 << 10) + 24; /* written between rounds alone */
static char *memory, *shadow;
static struct mirror_table *table;
static pthread_barrier_t barrier;
#ifdef __SANITIZE_THREAD__
static int rounds = 1; /* a race is seen when it could happen, not only when it does */
#else
static int rounds = 12;
#endif

struct worker {
    pthread_t thread;
    int number;
    uint64_t state, busy, redone, calls;
    bool good;
};

static double *matrix(size_t which)
{
    return (double *)(memory + offsets[which]);
}

static void store(struct worker *worker, double *at)
{
    *at = (double)(next_random(&worker->state) >> 12);
    memcpy((char *)at + (shadow - memory), at, sizeof *at);
}

static struct operand part(struct worker *worker, size_t which, int first, int count, enum operand_access access)
{
    const int64_t skip = (int64_t)below(&worker->state, ROWS / 2), rows = 1 + (int64_t)below(&worker->state, (size_t)(ROWS - skip));
    return operand_of(matrix(which) + first * ROWS + skip, below(&worker->state, 2) ? rows : ROWS - skip, count, ROWS, PART_FULL, access);
}

static bool are_equal(const struct operand *operands, int count)
{
    bool equal = true;
    for (int i = 0; i < count; i++)
        equal = (operands[i].access == OPERAND_OVERWRITE || device_is_equal(&operands[i])) && equal;
    return equal;
}

static enum status run(struct worker *worker, struct operand *operands, int count, bool unproven)
{
    static const double patiences[] = {0, 50, 1000, 1e9, 1e9, 1e9, 1e9, 1e9};
    struct patience patience = patience_of_us(patiences[below(&worker->state, 8)]);
    struct operands_hold *hold;
    bool changed = false;
    enum status status = operands_take_hold(table, NULL, &patience, operands, count, 0,
                                            unproven ? HOLD_UNPROVEN : HOLD_PROVEN, &hold);
    if (status != STATUS_OK)
        return status;
    lane_synchronise(operands_lane(hold), "uploading");
    bool equal = are_equal(operands, count);
    if (below(&worker->state, 4) == 0)
        pause_a_step();
    status = operands_prove(hold, &changed);
    if (status == STATUS_OK && changed) {
        worker->redone++;
        lane_synchronise(operands_lane(hold), "uploading again");
        equal = are_equal(operands, count);
    }
    if (status == STATUS_OK && !equal)
        worker->good = false;
    if (status == STATUS_OK && below(&worker->state, 16) == 0)
        status = STATUS_BUSY; /* the kernel failed */
    for (int i = 0; i < count && status == STATUS_OK; i++)
        if (operands[i].access != OPERAND_READ)
            compute(&operands[i], &worker->state, shadow - memory);
    if (status == STATUS_OK)
        status = operands_write_back(hold);
    operands_release(hold, NULL);
    return status;
}

static bool host_column(void *context, const struct operand *operand, struct byte_range range)
{
    (void)operand;
    for (uintptr_t at = range.begin; at < range.end; at += 8)
        store(context, (double *)at);
    return true;
}

static void call(struct worker *worker, struct operand *operands, int count)
{
    enum status status = run(worker, operands, count, true);
    worker->calls++;
    if (status == STATUS_NOT_TRACKABLE)
        status = run(worker, operands, count, false);
    if (status == STATUS_OK)
        return;
    worker->busy++;
    if (status != STATUS_BUSY && status != STATUS_OUT_OF_MEMORY && status != STATUS_NOT_TRACKABLE)
        worker->good = false;
    for (int i = 0; i < count; i++)
        if (operands[i].access != OPERAND_READ)
            each_column(&operands[i], host_column, worker);
}

static void write_own(struct worker *worker)
{
    for (size_t i = below(&worker->state, 4); i > 0; i--)
        store(worker, matrix(below(&worker->state, MATRICES)) + worker->number * SHARE * ROWS + below(&worker->state, SHARE * ROWS));
}

static void read_any(struct worker *worker)
{
    struct operand operands[2];
    const size_t first = below(&worker->state, MATRICES), second = (first + 1) % MATRICES;
    const bool whole = below(&worker->state, 2);
    const int at = whole ? 0 : (int)below(&worker->state, COLUMNS), count = whole ? COLUMNS : 1 + (int)below(&worker->state, (size_t)(COLUMNS - at));
    operands[0] = operand_of(matrix(first) + at * ROWS, ROWS, count, ROWS, PART_FULL, OPERAND_READ);
    operands[1] = operand_of(matrix(second) + at * ROWS, ROWS, count, ROWS, PART_FULL, OPERAND_READ);
    call(worker, operands, 1 + (int)below(&worker->state, 2));
}

static void read_all(struct worker *worker, size_t which)
{
    struct operand operand = operand_of(matrix(which), ROWS, COLUMNS, ROWS, PART_FULL, OPERAND_READ);
    call(worker, &operand, 1);
}

static struct operand common(void)
{
    return operand_of((double *)(memory + common_offset), ROWS, COMMON_COLUMNS, ROWS, PART_FULL, OPERAND_READ);
}

static void write_common(struct worker *worker)
{
    for (size_t i = below(&worker->state, 4); i > 0; i--)
        store(worker, (double *)(memory + common_offset) + below(&worker->state, ROWS * COMMON_COLUMNS));
}

static void use_own(struct worker *worker)
{
    struct operand operands[3] = {[2] = common()};
    const size_t first = below(&worker->state, MATRICES), second = (first + 1) % MATRICES;
    write_own(worker);
    operands[0] = part(worker, first, worker->number * SHARE, 1 + (int)below(&worker->state, SHARE), OPERAND_READ);
    operands[1] = part(worker, second, worker->number * SHARE, 1 + (int)below(&worker->state, SHARE),
                       (enum operand_access)below(&worker->state, 3));
    const int from = (int)below(&worker->state, 2);
    call(worker, operands + from, 2 - from + (int)below(&worker->state, 2));
}

static void renew(void)
{
    if (mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != (void *)memory)
        abort();
    memcpy(memory, shadow, bytes);
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct device_scope scope;
    if (device_enter(emulated_device, &scope) != STATUS_OK)
        abort();
    for (int round = 0; round < rounds; round++) {
        pthread_barrier_wait(&barrier);
        for (size_t i = 0; i < MATRICES; i++)
            read_all(worker, i);
        pthread_barrier_wait(&barrier);
        if (below(&worker->state, 4) == 0)
            write_own(worker);
        if (worker->number == 0 && below(&worker->state, 4) == 0)
            write_common(worker);
        pthread_barrier_wait(&barrier);
        for (size_t i = 0; i < MATRICES; i++)
            read_all(worker, i);
        for (int i = 0; i < CALLS; i++)
            read_any(worker);
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < CALLS; i++) {
            use_own(worker);
            if (below(&worker->state, 40) == 0)
                mirror_table_evict(table);
            if (below(&worker->state, 40) == 0)
                mirror_table_sweep(table);
        }
        pthread_barrier_wait(&barrier);
        if (worker->number == 0 && round % 8 == RENEWED)
            renew();
    }
    device_leave(emulated_device, &scope);
    return NULL;
}

/* Takes it without patience. NULL: it is not to be had. */
static struct operands_hold *take(struct operand *operands, int count)
{
    struct patience none = patience_of_us(0);
    struct operands_hold *hold;
    const enum status status = operands_take_hold(table, NULL, &none, operands, count, 0, HOLD_UNPROVEN, &hold);
    return status == STATUS_OK ? hold : NULL;
}

static bool finish(struct operands_hold *hold)
{
    bool changed;
    const bool good = hold && operands_prove(hold, &changed) == STATUS_OK &&
                      lane_synchronise(operands_lane(hold), "uploading") == STATUS_OK &&
                      operands_write_back(hold) == STATUS_OK;
    if (hold)
        operands_release(hold, NULL);
    return good;
}

/* A matrix that two calls read, each of which writes another one. */
static void test_beside_own(void)
{
    struct worker worker = {.state = 1};
    struct device_scope scope;
    mirror_table_create(emulated_device, (size_t)64 << 20, 0, true, &table);
    struct operand one[2] = {common(), operand_of(matrix(0), ROWS, SHARE, ROWS, PART_FULL, OPERAND_UPDATE)},
                   other[2] = {common(), operand_of(matrix(1), ROWS, SHARE, ROWS, PART_FULL, OPERAND_UPDATE)},
                   same[2] = {common(), one[1]};
    device_enter(emulated_device, &scope);
    /* A write within a block tells that the block lies on small pages, which are claimed each for itself. */
    for (int i = 0; i < 2; i++) {
        write_own(&worker);
        for (int k = 0; k < MATRICES; k++)
            store(&worker, matrix((size_t)k) + ROWS * COLUMNS / 2);
        tap_ok(finish(take(one, 2)) && finish(take(other, 2)), "first calls send what they read");
    }
    struct operands_hold *const first = take(one, 2), *const second = take(other, 2);
    tap_ok(first && second && !take(same, 2), "two that read it hold it at once, not what another one writes");
    write_common(&(struct worker){.state = 5});
    tap_ok(!take(other, 2), "what the host has written is for nobody while it is held");
    tap_ok(finish(second) && finish(first), "both end well");
    struct operands_hold *const third = take(other, 2);
    tap_ok(third && lane_synchronise(operands_lane(third), "uploading") == STATUS_OK && are_equal(other, 2),
           "and then it goes up again");
    finish(third);
    store(&worker, (double *)(memory + common_offset));
    tap_ok(finish(take(one, 2)) && device_is_equal(&one[0]), "likewise for who comes alone");
    device_leave(emulated_device, &scope);
    mirror_table_destroy(table);
    memcpy(shadow, memory, bytes);
}

/* So many looks at what the host has written took the call's hold. */
static unsigned long looks_of(struct operand *operands, int count)
{
    const struct mirror *const mirror = table->space->mirrors[0];
    const unsigned long before = mirror->scans;
    struct operands_hold *const hold = take(operands, count);
    const unsigned long looks = mirror->scans - before;
    tap_ok(finish(hold) && device_is_equal(&operands[0]), "a call alone ends well");
    return looks;
}

/* Nobody else is there to share with, so nothing costs more than it did. */
static void test_alone(void)
{
    struct worker worker = {.state = 3};
    struct device_scope scope;
    struct operand left = operand_of(matrix(0), ROWS, COLUMNS / 2, ROWS, PART_FULL, OPERAND_READ), right = left, both = left,
                   two[2] = {common(), operand_of(matrix(1), ROWS, COLUMNS, ROWS, PART_FULL, OPERAND_OVERWRITE)};
    right.matrix.pointer = matrix(0) + ROWS * COLUMNS / 2;
    both.matrix.columns = COLUMNS;
    mirror_table_create(emulated_device, (size_t)64 << 20, 0, true, &table);
    device_enter(emulated_device, &scope);
    finish(take(&left, 1));
    looks_of(&right, 1);
    looks_of(&both, 1);
    tap_ok(looks_of(&both, 1) == 0, "a matrix that came in parts is launched at once, known to be there");
    looks_of(two, 1);
    finish(take(two, 2));
    for (int i = 0; i < 3; i++) {
        store(&worker, (double *)(memory + common_offset) + ROWS * i);
        tap_ok(looks_of(two, 2) == 1, "what the host has written is found by one look");
    }
    struct mirror *const mirror = table->space->mirrors[0];
    const struct byte_range hull = operand_memory_hull(&both);
    const struct held_operand held = {.operand = both, .mirror = mirror, .hull = hull,
                                      .copy = mirror_table_copy(table, mirror),
                                      .pages = mirror_page_range(mirror, hull.begin, hull.end)};
    tap_ok(hold_is_valid(&held), "it is valid");
    struct operand written = both;
    written.access = OPERAND_UPDATE;
    struct operands_hold *const writer = take(&written, 1);
    tap_ok(writer && !hold_is_valid(&held), "not while a call computes its new content");
    tap_ok(finish(writer), "which ends well");
    mirror_table_evict(table);
    tap_ok(!hold_is_valid(&held), "and not after its eviction, which a call may meet before it claims anything");
    device_leave(emulated_device, &scope);
    mirror_table_destroy(table);
    memcpy(shadow, memory, bytes);
}

static bool run_all(size_t budget, size_t pin_budget, uint64_t seed)
{
    struct worker workers[THREADS];
    bool good = true;
    uint64_t busy = 0, redone = 0, calls = 0;
    mirror_table_create(emulated_device, budget, pin_budget, true, &table);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i, .state = seed * 1000 + (uint64_t)i + 1, .good = true};
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        good = good && workers[i].good;
        busy += workers[i].busy;
        redone += workers[i].redone;
        calls += workers[i].calls;
    }
    printf("# seed %llu: %llu calls, %llu on the host, %llu sent again\n", (unsigned long long)seed,
             (unsigned long long)calls, (unsigned long long)busy, (unsigned long long)redone);
    bool nothing_left = true;
    for (size_t i = 0; i < table->space->count; i++)
        nothing_left = nothing_left && !table->space->mirrors[i]->claims && table->space->mirrors[i]->references == 1 && table->space->mirrors[i]->claims_awaited == 0;
    tap_ok(nothing_left, "no claim and no reference is left");
    mirror_table_destroy(table);
    return good && memcmp(memory, shadow, bytes) == 0;
}

UNIT_TEST(test_operands_shared)
{
    struct lane *lane = emulated_lane();
    const uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    rounds = count > 2 ? atoi(arguments[2]) : rounds;
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    shadow = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || shadow == MAP_FAILED)
        abort();
    lane_release(lane); /* made only to wake the device */
    pthread_barrier_init(&barrier, NULL, THREADS);
    test_beside_own();
    test_alone();
    tap_ok(run_all((size_t)64 << 20, 0, seed), "threads that share pages see what the host wrote");
    tap_ok(run_all((size_t)4 << 20, 0, seed + 1), "also where device memory is short");
    tap_ok(run_all((size_t)64 << 20, (size_t)64 << 20, seed + 2), "and with pins");
    return tap_done();
}
