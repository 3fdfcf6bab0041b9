/* Operands that results of another's device overwrite are kept in private memory, and put back, the part and nothing
 * else. */
#include "common/own_thread.h"
#include "mirror/mirror_table.h"
#include "mirror/transfer/transfer.h"
#include "operand_calls.h"
#include "unit_test.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

static struct lane *lane;

/* The emulated driver, as another's. */
static bool open_driver(struct driver *table)
{
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *address;
    if (!library)
        return false;
#define DRIVER_FUNCTION(member, symbol, parameters, way)    \
    address = dlsym(library, #symbol);                      \
    memcpy(&table->member, &address, sizeof table->member);
#include "gpu/driver.def"
#undef DRIVER_FUNCTION
    return true;
}

static bool look(void)
{
    return true;
}

static bool has_revoked(void)
{
    return false;
}

/* A matrix with numbers of its own on the host and on the device. */
struct problem {
    struct blas_matrix matrix;
    int64_t device_ld;
    CUdeviceptr device;
    size_t count, device_count; /* elements from (0, 0) to the last one */
};

static void fill_device(const struct problem *problem, double first)
{
    double *const values = malloc(problem->device_count * sizeof *values);
    for (size_t i = 0; values && i < problem->device_count; i++)
        values[i] = first - (double)i;
    if (!values || !device_poke(problem->device, values, problem->device_count * sizeof *values))
        abort();
    free(values);
}

static void fill_host(const struct problem *problem)
{
    for (size_t i = 0; i < problem->count; i++)
        ((double *)problem->matrix.pointer)[i] = (double)i + 1;
}

static struct problem make(int64_t rows, int64_t columns, int64_t ld, enum blas_part part)
{
    struct problem problem = {.matrix = {NULL, rows, columns, ld, part}, .device_ld = rows + 2};
    problem.count = (size_t)((columns - 1) * ld + rows);
    problem.device_count = (size_t)(columns * problem.device_ld);
    problem.matrix.pointer = malloc(problem.count * sizeof(double));
    if (!problem.matrix.pointer ||
        driver()->memory_allocate(&problem.device, problem.device_count * sizeof(double)) != CUDA_SUCCESS)
        abort();
    fill_host(&problem);
    return problem;
}

static void end(struct problem *problem)
{
    driver()->memory_free(problem->device);
    free(problem->matrix.pointer);
}

/* A result comes home, half of it or all, which writes elements of the part. */
static void overwrite(const struct problem *problem)
{
    const struct blas_matrix *const matrix = &problem->matrix;
    if (staging_download_part(lane, matrix, problem->device, problem->device_ld, sizeof(double), NULL) != STATUS_OK)
        abort();
}

static bool is_in_part(const struct blas_matrix *matrix, int64_t i, int64_t j)
{
    return i < matrix->rows && (matrix->part == PART_FULL || (matrix->part == PART_LOWER ? i >= j : i <= j));
}

/* Are the part's elements the host's first ones, or else the device's from -1 on, and the rest as it was? */
static bool has(const struct problem *problem, bool is_original)
{
    const struct blas_matrix *const matrix = &problem->matrix;
    bool good = true;
    for (size_t index = 0; index < problem->count; index++) {
        const int64_t i = (int64_t)index % matrix->ld, j = (int64_t)index / matrix->ld;
        const double expected = !is_original && is_in_part(matrix, i, j)
                                    ? -1 - (double)(i + j * problem->device_ld)
                                    : (double)index + 1;
        good = good && ((const double *)matrix->pointer)[index] == expected;
    }
    return good;
}

static void test_one(int64_t rows, int64_t columns, int64_t ld, enum blas_part part, bool is_alone, bool is_kept)
{
    struct problem problem = make(rows, columns, ld, part);
    fill_device(&problem, -1);
    originals_note(lane, &problem.matrix, sizeof(double), is_alone);
    originals_begin(lane);
    bool good = originals_have(lane, &problem.matrix) == is_kept;
    originals_await(lane);
    good = good && originals_have(lane, &problem.matrix) == is_kept;
    overwrite(&problem);
    good = good && has(&problem, false) && originals_restore(lane) == is_kept && has(&problem, is_kept);
    originals_forget(lane);
    good = good && !originals_have(lane, &problem.matrix) && !originals_restore(lane);
    tap_ok(good, "%lld by %lld, ld %lld, part %d, %s", (long long)rows, (long long)columns, (long long)ld, part,
           is_kept ? "kept" : "comes whole anyway");
    end(&problem);
}

static void test_two(void)
{
    struct problem one = make(300, 300, 300, PART_FULL), other = make(300, 300, 310, PART_LOWER);
    fill_device(&one, -1);
    fill_device(&other, -1);
    originals_note(lane, &one.matrix, sizeof(double), false);
    originals_note(lane, &other.matrix, sizeof(double), false);
    originals_begin(lane);
    originals_await(lane);
    overwrite(&one);
    overwrite(&other);
    const bool came = has(&one, false) && has(&other, false);
    tap_ok(came && originals_restore(lane) && has(&one, true) && has(&other, true), "two of a call");
    originals_forget(lane);
    end(&one);
    end(&other);
}

/* A handler that jumps within itself, or a call that never asks for what it began to keep. */
static void test_lost_helpers(void)
{
    struct problem problem = make(1500, 1500, 1500, PART_FULL);
    fill_device(&problem, -1);
    originals_note(lane, &problem.matrix, sizeof(double), true);
    originals_begin(lane);
    job_helpers_forget();
    originals_await(lane);
    overwrite(&problem);
    tap_ok(originals_restore(lane) && has(&problem, true), "the calling thread copies all where helpers are gone");
    originals_forget(lane);
    originals_note(lane, &problem.matrix, sizeof(double), true);
    originals_begin(lane);
    originals_forget(lane);
    tap_ok(!originals_restore(lane) && !originals_have(lane, &problem.matrix), "nothing is kept amid it");
    end(&problem);
}

enum { MATRICES = 9 };

/* More than any routine has. */
static void test_too_many(void)
{
    struct problem problems[MATRICES];
    for (int i = 0; i < MATRICES; i++) {
        problems[i] = make(20, 20, 20, PART_LOWER);
        originals_note(lane, &problems[i].matrix, sizeof(double), false);
    }
    originals_begin(lane);
    tap_ok(!originals_have(lane, &problems[0].matrix) && !originals_restore(lane), "too much is not kept in part");
    originals_forget(lane);
    for (int i = 0; i < MATRICES; i++)
        end(&problems[i]);
}

static void *keep_apart(void *argument)
{
    const struct blas_matrix *const matrix = argument;
    originals_note(lane, matrix, sizeof(double), true);
    originals_begin(lane);
    originals_await(lane);
    const bool is_kept = originals_have(lane, matrix);
    originals_forget(lane);
    return is_kept ? argument : NULL;
}

/* The program may have forbidden it since it was sent; a signal would come in a thread that it does not know of. */
static void test_unreachable(void)
{
    enum { ORDER = 1500, BYTES = ORDER * ORDER * sizeof(double) };
    void *const pages = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct blas_matrix matrix = {pages, ORDER, ORDER, ORDER, PART_FULL};
    pthread_t thread;
    void *kept = &matrix;
    if (pages != MAP_FAILED && own_thread_start(&thread, OWN_THREAD_STACK_BYTES, keep_apart, &matrix))
        pthread_join(thread, &kept);
    tap_ok(!kept, "a thread of mublas' own leaves memory alone that it may not read");
    munmap(pages, BYTES);
}

/* It was foretold, so the matrix' worth stays what it is. */
static void test_staged_result(void)
{
    enum { ORDER = 1024 };
    struct mirror_table *table;
    double *const memory = aligned_alloc(4096, ORDER * ORDER * sizeof *memory);
    uint64_t state = 1;
    if (!memory || mirror_table_create(emulated_device, 64 << 20, 0, true, &table) != STATUS_OK)
        abort();
    memset(memory, 0, ORDER * ORDER * sizeof *memory);
    struct operand operand = operand_of(memory, ORDER, ORDER, ORDER, PART_FULL, OPERAND_READ);
    operands_residency(table, &operand, 1, NULL);
    operands_credit(table, &operand, 1, 1e6);
    run_call(table, lane, &operand, 1, &state, 0);
    operands_earn(table, &operand, 1, 5000);
    operand.access = OPERAND_UPDATE;
    const double before = operands_residency(table, &operand, 1, NULL).worth_us;
    run_call(table, lane, &operand, 1, &state, 0);
    tap_ok(!mirror_table_tracks(table) || (before > 4000 && operands_residency(table, &operand, 1, NULL).worth_us == before),
           "a staged result takes nothing of the worth");
    mirror_table_destroy(table);
    free(memory);
}

UNIT_TEST(test_originals)
{
    static const struct driver_provider provider = {look, open_driver, NULL, has_revoked, NULL, NULL};
    driver_offer(&provider);
    lane = emulated_lane();
    tap_ok(driver_is_provided(), "another provides the driver");
    test_one(300, 300, 305, PART_FULL, true, false);
    test_one(300, 300, 305, PART_FULL, false, true);
    test_one(3000, 90, 3000, PART_FULL, true, true);
    for (enum blas_part part = PART_FULL; part <= PART_UPPER; part++) {
        test_one(700, 700, 701, part, true, true);
        test_one(1500, 1500, 1500, part, true, true); /* helpers */
    }
    test_one(3000, 1400, 3002, PART_FULL, true, true);
    test_two();
    test_lost_helpers();
    test_too_many();
    test_unreachable();
    test_staged_result();
    lane_release(lane);
    device_leave(emulated_device, &emulated_scope);
    return tap_done();
}
