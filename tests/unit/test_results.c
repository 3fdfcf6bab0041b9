/* Results that lie in private memory before they are written: of a device that another provides, fetched
 * whole, and delivered without it, their part and nothing else. */
#include "emulated_lane.h"
#include "mirror/transfer/transfer.h"
#include "unit_test.h"

#include <string.h>

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
    bool good;
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
    struct problem problem = {.matrix = {NULL, rows, columns, ld, part}, .device_ld = rows + 2, .good = true};
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

static void fetch(struct problem *problem, bool is_alone)
{
    problem->good = results_fetch(lane, &problem->matrix, problem->device, problem->device_ld, sizeof(double),
                                  is_alone) == STATUS_OK;
    for (size_t i = 0; i < problem->count; i++)
        problem->good = problem->good && ((double *)problem->matrix.pointer)[i] == (double)i + 1;
}

/* Is the part what the device had, from this number on, and the rest as it was? */
static bool comes(const struct problem *problem, double first)
{
    const struct blas_matrix *const matrix = &problem->matrix;
    bool touched = false;
    fill_host(problem);
    bool good = staging_download_part(lane, matrix, problem->device, problem->device_ld, sizeof(double),
                                      &touched) == STATUS_OK;
    for (size_t index = 0; index < problem->count; index++) {
        const int64_t i = (int64_t)index % matrix->ld, j = (int64_t)index / matrix->ld;
        const bool is_part =
            i < matrix->rows && (matrix->part == PART_FULL || (matrix->part == PART_LOWER ? i >= j : i <= j));
        const double expected = is_part ? first - (double)(i + j * problem->device_ld) : (double)index + 1;
        good = good && ((const double *)matrix->pointer)[index] == expected;
    }
    return good && touched;
}

static unsigned long copies(void)
{
    return call_count("cuMemcpyDtoHAsync_v2") + call_count("cuMemcpy2DAsync_v2");
}

static void test_one(int64_t rows, int64_t columns, int64_t ld, enum blas_part part, bool is_alone,
                     bool is_fetched)
{
    struct problem problem = make(rows, columns, ld, part);
    fill_device(&problem, -1);
    fetch(&problem, is_alone);
    fill_device(&problem, -7);
    const unsigned long before = copies();
    bool good =
        problem.good && comes(&problem, is_fetched ? -1 : -7) && comes(&problem, is_fetched ? -1 : -7);
    good = good && (copies() == before) == is_fetched;
    results_forget(lane);
    tap_ok(good && comes(&problem, -7) && lane->results.used == 0, "%lld by %lld, ld %lld, part %d, %s",
           (long long)rows, (long long)columns, (long long)ld, part,
           is_fetched ? "fetched" : "comes whole anyway");
    end(&problem);
}

static void test_two(void)
{
    struct problem one = make(300, 300, 300, PART_FULL), other = make(300, 300, 310, PART_LOWER);
    fill_device(&one, -1);
    fill_device(&other, -2);
    fetch(&one, false);
    fetch(&other, false);
    fill_device(&one, -7);
    fill_device(&other, -7);
    tap_ok(one.good && other.good && comes(&other, -2) && comes(&one, -1) && comes(&other, -2),
           "two of a call");
    results_forget(lane);
    end(&one);
    end(&other);
}

static void test_failure(void)
{
    struct problem problem = make(700, 700, 700, PART_FULL);
    set_faults("COPY_BACK:2:801");
    const enum status status =
        results_fetch(lane, &problem.matrix, problem.device, problem.device_ld, sizeof(double), true);
    set_faults(NULL);
    fill_device(&problem, -3);
    tap_ok(status != STATUS_OK && lane->results.used == 0, "a failure keeps nothing");
    results_forget(lane);
    end(&problem);
}

UNIT_TEST(test_results)
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
    test_failure();
    lane_release(lane);
    device_leave(emulated_device, &emulated_scope);
    return tap_done();
}
