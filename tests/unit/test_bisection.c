/* Bisection beside LAPACK's dsterf, with all numbers of threads for a value: hard tridiagonal matrices,
 * scales, NaN. */
#include "emulated_lane.h"
#include "gpu/kernels/two_stage/stebz_arguments.h"
#include "lapack/eigensolver/own_eigen.h"
#include "real_matrices.h"
#include "unit_test.h"

enum { ORDER_MOST = 2050, OTHER_ORDER = 2049 /* the least of fewer threads for a value */ };
static const double BOUND = 2; /* in units of n eps, or of 4 eps where n is less than 4 */

static struct lane *lane;
static struct solver_handle handle;

struct matrix {
    enum blas_type type;
    int n;
    double d[ORDER_MOST], e[ORDER_MOST], w[ORDER_MOST];
};

static uint64_t random_state = 7;

static void make_random(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = random_number(&random_state), e[i] = random_number(&random_state);
}
static void make_zero(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = e[i] = 0;
}
static void make_diagonal(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = random_number(&random_state), e[i] = 0;
}
static void make_difference(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = 2, e[i] = -1;
}
static void make_wilkinson(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = fabs(i - 0.5 * (n - 1)), e[i] = 1;
}
static void make_glued(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = fabs(i % 21 - 10.0), e[i] = i % 21 == 20 ? 1e-11 : 1;
}
static void make_clement(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = 0, e[i] = sqrt((i + 1.0) * (n - 1 - i));
}
static void make_graded(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = pow(10, -30.0 * i / n), e[i] = 0.3 * pow(10, -30.0 * (i + 0.5) / n);
}
/* The second of two equal blocks is not connected with the first. */
static void make_blocks(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = i % ((n + 1) / 2), e[i] = i == (n - 1) / 2 ? 0 : 0.5;
}

static const struct kind {
    const char *name;
    void (*make)(int n, double *d, double *e);
} kinds[] = {{"random", make_random},         {"zero", make_zero},           {"diagonal", make_diagonal},
             {"difference", make_difference}, {"Wilkinson", make_wilkinson}, {"glued Wilkinson", make_glued},
             {"Clement", make_clement},       {"graded", make_graded},       {"two blocks", make_blocks}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void make(struct matrix *matrix, enum blas_type type, int n, const struct kind *kind, double scale)
{
    matrix->type = type;
    matrix->n = n;
    kind->make(n, matrix->d, matrix->e);
    for (int i = 0; i < n; i++) {
        matrix->d[i] *= scale, matrix->e[i] *= scale;
        if (type == TYPE_S)
            matrix->d[i] = (double)(float)matrix->d[i], matrix->e[i] = (double)(float)matrix->e[i];
    }
}

static CUdeviceptr send(enum blas_type type, const double *numbers, int count)
{
    CUdeviceptr address = 0;
    float *const narrow = malloc((size_t)count * sizeof *narrow + 1);
    const size_t bytes = (size_t)count * blas_element_bytes(type);
    for (int i = 0; i < count; i++)
        narrow[i] = (float)numbers[i];
    if (device_allocate(emulated_device, bytes + 1, &address) != STATUS_OK)
        exit(1);
    device_poke(address, type == TYPE_S ? (const void *)narrow : numbers, bytes);
    free(narrow);
    return address;
}

/* Queues the kernels themselves, with so many threads for a value; 0: as it is queued. */
static enum status queue(const struct bisection *work, CUdeviceptr workspace, int lanes)
{
    if (lanes == 0)
        return bisection_queue(&handle, work, workspace);
    const bool single = work->type == TYPE_S;
    const size_t element = blas_element_bytes(work->type);
    struct stebz_arguments arguments = {.d = (void *)(uintptr_t)work->d,
                                        .e = (void *)(uintptr_t)work->e,
                                        .w = (void *)(uintptr_t)work->w,
                                        .rows = (void *)(uintptr_t)workspace,
                                        .bounds =
                                            (void *)(uintptr_t)(workspace + 2 * (size_t)work->n * element),
                                        .n = work->n,
                                        .lanes = lanes,
                                        .passes = (int)ceil((single ? 27 : 56) / log2(lanes + 1))};
    const enum status status =
        device_launch(emulated_device, lane->stream, single ? KERNEL_sstebz_bounds : KERNEL_dstebz_bounds, 1,
                      STEBZ_BOUNDS_THREADS, STEBZ_BOUNDS_THREADS / 32 * element, &arguments);
    return status != STATUS_OK
               ? status
               : device_launch(emulated_device, lane->stream,
                               single ? KERNEL_sstebz_values : KERNEL_dstebz_values,
                               (unsigned)((work->n * lanes + STEBZ_THREADS - 1) / STEBZ_THREADS),
                               STEBZ_THREADS, 2 * STEBZ_TILE * element, &arguments);
}

/* Values come into the diagonal's place, or beside it. */
static bool solve(struct matrix *matrix, int lanes, bool in_place)
{
    const int n = matrix->n;
    float narrow[ORDER_MOST];
    const CUdeviceptr d = send(matrix->type, matrix->d, n), e = send(matrix->type, matrix->e, n - 1),
                      beside = send(matrix->type, matrix->d, n);
    const struct bisection work = {.type = matrix->type, .n = n, .d = d, .e = e, .w = in_place ? d : beside};
    CUdeviceptr workspace = 0;
    if (device_allocate(emulated_device, bisection_workspace(&work), &workspace) != STATUS_OK)
        exit(1);
    const bool good =
        queue(&work, workspace, lanes) == STATUS_OK && lane_synchronise(lane, "testing") == STATUS_OK;
    device_peek(matrix->type == TYPE_S ? (void *)narrow : matrix->w, work.w,
                (size_t)n * blas_element_bytes(matrix->type));
    for (int i = 0; i < n && matrix->type == TYPE_S; i++)
        matrix->w[i] = (double)narrow[i];
    const CUdeviceptr all[] = {d, e, beside, workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(emulated_device, all[i]);
    return good;
}

static void test(enum blas_type type, int n, const struct kind *kind, double scale, int lanes)
{
    static struct matrix matrix;
    static double e[ORDER_MOST], reference[ORDER_MOST];
    int info;
    make(&matrix, type, n, kind, scale);
    bool good = solve(&matrix, lanes, lanes % 2);
    memcpy(reference, matrix.d, sizeof reference);
    memcpy(e, matrix.e, sizeof e);
    dsterf_(&n, reference, e, &info);
    host_failed("dsterf", info);
    for (int i = 1; i < n; i++)
        good = good && matrix.w[i - 1] <= matrix.w[i];
    const double ratio = difference_of(matrix.w, reference, n, type) * n / (n < 4 ? 4 : n);
    if (getenv("SHOW_RATIOS"))
        printf("# %.3g\n", ratio);
    tap_ok(good && ratio < BOUND, "%c, n = %d, %s, times %g, %d threads for a value", "sd"[type], n,
           kind->name, scale, lanes);
}

static void test_not_finite(int place, double value)
{
    static struct matrix matrix;
    make(&matrix, TYPE_D, 100, &kinds[0], 1);
    (place % 2 ? matrix.e : matrix.d)[place / 2] = value;
    bool good = solve(&matrix, 0, false);
    for (int i = 0; i < matrix.n; i++)
        good = good && isnan(matrix.w[i]);
    tap_ok(good, "%g among the elements: NaN", value);
}

UNIT_TEST(test_bisection)
{
    static const int orders[] = {1, 2, 3, 31, 33, 130, 300};
    const struct solver_library *library;
    lane = emulated_lane();
    if (solver_library_open(emulated_device, &library) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        tap_skip_all("no cuSOLVER");
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++) {
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            test(type, orders[i], &kinds[0], 1, 0);
        for (int kind = 1; kind < KINDS; kind++)
            test(type, 100 + kind, &kinds[kind], 1, 0);
        for (int lanes = 1; lanes <= 32; lanes *= 2)
            test(type, 90 + lanes, &kinds[5], 1, lanes);
        test(type, 70, &kinds[0], type == TYPE_S ? 1e30 : 1e150, 0);
        test(type, 70, &kinds[0], type == TYPE_S ? 1e-30 : 1e-150, 0);
    }
    test(TYPE_D, 70, &kinds[6], 1e300, 0);
    test(TYPE_D, 70, &kinds[6], 1e-300, 0);
    test(TYPE_S, OTHER_ORDER, &kinds[4], 1, 0);
    test_not_finite(60, NAN);
    test_not_finite(61, NAN);
    test_not_finite(61, INFINITY);
    test_not_finite(0, -INFINITY);
    return tap_done();
}
