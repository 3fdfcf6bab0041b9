/* lapack_stedc.c - how long does the divide and conquer eigensolver of symmetric tridiagonal matrices take on
 * the device, and is it right?
 *
 *   bench/lapack_stedc [s|d] [dense|random|difference|wilkinson] [PERCENT%] [steps] [N...]
 *
 * For each order (512 to 16384) one line: type, matrix, n, the vectors computed (the first PERCENT of all),
 * the median and the least of some turns in seconds, that of queueing alone, INFO, and in units of n eps the
 * largest elements of T Q - Q W (over T's largest) and of Q'Q - I. Matrices: what random symmetric ones
 * become, random elements, 2 with -1 beside it, and Wilkinson's. After `steps` each order's kernels follow,
 * in one more turn that waits after each: microseconds, with the wait, of it and of cuBLAS in front of it,
 * and how many eigenvalues of the level's merges do not deflate. */
#include "gpu/kernels/stedc/stedc_arguments.h"
#include "gpu/lane.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/eigensolver/own_eigen.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>

enum { TURNS = 7, STRIP = 256 };

static struct device *device;
static struct solver_handle handle;

struct run {
    struct divide_conquer_call call;
    CUdeviceptr workspace, strip;
    double *d, *e, *w, *q; /* on the host; of the type's values */
    double seconds[TURNS], queueing[TURNS];
    int info;
};

static bool with_steps;
static typeof(((struct driver *)0)->launch_kernel) queue_kernel;

static void fail(const char *what)
{
    fprintf(stderr, "lapack_stedc: %s\n", what);
    exit(1);
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(device, bytes, &address) != STATUS_OK)
        fail("no memory on the device");
    return address;
}

static void *allocate_host(size_t count)
{
    void *memory = malloc(count * sizeof(double));
    if (!memory)
        fail("no memory");
    return memory;
}

static void wait(void)
{
    if (driver()->stream_synchronise(handle.stream) != CUDA_SUCCESS)
        fail("the device failed");
}

static const char *name_of(CUfunction function)
{
    const struct kernel_set *const set = device_kernels(device);
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (set->entries[i].function == function)
            return kernel_name((enum kernel)i);
    return "?";
}

/* Of all the level's merges. */
static int count_poles(const struct stedc_arguments *arguments)
{
    int poles = 0;
    for (int64_t node = 0; node >> arguments->level == 0; node++) {
        const int *const count = arguments->integers + STEDC_POLE_COUNT * arguments->stride +
                                 stedc_begin(arguments->n, arguments->level, node);
        int of_node = 0;
        if (driver()->copy_to_host_async(&of_node, (CUdeviceptr)(uintptr_t)count, sizeof of_node,
                                         handle.stream) != CUDA_SUCCESS)
            fail("a copy failed");
        wait();
        poles += of_node;
    }
    return poles;
}

/* In the place of the driver's, for one turn. */
static CUresult time_launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                            CUstream stream, void **parameters, void **extra)
{
    const double begin = seconds_now();
    wait();
    const double start = seconds_now();
    const CUresult result = queue_kernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                         shared_bytes, stream, parameters, extra);
    wait();
    const double end = seconds_now();
    printf("  %-18s %6u blocks of %3u  %9.1f us  after %9.1f us", name_of(function), grid_x, block_x,
           1e6 * (end - start), 1e6 * (start - begin));
    if (strstr(name_of(function), "deflate"))
        printf("  %d poles", count_poles(parameters[0]));
    printf("\n");
    return result;
}

static void solve_in_steps(const struct divide_conquer_call *call, CUdeviceptr workspace)
{
    struct driver *const table = (struct driver *)(uintptr_t)driver();
    queue_kernel = table->launch_kernel;
    table->launch_kernel = time_launch;
    if (divide_conquer_queue(&handle, call, workspace) != STATUS_OK)
        fail("it cannot be queued");
    wait();
    table->launch_kernel = queue_kernel;
}

/* Numbers of the type, in place: from double precision, or to it. */
static void narrow(enum blas_type type, double *numbers, size_t count)
{
    float *const to = (float *)numbers;
    for (size_t i = 0; i < count && type == TYPE_S; i++)
        to[i] = (float)numbers[i];
}
static void widen(enum blas_type type, double *numbers, size_t count)
{
    const float *const from = (const float *)numbers;
    for (size_t i = count; i-- > 0 && type == TYPE_S;)
        numbers[i] = (double)from[i];
}

static void upload(enum blas_type type, CUdeviceptr to, const double *numbers, size_t count)
{
    double *const copy = allocate_host(count + 1);
    memcpy(copy, numbers, count * sizeof *copy);
    narrow(type, copy, count);
    if (driver()->copy_to_device_async(to, copy, count * blas_element_bytes(type), handle.stream) !=
        CUDA_SUCCESS)
        fail("a copy failed");
    wait();
    free(copy);
}

static void download(enum blas_type type, double *numbers, CUdeviceptr from, size_t count)
{
    if (driver()->copy_to_host_async(numbers, from, count * blas_element_bytes(type), handle.stream) !=
        CUDA_SUCCESS)
        fail("a copy failed");
    wait();
    widen(type, numbers, count);
}

/* Of the normal distribution, near enough. */
static double normal(uint64_t seed, uint64_t row)
{
    double sum = 0;
    for (uint64_t column = 1; column <= 12; column++)
        sum += 0.5 * entry(seed, row, column);
    return sum;
}

static void make_matrix(struct run *run, const char *kind)
{
    const int64_t n = run->call.n;
    for (int64_t i = 0; i < n; i++) {
        double *const d = &run->d[i], *const e = &run->e[i], left = (double)(n - 1 - i);
        const uint64_t row = (uint64_t)i;
        switch (*kind) {
        case 'r': *d = entry(1, row, 0), *e = entry(2, row, 0); break;
        case 'w': *d = fabs((double)i - 0.5 * (double)(n - 1)), *e = 1; break;
        default: *d = M_SQRT2 * normal(1, row), *e = fabs(sqrt(left) + M_SQRT1_2 * normal(2, row));
        }
        if (strcmp(kind, "difference") == 0)
            *d = 2, *e = -1;
        if (run->call.type == TYPE_S)
            *d = (double)(float)*d, *e = (double)(float)*e;
    }
}

static void solve(struct run *run)
{
    const struct divide_conquer_call *const call = &run->call;
    for (int turn = -2; turn < TURNS; turn++) {
        upload(call->type, call->d, run->d, (size_t)call->n);
        const double start = seconds_now();
        if (divide_conquer_queue(&handle, call, run->workspace) != STATUS_OK)
            fail("it cannot be queued");
        const double queued = seconds_now();
        wait();
        if (turn >= 0)
            run->seconds[turn] = seconds_now() - start, run->queueing[turn] = queued - start;
    }
}

static double residual_of(const struct run *run)
{
    const int64_t n = run->call.n;
    double most = 0, norm = 0;
    for (int64_t i = 0; i < n; i++)
        norm = fmax(norm, fmax(fabs(run->d[i]), fabs(run->e[i])));
    for (int64_t j = 0; j < run->call.vectors; j++) {
        const double *const v = run->q + j * n, w = run->w[run->call.first_vector + j];
        for (int64_t i = 0; i < n; i++) {
            const double above = i > 0 ? run->e[i - 1] * v[i - 1] : 0,
                         below = i + 1 < n ? run->e[i] * v[i + 1] : 0;
            const double rest = fabs(above + (run->d[i] - w) * v[i] + below) / norm;
            most = rest <= most ? most : isnan(rest) ? INFINITY : rest;
        }
    }
    return most;
}

/* Q'Q by cuBLAS, a strip of columns at a time. */
static double skew_of(const struct run *run)
{
    static const union blas_scalar ones[] = {[TYPE_S] = {.s = 1}, [TYPE_D] = {.d = 1}}, zero;
    const struct divide_conquer_call *const call = &run->call;
    const int64_t vectors = call->vectors, element = (int64_t)blas_element_bytes(call->type);
    double *const strip = allocate_host((size_t)(vectors * STRIP)), most = 0;
    for (int64_t first = 0; first < vectors; first += STRIP) {
        const int64_t columns = vectors - first < STRIP ? vectors - first : STRIP;
        if (solver_gemm(&handle, call->type, CUBLAS_OP_T, CUBLAS_OP_N, vectors, columns, call->n,
                        &ones[call->type], (void *)(uintptr_t)call->q, call->ldq,
                        (void *)(uintptr_t)(call->q + (CUdeviceptr)(first * call->ldq * element)), call->ldq,
                        &zero, (void *)(uintptr_t)run->strip, vectors) != CUBLAS_STATUS_SUCCESS)
            fail("cuBLAS' gemm failed");
        download(call->type, strip, run->strip, (size_t)(vectors * columns));
        for (int64_t i = 0; i < vectors * columns; i++) {
            const double rest = fabs(strip[i] - (i % vectors == first + i / vectors));
            most = rest <= most ? most : isnan(rest) ? INFINITY : rest;
        }
    }
    free(strip);
    return most;
}

static void report(struct run *run, const char *kind)
{
    const struct divide_conquer_call *const call = &run->call;
    const double unit = (double)call->n * (call->type == TYPE_S ? 0x1p-24 : 0x1p-53);
    const double middle = median(run->seconds, TURNS), queueing = median(run->queueing, TURNS);
    download(call->type, run->w, call->d, (size_t)call->n);
    download(call->type, run->q, call->q, (size_t)(call->n * call->vectors));
    if (driver()->copy_to_host_async(&run->info, call->info, sizeof run->info, handle.stream) != CUDA_SUCCESS)
        fail("a copy failed");
    wait();
    printf("%cstedc,%s,%lld,%lld,%.6f,%.6f,%.6f,%d,%.3f,%.3f\n", "sd"[call->type], kind, (long long)call->n,
           (long long)call->vectors, middle, run->seconds[0], queueing, run->info,
           residual_of(run) / unit, skew_of(run) / unit);
    fflush(stdout);
}

static void measure(enum blas_type type, const char *kind, int percent, int64_t n)
{
    const size_t element = blas_element_bytes(type), count = (size_t)n;
    const int64_t vectors = n * percent / 100 > 0 ? n * percent / 100 : 1;
    struct run run = {.call = {.type = type,
                               .n = n,
                               .d = allocate(count * element),
                               .e = allocate(count * element),
                               .q = allocate(count * (size_t)vectors * element),
                               .ldq = n,
                               .vectors = vectors,
                               .info = allocate(sizeof(int))}};
    run.workspace = allocate(divide_conquer_workspace(&run.call));
    run.strip = allocate((size_t)vectors * STRIP * element);
    run.d = allocate_host(count), run.e = allocate_host(count), run.w = allocate_host(count);
    run.q = allocate_host(count * (size_t)vectors);
    make_matrix(&run, kind);
    upload(type, run.call.e, run.e, count);
    solve(&run);
    report(&run, kind);
    if (with_steps) {
        upload(type, run.call.d, run.d, count);
        solve_in_steps(&run.call, run.workspace);
    }
    const CUdeviceptr all[] = {run.call.d, run.call.e, run.call.q, run.call.info, run.workspace, run.strip};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(device, all[i]);
    free(run.d), free(run.e), free(run.w), free(run.q);
}

int main(int count, char **arguments)
{
    static const int64_t usual[] = {512, 1024, 2048, 4096, 8192, 16384};
    const struct solver_library *library;
    struct device_scope scope;
    struct lane *lane;
    enum blas_type type = TYPE_D;
    const char *kind = "dense";
    int percent = 100, given = 0;
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK ||
        solver_library_open(device, &library) != STATUS_OK || lane_create_own(device, &lane) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        fail("no device or no cuSOLVER");
    printf("routine,matrix,n,vectors,median_seconds,least_seconds,queueing_seconds,info,residual,"
           "orthogonality\n");
    for (int i = 1; i < count; i++) {
        const int number = atoi(arguments[i]);
        if (strchr(arguments[i], '%'))
            percent = number;
        else if (number > 0)
            measure(type, kind, percent, number), given++;
        else if (strcmp(arguments[i], "steps") == 0)
            with_steps = true;
        else if (strlen(arguments[i]) == 1)
            type = *arguments[i] == 's' ? TYPE_S : TYPE_D;
        else
            kind = arguments[i];
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !given; i++)
        measure(type, kind, percent, usual[i]);
    solver_handle_destroy(&handle);
    lane_destroy_own(lane);
    device_leave(device, &scope);
    return 0;
}
