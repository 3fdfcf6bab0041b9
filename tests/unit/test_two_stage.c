/* Eigenvalues in two stages, each stage beside the host's LAPACK: the band matrix has the values of the
 * matrix, the tridiagonal one those of the band matrix, and so have the values in the end. Bits depend
 * neither on the run nor on the number of multiprocessors; no other memory is written; the abort word ends a
 * kernel that waits. */
#include "emulated_lane.h"
#include "gpu/kernels/two_stage/band_arguments.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/eigensolver/two_stage/two_stage.h"
#include "real_matrices.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    GAP = 3, /* rows between the matrix's columns that belong to nobody */
    MULTIPROCESSORS = 3,
    ONE_MULTIPROCESSOR = 1,
    LONG_ORDER = 840, /* its first panel has more chunks of rows than one multiprocessor holds */
    RESULTS_MOST = 1 << 20
};
static const double BOUND = 4; /* in units of n eps |A| */

#if defined __SANITIZE_THREAD__
static const int order_limit = 66, long_order = 0, panels_order = 0;
#elif defined __SANITIZE_ADDRESS__
static const int order_limit = 67, long_order = 0, panels_order = 131; /* of d, two panels and a rest */
#else
static const int order_limit = 300, long_order = LONG_ORDER, panels_order = 0;
#endif

static struct solver_handle handle;

struct problem {
    enum blas_type type;
    enum blas_uplo uplo;
    int n;
    double *given; /* both triangles */
    const char *kind;
};

/* In double precision whatever the type. */
struct result {
    double *band, *d, *e, *w; /* band, d and e only where steps were asked for */
    size_t w_bytes;
    void *w_given; /* as it is on the device */
};

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(emulated_device, bytes > 0 ? bytes : 1, &address) != STATUS_OK)
        exit(1);
    return address;
}

static void put(enum blas_type type, void *elements, size_t place, double number)
{
    if (type == TYPE_S)
        ((float *)elements)[place] = (float)number;
    else
        ((double *)elements)[place] = number;
}

static double *fetch(enum blas_type type, CUdeviceptr from, size_t count)
{
    double *const numbers = malloc((count + 1) * sizeof *numbers);
    void *const elements = malloc((count + 1) * sizeof *numbers);
    device_peek(elements, from, count * blas_element_bytes(type));
    for (size_t i = 0; i < count; i++)
        numbers[i] = type == TYPE_S ? (double)((float *)elements)[i] : ((double *)elements)[i];
    free(elements);
    return numbers;
}

/* The triangle, with NaN in the place of all else. */
static CUdeviceptr send(const struct problem *problem)
{
    const int n = problem->n, lda = n + GAP;
    const size_t bytes = (size_t)n * (size_t)lda * blas_element_bytes(problem->type);
    unsigned char *const elements = malloc(bytes);
    const CUdeviceptr a = allocate(bytes);
    memset(elements, 0xff, bytes);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (problem->uplo == UPLO_UPPER ? i <= j : i >= j)
                put(problem->type, elements, (size_t)(i + j * lda), problem->given[i + j * n]);
    device_poke(a, elements, bytes);
    free(elements);
    return a;
}

static bool is_gap_kept(const struct problem *problem, CUdeviceptr a)
{
    const size_t element = blas_element_bytes(problem->type), lda = (size_t)problem->n + GAP;
    const size_t bytes = (size_t)problem->n * lda * element;
    unsigned char *const elements = malloc(bytes);
    bool good = true;
    device_peek(elements, a, bytes);
    for (size_t i = 0; i < bytes; i++)
        good = good && (i / element % lda < (size_t)problem->n || elements[i] == 0xff);
    free(elements);
    return good;
}

static bool stream_is_done(void) { return driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS; }

static bool run_steps(const struct two_stage *work, CUdeviceptr workspace, struct result *result)
{
    const struct two_stage_steps steps = two_stage_steps_of(work, workspace);
    const size_t n = (size_t)work->n;
    bool good =
        band_reduction_queue(&handle, &steps.reduction, steps.scratch) == STATUS_OK && stream_is_done();
    result->band = fetch(work->type, steps.reduction.band, n * BAND_STORED);
    double *const inverse = fetch(work->type, steps.reduction.inverse, 1);
    for (size_t i = 0; i < n * BAND_STORED; i++)
        result->band[i] *= *inverse;
    free(inverse);
    good =
        bulge_chasing_queue(&handle, &steps.chasing, steps.scratch) == STATUS_OK && stream_is_done() && good;
    result->d = fetch(work->type, steps.chasing.d, n);
    result->e = fetch(work->type, steps.chasing.e, n - 1);
    return bisection_queue(&handle, &steps.bisection, steps.scratch) == STATUS_OK && stream_is_done() && good;
}

static bool solve(const struct problem *problem, bool in_steps, struct result *result)
{
    const size_t element = blas_element_bytes(problem->type), n = (size_t)problem->n;
    const struct two_stage work = {.type = problem->type,
                                   .uplo = problem->uplo,
                                   .n = problem->n,
                                   .a = send(problem),
                                   .lda = problem->n + GAP,
                                   .w = allocate(n * element)};
    size_t bytes = 0;
    *result = (struct result){.w_bytes = n * element, .w_given = malloc(n * element)};
    if (two_stage_workspace(&handle, &work, &bytes) != STATUS_OK)
        exit(1);
    const CUdeviceptr workspace = allocate(bytes);
    const unsigned long waits = call_count("cuStreamSynchronize");
    bool good = in_steps ? run_steps(&work, workspace, result)
                         : two_stage_queue(&handle, &work, workspace) == STATUS_OK &&
                               call_count("cuStreamSynchronize") == waits && stream_is_done();
    good = is_gap_kept(problem, work.a) && good;
    result->w = fetch(problem->type, work.w, n);
    device_peek(result->w_given, work.w, result->w_bytes);
    device_free(emulated_device, workspace); /* which looks for writes beside it */
    device_free(emulated_device, work.a);
    device_free(emulated_device, work.w);
    return good;
}

static void result_free(struct result *result)
{
    free(result->band);
    free(result->d);
    free(result->e);
    free(result->w);
    free(result->w_given);
}

static void band_values(const double *band, int n, double *w)
{
    const int width = BAND_WIDTH < n - 1 ? BAND_WIDTH : n - 1, stored = BAND_STORED;
    double *const copy = malloc((size_t)n * BAND_STORED * sizeof *copy), *const work = malloc((size_t)n * 3 *
                                                                                              sizeof *work);
    int info;
    memcpy(copy, band, (size_t)n * BAND_STORED * sizeof *copy);
    dsbev_("N", "L", &n, &width, copy, &stored, w, w, &n, work, &info, 1, 1);
    host_failed("dsbev", info);
    free(copy);
    free(work);
}

static bool is_band(const double *band, int n)
{
    bool good = true;
    for (int i = 0; i < n * BAND_STORED; i++)
        good = good &&
               (i % BAND_STORED <= BAND_WIDTH && i / BAND_STORED + i % BAND_STORED < n ? isfinite(band[i])
                                                                                       : band[i] == 0);
    return good;
}

static bool is_ascending(const double *w, int n)
{
    bool good = true;
    for (int i = 1; i < n; i++)
        good = good && w[i - 1] <= w[i];
    return good;
}

static void test(const struct problem *problem)
{
    const int n = problem->n;
    double *const reference = malloc((size_t)n * sizeof *reference), *const values =
                                                                         malloc((size_t)n * sizeof *values);
    struct result result;
    int info;
    const bool good = solve(problem, true, &result) && is_band(result.band, n) && is_ascending(result.w, n);
    host_values(problem->given, n, reference);
    const double of_all = difference_of(result.w, reference, n, problem->type);
    band_values(result.band, n, values);
    const double of_band = difference_of(values, reference, n, problem->type);
    memcpy(values, result.d, (size_t)n * sizeof *values);
    dsterf_(&n, values, result.e, &info);
    host_failed("dsterf", info);
    const double of_rest = difference_of(values, reference, n, problem->type);
    if (getenv("SHOW_RATIOS"))
        printf("# band %.3g, tridiagonal %.3g, values %.3g\n", of_band, of_rest, of_all);
    tap_ok(good && of_band < BOUND && of_rest < BOUND && of_all < BOUND, "%c, %s, n = %d, %s",
           "sd"[problem->type], problem->uplo == UPLO_UPPER ? "upper" : "lower", n, problem->kind);
    result_free(&result);
    free(reference);
    free(values);
}

static void with_matrix(enum blas_type type, int n, const struct matrix_kind *kind,
                        void (*function)(const struct problem *problem))
{
    const struct problem problem = {.type = type,
                                    .uplo = n % 2 ? UPLO_UPPER : UPLO_LOWER,
                                    .n = n,
                                    .kind = kind->name,
                                    .given = real_matrix(kind, type, n)};
    function(&problem);
    free(problem.given);
}

static void test_orders(void)
{
    static const int orders[] = {1,  2,   3,   31,  32,  33,  63,  64,  65,  66,
                                 67, 127, 128, 129, 130, 131, 191, 192, 193, 300};
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            if (orders[i] <= (type == TYPE_S && order_limit > 131 ? 131 : order_limit) ||
                (type == TYPE_D && orders[i] == panels_order))
                with_matrix(type, orders[i], &matrix_kinds[0], test);
}

static void test_kinds(void)
{
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++)
        for (int i = 1; i < MATRIX_KINDS + REAL_KINDS; i++) {
            const struct matrix_kind *const kind =
                i < MATRIX_KINDS ? &matrix_kinds[i] : &real_kinds[i - MATRIX_KINDS];
            if (kind->is_complex || (kind->is_double && type == TYPE_S))
                continue;
            with_matrix(type, 3, kind, test);
            with_matrix(type, order_limit < 100 ? 66 : 100 + i, kind, test);
        }
}

static void test_twice(const struct problem *problem)
{
    struct result first = {0}, second = {0};
    const bool good = solve(problem, true, &first) && solve(problem, false, &second);
    tap_ok(good && memcmp(first.w_given, second.w_given, first.w_bytes) == 0,
           "%c, n = %d: the same bits again, and without a wait between", "sd"[problem->type], problem->n);
    result_free(&first);
    result_free(&second);
}

static bool is_not_a_number(const double *w, int n)
{
    bool good = true;
    for (int i = 0; i < n; i++)
        good = good && isnan(w[i]);
    return good;
}

/* It ends, and says so. */
static void test_spoilt(const struct problem *problem, int row, int column, double value)
{
    const int n = problem->n;
    struct result result;
    const double before = problem->given[row + column * n];
    problem->given[row + column * n] = problem->given[column + row * n] = value;
    tap_ok(solve(problem, false, &result) && is_not_a_number(result.w, n), "%c, n = %d, %g at (%d, %d): NaN",
           "sd"[problem->type], n, value, row, column);
    problem->given[row + column * n] = problem->given[column + row * n] = before;
    result_free(&result);
}

static void test_not_finite(const struct problem *problem)
{
    const int last = problem->n - 1;
    test_spoilt(problem, last, last - 1, NAN);
    test_spoilt(problem, last, last - 1, INFINITY);
    test_spoilt(problem, last, 0, INFINITY);
    test_spoilt(problem, last, last, -INFINITY);
    test_spoilt(problem, last - 3, 2, NAN);
}

static CUdeviceptr send_numbers(const double *numbers, size_t count)
{
    const CUdeviceptr address = allocate(count * sizeof *numbers);
    device_poke(address, numbers, count * sizeof *numbers);
    return address;
}

/* B = U'U of a matrix near to the identity; A x = w B x has the values of inv(U') A inv(U). */
static void fill_factor(double *factor, double *b, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            factor[i + j * n] = i == j ? 1.5 : i + 1 == j ? 0.5 : 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            b[i + j * n] = 0;
            for (int k = 0; k < n; k++)
                b[i + j * n] += factor[k + i * n] * factor[k + j * n];
        }
}

/* A = U' S U for the S that is given. */
static void congruent(const double *s, const double *factor, double *a, int n)
{
    double *const half = calloc((size_t)n * (size_t)n, sizeof *half);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            half[i + j * n] =
                factor[j + j * n] * s[i + j * n] + (j > 0 ? factor[j - 1 + j * n] * s[i + (j - 1) * n] : 0);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i + j * n] = factor[i + i * n] * half[i + j * n] +
                           (i > 0 ? factor[i - 1 + i * n] * half[i - 1 + j * n] : 0);
    free(half);
}

static bool run_own_eigen(const struct own_eigen *own)
{
    size_t bytes = 0, host_bytes = 0;
    bool good = own_eigen_workspace(&handle, own, &bytes, &host_bytes) == STATUS_OK;
    const CUdeviceptr workspace = allocate(bytes);
    void *const host = malloc(host_bytes + 1);
    good = good && own_eigen_run(&handle, own, workspace, bytes, host, host_bytes) == STATUS_OK &&
           stream_is_done();
    device_free(emulated_device, workspace);
    free(host);
    return good;
}

/* Values of A, or of A and B, by the eigensolver that routes call. */
static bool run_own(const double *a, const double *b, int n, enum own_eigen_way way, double *w)
{
    const size_t count = (size_t)n * (size_t)n;
    struct own_eigen own = {.call = {.type = TYPE_D,
                                     .itype = b ? 1 : 0,
                                     .uplo = UPLO_UPPER,
                                     .n = n,
                                     .lda = n,
                                     .ldb = n,
                                     .a = send_numbers(a, count),
                                     .b = b ? send_numbers(b, count) : 0,
                                     .w = allocate((size_t)n * sizeof *w),
                                     .info = allocate(2 * sizeof(int))},
                            .way = way};
    int info[2] = {1, 1};
    const bool good = run_own_eigen(&own);
    device_peek(w, own.call.w, (size_t)n * sizeof *w);
    device_peek(info, own.call.info, sizeof info);
    const CUdeviceptr all[] = {own.call.a, own.call.w, own.call.info, own.call.b};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            device_free(emulated_device, all[i]);
    return good && info[0] == 0 && (!b || info[1] == 0);
}

/* Cooperative launches tell the ways apart: a panel and a chase, or one kernel on the chip. */
static void test_own(const struct problem *problem)
{
    const int n = problem->n;
    const size_t count = (size_t)n * (size_t)n;
    double *const a = malloc(count * sizeof *a), *const b = malloc(count * sizeof *b),
                  *const u = malloc(count * sizeof *u);
    double *const w = malloc((size_t)n * sizeof *w), *const reference = malloc((size_t)n * sizeof *reference);
    host_values(problem->given, n, reference);
    fill_factor(u, b, n);
    congruent(problem->given, u, a, n);
    const unsigned long before = call_count("cuLaunchCooperativeKernel");
    bool good = run_own(problem->given, NULL, n, OWN_EIGEN_TWO_STAGES, w);
    const unsigned long launches = call_count("cuLaunchCooperativeKernel") - before;
    tap_ok(good && launches == 2 && difference_of(w, reference, n, TYPE_D) < BOUND,
           "the eigensolver in two stages, n = %d", n);
    good = run_own(a, b, n, OWN_EIGEN_TWO_STAGES, w);
    tap_ok(good && difference_of(w, reference, n, TYPE_D) < 16 * BOUND, "and of a generalised problem");
    const unsigned long between = call_count("cuLaunchCooperativeKernel");
    good = run_own(problem->given, NULL, n, OWN_EIGEN_BY_ORDER, w);
    tap_ok(good && call_count("cuLaunchCooperativeKernel") - between == 1 &&
               difference_of(w, reference, n, TYPE_D) < BOUND,
           "small orders take one stage");
    free(a), free(b), free(u), free(w), free(reference);
}

/* Of a matrix that is the program's own. */
static void test_other_triangle(const struct problem *problem)
{
    const int n = problem->n;
    const size_t count = (size_t)n * (size_t)n;
    double *const w = malloc((size_t)n * sizeof *w), *const reference = malloc((size_t)n * sizeof *reference),
                  *const left = malloc(count * sizeof *left);
    bool is_kept = true;
    struct own_eigen own = {.call = {.type = TYPE_D, .uplo = problem->uplo, .n = n, .lda = n + GAP,
                                     .a = send(problem), .w = allocate((size_t)n * sizeof *w),
                                     .info = allocate(2 * sizeof(int))},
                            .way = OWN_EIGEN_TWO_STAGES, .keeps_other_triangle = true};
    const bool good = run_own_eigen(&own) && is_gap_kept(problem, own.call.a);
    device_peek(w, own.call.w, (size_t)n * sizeof *w);
    for (int j = 0; j < n; j++)
        device_peek(left + j * n, own.call.a + (size_t)(j * (n + GAP)) * sizeof *left,
                    (size_t)n * sizeof *left);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (problem->uplo == UPLO_UPPER ? i > j : i < j)
                is_kept = is_kept && memcmp(&left[i + j * n], &(uint64_t){UINT64_MAX}, sizeof *left) == 0;
    host_values(problem->given, n, reference);
    tap_ok(good && is_kept && difference_of(w, reference, n, TYPE_D) < BOUND,
           "the other triangle stays as it was where it is to, n = %d", n);
    device_free(emulated_device, own.call.a);
    device_free(emulated_device, own.call.w);
    device_free(emulated_device, own.call.info);
    free(w), free(reference), free(left);
}

/* The host has ended all waits beforehand. A launch as any other runs one block behind the other, so that
 * each of them comes to a sweep that waits for one of the other block's. */
static void test_abort(void)
{
    enum { ORDER = 200, BLOCKS = 2 };
    const unsigned abort = 1;
    const size_t elements = ORDER * BAND_STORED;
    double *const band = calloc(elements, sizeof *band);
    unsigned progress[ORDER] = {0};
    CUfunction function;
    for (size_t i = 0; i < elements; i++)
        band[i] = i % BAND_STORED <= BAND_WIDTH && i / BAND_STORED + i % BAND_STORED < ORDER
                      ? 1.0 / (double)(1 + i % 97)
                      : 0;
    const CUdeviceptr word = allocate(sizeof abort), gate = allocate(sizeof(struct grid_gate));
    const CUdeviceptr counters = allocate(sizeof progress);
    const struct grid_gate aborted = {.abort = (void *)(uintptr_t)word};
    device_poke(word, &abort, sizeof abort);
    device_poke(gate, &aborted, sizeof aborted);
    device_poke(counters, progress, sizeof progress);
    struct band_chase_arguments arguments = {.band = (void *)(uintptr_t)send_numbers(band, elements),
                                             .order = ORDER,
                                             .progress = (void *)(uintptr_t)counters,
                                             .gate = (void *)(uintptr_t)gate};
    void *parameters[] = {&arguments};
    const unsigned shared_bytes = BAND_CHASE_ELEMENTS * sizeof(double);
    bool good = kernel_set_function(device_kernels(emulated_device), KERNEL_dband_chase, shared_bytes,
                                    &function) == CUDA_SUCCESS;
    good = good &&
           driver()->launch_kernel(function, BLOCKS, 1, 1, BAND_CHASE_THREADS, 1, 1, shared_bytes,
                                   handle.stream, parameters, NULL) == CUDA_SUCCESS &&
           stream_is_done();
    device_peek(progress, counters, sizeof progress);
    tap_ok(good && progress[0] == (ORDER - 3) / BAND_WIDTH + 1 && progress[BLOCKS + 1] == 0,
           "the abort word ends sweeps that wait, and so the kernel");
    device_free(emulated_device, (CUdeviceptr)(uintptr_t)arguments.band);
    device_free(emulated_device, counters);
    device_free(emulated_device, gate);
    device_free(emulated_device, word);
    free(band);
}

static void open_handle(int multiprocessors)
{
    char number[12];
    const struct solver_library *library;
    snprintf(number, sizeof number, "%d", multiprocessors);
    setenv("EMULATED_MULTIPROCESSORS", number, 1);
    setenv("EMULATED_COOPERATIVE", "1", 1);
    struct lane *const lane = emulated_lane();
    if (solver_library_open(emulated_device, &library) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        tap_skip_all("no cuSOLVER");
}

/* Results one behind the other, of one number of multiprocessors. */
static unsigned char *results, *results_end;

static void keep_result(const struct problem *problem)
{
    struct result result;
    if (!solve(problem, false, &result))
        exit(1);
    results_end = mempcpy(results_end, result.w_given, result.w_bytes);
    result_free(&result);
}

/* What follows does not know how many chunks the panels had. */
static void keep_band(const struct problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), n = (size_t)problem->n,
                 band_bytes = n * BAND_STORED * element;
    const struct two_stage work = {.type = problem->type, .uplo = problem->uplo, .n = problem->n,
                                   .a = send(problem), .lda = problem->n + GAP, .w = allocate(n * element)};
    size_t bytes = 0;
    if (two_stage_workspace(&handle, &work, &bytes) != STATUS_OK)
        exit(1);
    const CUdeviceptr workspace = allocate(bytes);
    const struct two_stage_steps steps = two_stage_steps_of(&work, workspace);
    if (band_reduction_queue(&handle, &steps.reduction, steps.scratch) != STATUS_OK || !stream_is_done())
        exit(1);
    device_peek(results_end, steps.reduction.band, band_bytes);
    results_end += band_bytes;
    device_free(emulated_device, workspace);
    device_free(emulated_device, work.a);
    device_free(emulated_device, work.w);
}

static void keep_results(void)
{
    const int orders[] = {3, 66, order_limit < 200 ? 66 : 200};
    results_end = results;
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            with_matrix(type, orders[i], &matrix_kinds[0], keep_result);
    if (long_order > 0)
        with_matrix(TYPE_D, long_order, &matrix_kinds[0], keep_band);
}

/* In a process of its own: this one's driver is not to be opened yet. */
static bool run_with_one_multiprocessor(void)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("EMULATED_BLOCK_THREADS", "1", 1); /* blocks on threads of their own, not by turns */
        open_handle(ONE_MULTIPROCESSOR);
        keep_results();
        _exit(7);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

int main(void)
{
    unsigned char *const other_results =
        mmap(NULL, RESULTS_MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    results = other_results;
    const bool is_kept = run_with_one_multiprocessor();
    open_handle(MULTIPROCESSORS);
    results = malloc(RESULTS_MOST);
    keep_results();
    tap_ok(is_kept && memcmp(results, other_results, (size_t)(results_end - results)) == 0,
           "%d and %d multiprocessors: the same %d bytes", ONE_MULTIPROCESSOR, MULTIPROCESSORS,
           (int)(results_end - results));
    free(results);
    test_orders();
    test_kinds();
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++) {
        with_matrix(type, order_limit < 130 ? 66 : 130, &matrix_kinds[0], test_twice);
        with_matrix(type, 70, &matrix_kinds[0], test_not_finite);
    }
    with_matrix(TYPE_D, 90, &matrix_kinds[0], test_own);
    for (int n = 130; n <= 131 && n <= order_limit; n++)
        with_matrix(TYPE_D, n, &matrix_kinds[0], test_other_triangle);
    test_abort();
    return tap_done();
}
