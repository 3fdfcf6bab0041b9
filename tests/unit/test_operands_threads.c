/* Threads whose matrices share pages and mappings, calling and writing at once. */
#include "operand_calls.h"
#include "unit_test.h"

#include <pthread.h>
#include <sys/mman.h>

enum { THREADS = 3, STEPS = 250, ROWS = 37, BLOCK = 11, READS = 12 };
#ifdef __SANITIZE_THREAD__
enum { ROUNDS = 2 }; /* a race is seen when it could happen, not only when it does */
#else
enum { ROUNDS = 5 };
#endif

/* Each owns BLOCK columns of one matrix, and reads those of all while nobody writes. */
static double *matrix, *shadow;
static size_t bytes;
static struct mirror_table *table;
static pthread_barrier_t barrier;

struct worker {
    pthread_t thread;
    int number;
    uint64_t state;
    bool good;
};

static bool step(struct worker *worker, struct lane *lane)
{
    double *mine = matrix + worker->number * BLOCK * ROWS;
    ptrdiff_t distance = (char *)shadow - (char *)matrix;
    enum operand_access access = (enum operand_access)below(&worker->state, 3);
    struct operand operand = operand_of(mine, ROWS, BLOCK, ROWS, PART_FULL, access);
    size_t at = below(&worker->state, ROWS * BLOCK);
    mine[at] = (double)next_random(&worker->state);
    memcpy((char *)&mine[at] + distance, &mine[at], sizeof(double));
    struct call_result result = run_call(table, lane, &operand, 1, &worker->state, distance);
    return result.held == STATUS_OK && result.written == STATUS_OK && result.equal;
}

static bool read_all(struct worker *worker, struct lane *lane)
{
    struct operand operand = operand_of(matrix, ROWS, THREADS * BLOCK, ROWS, PART_FULL, OPERAND_READ);
    struct call_result result = run_call(table, lane, &operand, 1, &worker->state, 0);
    return result.held == STATUS_OK && result.written == STATUS_OK && result.equal;
}

/* As a call does that launches at once and looks beside the kernel: what it has read counts if nothing had
 * changed, and otherwise it reads again. */
static enum status read_unproven(struct lane *lane, struct operand *operand, bool *equal)
{
    struct operands_hold *hold;
    bool changed = false;
    enum status status = operands_take_hold(table, lane, NULL, operand, 1, 0, HOLD_UNPROVEN, &hold);
    if (status != STATUS_OK)
        return status;
    lane_synchronise(lane, "uploading");
    *equal = device_is_equal(operand);
    status = operands_prove(hold, &changed);
    if (status == STATUS_OK && changed) {
        lane_synchronise(lane, "uploading again");
        *equal = device_is_equal(operand);
    }
    if (status == STATUS_OK)
        status = operands_write_back(hold);
    operands_release(hold, NULL);
    return status;
}

/* Columns of one's own, whose pages are others' too, or now and then those of all, which nobody writes
 * meanwhile. */
static bool read_and_write(struct worker *worker, struct lane *lane)
{
    double *mine = matrix + worker->number * BLOCK * ROWS;
    struct operand operand = operand_of(mine, ROWS, BLOCK, ROWS, PART_FULL, OPERAND_READ);
    bool equal = false;
    if (below(&worker->state, 3) > 0) {
        size_t at = below(&worker->state, ROWS * BLOCK);
        mine[at] = (double)next_random(&worker->state);
        shadow[mine + at - matrix] = mine[at];
    }
    enum status status = read_unproven(lane, &operand, &equal);
    if (status == STATUS_NOT_TRACKABLE) { /* others share what has changed */
        struct call_result result = run_call(table, lane, &operand, 1, &worker->state, 0);
        return result.held == STATUS_OK && result.written == STATUS_OK && result.equal;
    }
    return status == STATUS_OK && equal;
}

/* New memory in a page of one's own next to the matrix: the mirror of all goes, while
 * others call or wait for it. */
static void disturb(const struct worker *worker)
{
    char *own = (char *)matrix + bytes + worker->number * 4096;
    if (mmap(own, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        (void *)own)
        abort();
}

/* New memory at the old address, while the other threads wait. */
static void renew(void)
{
    munmap(matrix, bytes);
    if (mmap(matrix, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        (void *)matrix)
        abort();
    memcpy(matrix, shadow, bytes);
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct device_scope scope;
    struct lane *lane;
    worker->good = device_enter(emulated_device, &scope) == STATUS_OK &&
                   lane_acquire(emulated_device, &lane) == STATUS_OK;
    if (!worker->good)
        abort();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < STEPS; i++) {
            worker->good = step(worker, lane) && worker->good;
            if (below(&worker->state, 8) == 0)
                disturb(worker);
        }
        for (int i = 0; i < STEPS; i++)
            worker->good = read_and_write(worker, lane) && worker->good;
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < READS; i++)
            worker->good = read_all(worker, lane) && worker->good;
        pthread_barrier_wait(&barrier);
        if (worker->number == round % THREADS)
            renew();
        pthread_barrier_wait(&barrier);
    }
    lane_release(lane);
    device_leave(emulated_device, &scope);
    return NULL;
}

static bool run(size_t budget)
{
    struct worker workers[THREADS];
    bool good = true;
    mirror_table_create(emulated_device, budget, 0, true, &table);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i, .state = (uint64_t)i + 1};
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        good = good && workers[i].good;
    }
    mirror_table_destroy(table);
    return good;
}

UNIT_TEST(test_operands_threads)
{
    struct lane *lane = emulated_lane();
    bytes = (THREADS * ROWS * BLOCK * sizeof(double) + 4095) / 4096 * 4096;
    matrix = mmap(NULL, bytes + THREADS * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    shadow = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (matrix == MAP_FAILED || shadow == MAP_FAILED)
        abort();
    lane_release(lane); /* this one was made only to wake the device */
    pthread_barrier_init(&barrier, NULL, THREADS);
    tap_ok(run((size_t)64 << 20), "threads whose matrices share pages see their own values");
    tap_ok(memcmp(matrix, shadow, bytes) == 0, "and no result is lost");
    return tap_done();
}
