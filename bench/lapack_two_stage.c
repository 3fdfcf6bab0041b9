/* lapack_two_stage.c - how long does an eigenproblem of a real symmetric matrix take on the device in two
 * stages, in one, and by cuSOLVER's syevd: without vectors, with a tenth of them, with all?
 *
 * bench/lapack_two_stage [s|d] [none|tenth|all] [parts] [N...]
 *
 * For each order (1024 to 16384) one line: milliseconds, each the median of some turns after one that does
 * not count: of the stages one by one (band, chase, and without vectors the values), of the way back for the
 * vectors, of both stages and of one stage as routes run them, and of cuSOLVER (which makes all vectors or
 * none); how many times as fast as cuSOLVER the two stages are; the largest differences of the two-stage
 * values from the other two, in units of n eps and the largest value. A matrix of random elements, already on
 * the device; copying it is not part of a time. After `parts` a line follows with what the band's time goes
 * to, in one more turn that waits around each panel: panels, and products with all else. Exit status 1:
 * values differ by more than 10 units. */
#include "gpu/kernels/two_stage/band_arguments.h"
#include "gpu/lane.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/eigensolver/two_stage.h"
#include "timing.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { TURNS_MOST = 7, UNITS_MOST = 10 };

static struct device *device;
static struct solver_handle handle;
static bool with_parts, values_differ;
static int64_t vectors_part; /* one of so many vectors; 0: none */

/* One order's operands on the device; `given` is what each turn begins with. */
struct operands {
    enum blas_type type;
    int64_t n;
    CUdeviceptr given, a, w, e, info, kept, vectors, workspace;
    size_t workspace_bytes, host_bytes;
    void *host_workspace;
    int turns;
};

enum { TWO_STAGES, ONE_STAGE, CUSOLVER, WAYS };
static const char *const way_names[] = {"two stages", "one stage", "cuSOLVER"};

static void fail(const char *what)
{
    fprintf(stderr, "lapack_two_stage: %s\n", what);
    exit(1);
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(device, bytes, &address) != STATUS_OK)
        fail("no memory on the device");
    return address;
}

static void *allocate_host(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        fail("no memory");
    return memory;
}

static void wait(void)
{
    if (driver()->stream_synchronise(handle.stream) != CUDA_SUCCESS)
        fail("the device failed");
}

static void require(enum status status, const char *what)
{
    if (status != STATUS_OK)
        fail(what);
}

static int64_t vectors_of(int64_t n) { return vectors_part > 0 ? n / vectors_part : 0; }

static struct two_stage two_stage_of(const struct operands *operands)
{
    return (struct two_stage){.type = operands->type, .uplo = UPLO_LOWER, .n = operands->n, .a = operands->a,
                              .lda = operands->n, .w = operands->w, .e = operands->e, .kept = operands->kept,
                              .with_vectors = vectors_part > 0};
}

static struct own_eigen own_of(const struct operands *operands, enum own_eigen_way way)
{
    return (struct own_eigen){.call = {.type = operands->type, .uplo = UPLO_LOWER, .n = operands->n,
                                       .lda = operands->n, .a = operands->a, .w = operands->w,
                                       .info = operands->info, .vectors = vectors_part > 0},
                              .count = vectors_of(operands->n), .way = way};
}

static enum own_eigen_way own_way(int way)
{
    return way == TWO_STAGES ? OWN_EIGEN_TWO_STAGES : OWN_EIGEN_ONE_STAGE;
}

static enum status ask(const struct operands *operands, int way, size_t *bytes, size_t *host_bytes)
{
    const struct own_eigen own = own_of(operands, own_way(way));
    return way == CUSOLVER ? solver_eigen_workspace(&handle, &own.call, bytes, host_bytes)
                           : own_eigen_workspace(&handle, &own, bytes, host_bytes);
}

static enum status queue(const struct operands *operands, int way)
{
    const struct own_eigen own = own_of(operands, own_way(way));
    return way == CUSOLVER
               ? solver_eigen_run(&handle, &own.call, operands->workspace, operands->workspace_bytes,
                                  operands->host_workspace, operands->host_bytes)
               : own_eigen_run(&handle, &own, operands->workspace, operands->workspace_bytes,
                               operands->host_workspace, operands->host_bytes);
}

static double *random_symmetric(enum blas_type type, size_t n)
{
    double *const a = allocate_host(n * n * sizeof *a);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            const double number = entry(1, i > j ? i : j, i > j ? j : i);
            if (type == TYPE_S)
                ((float *)a)[i + j * n] = (float)number;
            else
                a[i + j * n] = number;
        }
    return a;
}

static void copy_given(const struct operands *operands)
{
    const struct device_part given = {.address = operands->given, .ld = operands->n, .rows = operands->n,
                                      .columns = operands->n, .part = PART_FULL};
    require(matrix_part_copy(device, handle.stream, &given, operands->a, operands->n, operands->type),
            "a copy failed");
    wait();
}

static struct operands operands_of(enum blas_type type, int64_t n)
{
    const size_t element = blas_element_bytes(type), bytes = (size_t)n * (size_t)n * element;
    struct operands operands = {.type = type, .n = n, .given = allocate(bytes), .a = allocate(bytes),
                                .w = allocate((size_t)n * element), .e = allocate((size_t)n * element),
                                .info = allocate(2 * sizeof(int)), .turns = n < 8192 ? TURNS_MOST : 3};
    for (int i = 0; i < WAYS; i++) {
        size_t device_bytes, host_bytes;
        require(ask(&operands, i, &device_bytes, &host_bytes), way_names[i]);
        if (device_bytes > operands.workspace_bytes)
            operands.workspace_bytes = device_bytes;
        if (host_bytes > operands.host_bytes)
            operands.host_bytes = host_bytes;
    }
    const struct two_stage work = two_stage_of(&operands);
    if (vectors_part > 0) {
        operands.kept = allocate(two_stage_kept_bytes(&work));
        operands.vectors = allocate((size_t)n * (size_t)vectors_of(n) * element);
    }
    operands.workspace = allocate(operands.workspace_bytes);
    operands.host_workspace = allocate_host(operands.host_bytes + 1);
    double *const a = random_symmetric(type, (size_t)n);
    if (driver()->copy_to_device_async(operands.given, a, bytes, handle.stream) != CUDA_SUCCESS)
        fail("a copy failed");
    wait();
    free(a);
    return operands;
}

static double *fetch_values(const struct operands *operands)
{
    const size_t n = (size_t)operands->n;
    double *const w = allocate_host(n * sizeof *w);
    float *const narrow = allocate_host(n * sizeof *narrow);
    void *const to = operands->type == TYPE_S ? (void *)narrow : w;
    if (driver()->copy_to_host_async(to, operands->w, n * blas_element_bytes(operands->type),
                                     handle.stream) != CUDA_SUCCESS)
        fail("a copy failed");
    wait();
    for (size_t i = 0; i < n && operands->type == TYPE_S; i++)
        w[i] = (double)narrow[i];
    free(narrow);
    return w;
}

/* Milliseconds; the values are to be freed. */
static double measure_way(const struct operands *operands, int way, double **w)
{
    double times[TURNS_MOST];
    for (int turn = -1; turn < operands->turns; turn++) {
        copy_given(operands);
        const double start = seconds_now();
        require(queue(operands, way), way_names[way]);
        wait();
        if (turn >= 0)
            times[turn] = 1e3 * (seconds_now() - start);
    }
    *w = fetch_values(operands);
    return median(times, (size_t)operands->turns);
}

enum { BAND, CHASE, VALUES, BACK, STAGES };

static void measure_stages(const struct operands *operands, double milliseconds[STAGES])
{
    const struct two_stage work = two_stage_of(operands);
    const struct two_stage_steps steps = two_stage_steps_of(&work, operands->workspace);
    double times[STAGES][TURNS_MOST];
    for (int turn = -1; turn < operands->turns; turn++) {
        copy_given(operands);
        double at[STAGES + 1] = {seconds_now()};
        require(band_reduction_queue(&handle, &steps.reduction, steps.scratch), "the band");
        wait();
        at[CHASE] = seconds_now();
        require(bulge_chasing_queue(&handle, &steps.chasing, steps.scratch), "bulge chasing");
        wait();
        at[VALUES] = seconds_now();
        if (vectors_part == 0)
            require(bisection_queue(&handle, &steps.bisection, steps.scratch), "bisection");
        wait();
        at[BACK] = seconds_now();
        if (vectors_part > 0)
            require(two_stage_vectors_queue(&handle, &work, operands->vectors, operands->n,
                                            vectors_of(operands->n), operands->workspace),
                    "the way back");
        wait();
        at[STAGES] = seconds_now();
        for (int stage = 0; stage < STAGES && turn >= 0; stage++)
            times[stage][turn] = 1e3 * (at[stage + 1] - at[stage]);
    }
    for (int stage = 0; stage < STAGES; stage++)
        milliseconds[stage] = median(times[stage], (size_t)operands->turns);
}

static typeof(((struct driver *)0)->launch_cooperative_kernel) queue_cooperative;
static double panel_seconds;

/* In the place of the driver's, for one turn. */
static CUresult time_cooperative(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                 CUstream stream, void **parameters)
{
    wait();
    const double start = seconds_now();
    const CUresult result = queue_cooperative(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                              shared_bytes, stream, parameters);
    wait();
    panel_seconds += seconds_now() - start;
    return result;
}

static void measure_parts(const struct operands *operands)
{
    struct driver *const table = (struct driver *)(uintptr_t)driver();
    const struct two_stage work = two_stage_of(operands);
    const struct two_stage_steps steps = two_stage_steps_of(&work, operands->workspace);
    copy_given(operands);
    queue_cooperative = table->launch_cooperative_kernel;
    table->launch_cooperative_kernel = time_cooperative;
    panel_seconds = 0;
    const double start = seconds_now();
    require(band_reduction_queue(&handle, &steps.reduction, steps.scratch), "the band");
    wait();
    const double all = seconds_now() - start;
    table->launch_cooperative_kernel = queue_cooperative;
    const int64_t panels = operands->n > BAND_WIDTH + 1 ? (operands->n - 2) / BAND_WIDTH : 0;
    printf("  %lld panels %.2f ms, %.1f us each; all else %.2f ms, %.1f TFLOP/s of 2 n^3\n",
           (long long)panels, 1e3 * panel_seconds, panels > 0 ? 1e6 * panel_seconds / (double)panels : 0,
           1e3 * (all - panel_seconds), 2e-12 * pow((double)operands->n, 3) / (all - panel_seconds));
}

static double difference_of(const struct operands *operands, const double *w, const double *reference)
{
    double most = 0, norm = 0;
    for (int64_t i = 0; i < operands->n; i++) {
        const double difference = fabs(w[i] - reference[i]);
        norm = fmax(norm, fabs(reference[i]));
        most = difference <= most ? most : isnan(difference) ? INFINITY : difference;
    }
    const double units = most / (norm * (double)operands->n * (operands->type == TYPE_S ? 0x1p-24 : 0x1p-53));
    values_differ = values_differ || !(units < UNITS_MOST);
    return units;
}

static void measure(enum blas_type type, int64_t n)
{
    const struct operands operands = operands_of(type, n);
    double stages[STAGES], times[WAYS], *w[WAYS];
    measure_stages(&operands, stages);
    for (int i = 0; i < WAYS; i++)
        times[i] = measure_way(&operands, i, &w[i]);
    printf("%4c %6lld %9.2f %9.2f %9.2f %9.2f %11.2f %10.2f %10.2f %7.2f %10.3f %10.3f\n", "sd"[type],
           (long long)n, stages[BAND], stages[CHASE], stages[VALUES], stages[BACK], times[TWO_STAGES],
           times[ONE_STAGE], times[CUSOLVER], times[CUSOLVER] / times[TWO_STAGES],
           difference_of(&operands, w[TWO_STAGES], w[ONE_STAGE]),
           difference_of(&operands, w[TWO_STAGES], w[CUSOLVER]));
    if (with_parts)
        measure_parts(&operands);
    fflush(stdout);
    const CUdeviceptr all[] = {operands.given, operands.a,    operands.w,       operands.e,
                               operands.info,  operands.kept, operands.vectors, operands.workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            device_free(device, all[i]);
    for (int i = 0; i < WAYS; i++)
        free(w[i]);
    free(operands.host_workspace);
}

int main(int count, char **arguments)
{
    static const int64_t usual[] = {1024, 2048, 4096, 8192, 16384};
    const struct solver_library *library;
    struct device_scope scope;
    struct lane *lane;
    enum blas_type type = TYPE_D;
    int given = 0;
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK ||
        solver_library_open(device, &library) != STATUS_OK || lane_create_own(device, &lane) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        fail("no device or no cuSOLVER");
    printf("type      n      band     chase    values      back  two stages  one stage   cuSOLVER  faster"
           "  -one stage  -cuSOLVER\n");
    for (int i = 1; i < count; i++) {
        const long long number = atoll(arguments[i]);
        if (number > 0)
            measure(type, number), given++;
        else if (strcmp(arguments[i], "parts") == 0)
            with_parts = true;
        else if (strcmp(arguments[i], "s") == 0 || strcmp(arguments[i], "d") == 0)
            type = *arguments[i] == 's' ? TYPE_S : TYPE_D;
        else if (strcmp(arguments[i], "none") == 0)
            vectors_part = 0;
        else if (strcmp(arguments[i], "tenth") == 0 || strcmp(arguments[i], "all") == 0)
            vectors_part = *arguments[i] == 'a' ? 1 : 10;
        else
            fail("usage: lapack_two_stage [s|d] [none|tenth|all] [parts] [N...]");
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !given; i++)
        measure(type, usual[i]);
    solver_handle_destroy(&handle);
    lane_destroy_own(lane);
    device_leave(device, &scope);
    if (values_differ)
        fail("the values differ");
    return 0;
}
