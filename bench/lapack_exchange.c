/* lapack_exchange.c - how long does the reduction to tridiagonal form of a matrix that fits into shared
 * memory take, by clusters of 16 blocks and of 8, and on all multiprocessors? Do all leave the same bits?
 *
 * bench/lapack_exchange [s|d|c|z]... [N...]
 *
 * For each type (all) and order (64 to 512) one line: microseconds a column of the whole reduction, a copy of
 * the triangle with it, and whether the bits are the same. Each number is the median of some turns. In a turn
 * the reduction is queued many times without a wait, and what its operand's copies take is subtracted. A
 * dash: the device has no such cluster for that order. Exit status 1: bits differ; 2: a bad argument. */
#include "gpu/lane.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"
#include "timing.h"

#include <stdbool.h>
#include <stdio.h>

enum { TURNS = 5, REPEATS = 20, ORDER_MOST = 4096 };
enum { CLUSTER_16, CLUSTER_8, WIDE, WAYS };
static const unsigned blocks_of[] = {16, 8, 0};

static struct device *device;
static struct solver_handle handle;
static bool bits_differ;

/* One order's operands on the device: `given`, and the results one behind the other. */
struct operands {
    struct tridiagonalisation work;
    CUdeviceptr given, results, workspace;
    size_t matrix_bytes, bytes, workspace_bytes;
};

static void fail(const char *what)
{
    fprintf(stderr, "lapack_exchange: %s\n", what);
    exit(1);
}

static void require(enum status status, const char *what)
{
    if (status != STATUS_OK)
        fail(what);
}

static void must(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS)
        fail(what);
}

static typeof(((struct driver *)0)->active_clusters) ask_clusters;
static unsigned blocks_allowed;

/* In the place of the driver's: there are no others. */
static CUresult allow_clusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    *clusters = 0;
    return config->attrs[0].value.clusterDim.x == blocks_allowed ? ask_clusters(clusters, function, config)
                                                                 : CUDA_SUCCESS;
}

/* False: this order is not reduced that way. */
static bool choose(int way, const struct operands *operands)
{
    struct chip_plan plan;
    struct driver *const table = (struct driver *)(uintptr_t)driver();
    blocks_allowed = blocks_of[way];
    table->active_clusters = ask_clusters ? allow_clusters : NULL;
    return way == WIDE ||
           chip_plan_cluster(device, operands->work.type, operands->work.n, &plan) == STATUS_OK;
}

static void copy_given(const struct operands *operands)
{
    const struct tridiagonalisation *const work = &operands->work;
    const struct device_part given = {.address = operands->given, .ld = work->n, .rows = work->n,
                                      .columns = work->n, .part = PART_FULL};
    require(matrix_part_copy(device, handle.stream, &given, work->a, work->lda, work->type), "a copy failed");
}

static double seconds_of(const struct operands *operands, bool reduces)
{
    const double start = seconds_now();
    for (int i = 0; i < REPEATS; i++) {
        copy_given(operands);
        if (reduces)
            require(tridiagonalisation_queue(&handle, &operands->work, operands->workspace,
                                             operands->workspace_bytes), "the reduction");
    }
    must(driver()->stream_synchronise(handle.stream), "the device failed");
    return (seconds_now() - start) / REPEATS;
}

/* Microseconds a column. */
static double measure_way(const struct operands *operands)
{
    double times[TURNS];
    seconds_of(operands, true);
    for (int turn = 0; turn < TURNS; turn++) {
        const double copies = seconds_of(operands, false);
        times[turn] = seconds_of(operands, true) - copies;
    }
    return 1e6 * median(times, TURNS) / (double)operands->work.n;
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    require(device_allocate(device, bytes, &address), "no memory on the device");
    return address;
}

static void fill_given(const struct operands *operands)
{
    const size_t n = (size_t)operands->work.n, parts = (size_t)blas_scalar_parts(operands->work.type);
    double *const a = malloc(operands->matrix_bytes);
    if (!a)
        fail("no memory");
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n * parts; i++) {
            const double number = entry(1, i, j);
            if (blas_is_single(operands->work.type))
                ((float *)a)[i + j * n * parts] = (float)number;
            else
                a[i + j * n * parts] = number;
        }
    must(driver()->copy_to_device_async(operands->given, a, operands->matrix_bytes, handle.stream),
         "a copy failed");
    must(driver()->stream_synchronise(handle.stream), "the device failed");
    free(a);
}

static struct operands operands_of(enum blas_type type, int64_t n)
{
    const size_t element = blas_element_bytes(type), column = device_aligned((size_t)n * element);
    struct operands operands = {.matrix_bytes = (size_t)n * (size_t)n * element};
    const size_t matrix = device_aligned(operands.matrix_bytes);
    operands.bytes = matrix + 3 * column;
    operands.given = allocate(matrix);
    operands.results = allocate(operands.bytes);
    must(driver()->memory_set_async(operands.results, 0, operands.bytes, handle.stream), "zeroing failed");
    operands.work = (struct tridiagonalisation){.type = type, .uplo = UPLO_LOWER, .n = n, .lda = n,
                                                .cluster_to = n,
                                                .a = operands.results, .d = operands.results + matrix,
                                                .e = operands.results + matrix + column,
                                                .tau = operands.results + matrix + 2 * column};
    choose(WIDE, &operands);
    require(tridiagonalisation_workspace(&handle, &operands.work, &operands.workspace_bytes),
            "there is no reduction of that order on this device");
    operands.workspace = allocate(operands.workspace_bytes);
    fill_given(&operands);
    return operands;
}

/* To be freed. */
static void *fetch_results(const struct operands *operands)
{
    void *const results = malloc(operands->bytes);
    if (!results)
        fail("no memory");
    must(driver()->copy_to_host_async(results, operands->results, operands->bytes, handle.stream),
         "a copy failed");
    must(driver()->stream_synchronise(handle.stream), "the device failed");
    return results;
}

static void measure(enum blas_type type, int64_t n)
{
    const struct operands operands = operands_of(type, n);
    void *first = NULL;
    bool same = true;
    printf("%4c %5lld", "sdcz"[type], (long long)n);
    for (int way = WAYS - 1; way >= 0; way--) {
        if (!choose(way, &operands)) {
            printf(" %12s", "-");
            continue;
        }
        printf(" %12.3f", measure_way(&operands));
        void *const results = fetch_results(&operands);
        same = same && (!first || memcmp(first, results, operands.bytes) == 0);
        if (first)
            free(results);
        else
            first = results;
    }
    printf("   %s\n", same ? "same" : "DIFFERENT");
    fflush(stdout);
    bits_differ = bits_differ || !same;
    free(first);
    device_free(device, operands.given);
    device_free(device, operands.results);
    device_free(device, operands.workspace);
}

static struct lane *open_lane(struct device_scope *scope)
{
    const struct solver_library *library;
    struct lane *lane;
    if (device_wake(&device) != STATUS_OK || device_enter(device, scope) != STATUS_OK ||
        solver_library_open(device, &library) != STATUS_OK || lane_create_own(device, &lane) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        fail("no device or no cuSOLVER");
    ask_clusters = driver()->active_clusters;
    return lane;
}

int main(int count, char **arguments)
{
    static const int64_t usual[] = {64, 128, 192, 256, 320, 384, 448, 512};
    enum { USUAL = sizeof usual / sizeof *usual };
    struct device_scope scope;
    bool types[] = {false, false, false, false}, has_types = false;
    int64_t orders[64];
    int given = 0;
    for (int i = 1; i < count; i++) {
        static const char letters[] = "sdcz";
        const char *const type = strchr(letters, *arguments[i]);
        const long long order = atoll(arguments[i]);
        if (type && *type && !arguments[i][1]) {
            types[type - letters] = has_types = true;
        } else if (order > 0 && order <= ORDER_MOST && given < 64) {
            orders[given++] = order;
        } else {
            fprintf(stderr, "lapack_exchange: '%s' is none of s, d, c, z and orders up to %d\n", arguments[i],
                    ORDER_MOST);
            return 2;
        }
    }
    struct lane *const lane = open_lane(&scope);
    printf("# microseconds a column\n%4s %5s %12s %12s %12s\n", "type", "n", "all", "cluster of 8", "of 16");
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++)
        for (int i = 0; (!has_types || types[type]) && i < (given ? given : USUAL); i++)
            measure(type, given ? orders[i] : usual[i]);
    solver_handle_destroy(&handle);
    lane_destroy_own(lane);
    device_leave(device, &scope);
    if (bits_differ)
        fail("bits differ");
    return 0;
}
