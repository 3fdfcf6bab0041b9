/* The divide and conquer eigensolver beside LAPACK's: residuals, orthogonality and values of matrices that
 * are hard for it, of orders around leaves and merges; a range of vectors has the bits of all; NaN ends with
 * INFO. */
#include "lapack/eigensolver/own_eigen.h"
#include "two_diagonals.h"

void dstedc_(const char *compz, const int *n, double *d, double *e, double *z, const int *ldz, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info, size_t compz_length);

static const double BOUND = 5; /* in units of n eps; LAPACK's own stays below 2.5 here */

/* A matrix, in double precision whatever the type, and what came out. */
struct problem {
    enum blas_type type;
    int n;
    double d[ORDER_MOST], e[ORDER_MOST], w[ORDER_MOST];
    double *q; /* n x n */
    int first, vectors;
    int info;
    bool kept; /* rows between columns */
};

static void make_glued_wilkinson(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = fabs(i % 21 - 10.0), e[i] = i % 21 == 20 ? 1e-11 : 1;
}
static void make_clement(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = 0, e[i] = sqrt((i + 1.0) * (n - 1 - i));
}
static void make_second_difference(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = 2, e[i] = -1;
}

static const struct kind kinds[] = {
    {"random", make_random}, {"Wilkinson", make_wilkinson}, {"glued Wilkinson", make_glued_wilkinson},
    {"Clement", make_clement}, {"graded down", make_graded_down}, {"graded up", make_graded_up},
    {"clusters", make_clusters}, {"torn", make_torn}, {"constant", make_constant},
    {"second difference", make_second_difference}, {"zero", make_zero}
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void make(struct problem *problem, enum blas_type type, const struct kind *kind, int n, double scale)
{
    *problem = (struct problem){
        .type = type, .n = n, .vectors = n, .q = calloc((size_t)n * (size_t)n + 1, sizeof(double))};
    fill(type, kind, n, scale, problem->d, problem->e);
}

static bool solve(struct problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), ldq = (size_t)problem->n + GAP;
    const struct divide_conquer_call call = {.type = problem->type,
                                             .n = problem->n,
                                             .d = allocate(sizeof problem->d),
                                             .e = allocate(sizeof problem->e),
                                             .q = allocate(ldq * (size_t)(problem->vectors + 1) * element),
                                             .ldq = (int64_t)ldq,
                                             .first_vector = problem->first,
                                             .vectors = problem->vectors,
                                             .info = allocate(sizeof(int))};
    const CUdeviceptr workspace = allocate(divide_conquer_workspace(&call));
    put(problem->type, call.d, problem->d, problem->n);
    put(problem->type, call.e, problem->e, problem->n - 1);
    const unsigned long waits = call_count("cuStreamSynchronize");
    bool good = divide_conquer_queue(&handle, &call, workspace) == STATUS_OK &&
                call_count("cuStreamSynchronize") == waits;
    good = driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS && good;
    get(problem->type, problem->w, call.d, problem->n);
    device_peek(&problem->info, call.info, sizeof problem->info);
    problem->kept = true;
    for (int j = 0; j < problem->vectors; j++) {
        const CUdeviceptr column = call.q + (CUdeviceptr)j * ldq * element;
        get(problem->type, problem->q + (size_t)j * (size_t)problem->n, column, problem->n);
        problem->kept = problem->kept &&
                        is_untouched(column + (CUdeviceptr)problem->n * element, GAP * element);
    }
    const CUdeviceptr all[] = {call.d, call.e, call.q, call.info, workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(emulated_device, all[i]); /* which looks for writes beside them */
    return good;
}

static double norm_of(const struct problem *problem)
{
    return largest_of(problem->n, problem->d, problem->e);
}

/* Largest element of T Q - Q W, over the largest of T; NaN counts as infinite. */
static double residual_of(const struct problem *problem, const double *w, const double *q)
{
    const int n = problem->n;
    const double scale = norm_of(problem) > 0 ? 1 / norm_of(problem) : 1;
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double *v = q + (size_t)j * (size_t)n;
            const double above = i > 0 ? problem->e[i - 1] * scale * v[i - 1] : 0;
            const double below = i + 1 < n ? problem->e[i] * scale * v[i + 1] : 0;
            const double rest = fabs(above + (problem->d[i] * scale - w[j] * scale) * v[i] + below);
            most = larger_rest(most, rest);
        }
    return most;
}

static double distance_of_values(const struct problem *problem, const double *w)
{
    const double scale = norm_of(problem) > 0 ? 1 / norm_of(problem) : 1;
    double most = 0;
    for (int i = 0; i < problem->n; i++)
        most = larger_rest(most, fabs(problem->w[i] * scale - w[i] * scale));
    return most;
}

static bool is_ascending(const struct problem *problem)
{
    for (int i = 1; i < problem->n; i++)
        if (!(problem->w[i - 1] <= problem->w[i]))
            return false;
    return true;
}

/* LAPACK's, in double precision. */
static void solve_on_host(const struct problem *problem, double *w, double *q)
{
    static double e[ORDER_MOST], work[1 + 4 * ORDER_MOST + 2 * ORDER_MOST * ORDER_MOST];
    static int iwork[3 + 5 * ORDER_MOST];
    const int n = problem->n, ldz = n > 0 ? n : 1, lwork = sizeof work / sizeof *work,
              liwork = sizeof iwork / sizeof *iwork;
    int info = 0;
    memcpy(w, problem->d, sizeof problem->d);
    memcpy(e, problem->e, sizeof problem->e);
    dstedc_("I", &n, w, e, q, &ldz, work, &lwork, iwork, &liwork, &info, 1);
    if (info != 0)
        exit(1);
}

/* In units of n eps. */
static void test(enum blas_type type, const struct kind *kind, int n, double scale)
{
    static double w[ORDER_MOST];
    struct problem problem;
    make(&problem, type, kind, n, scale);
    double *const q = calloc((size_t)n * (size_t)n + 1, sizeof *q);
    solve_on_host(&problem, w, q);
    const bool good = solve(&problem) && problem.info == 0 && problem.kept && is_ascending(&problem);
    const double unit = (n > 0 ? n : 1) * (type == TYPE_S ? 0x1p-24 : 0x1p-53);
    const double residual = residual_of(&problem, problem.w, problem.q) / unit;
    const double skew = distance_from_orthogonal(problem.q, n) / unit,
                 error = distance_of_values(&problem, w) / unit;
    const double host_residual = residual_of(&problem, w, q) / unit,
                 host_skew = distance_from_orthogonal(q, n) / unit;
    if (getenv("SHOW_RATIOS"))
        printf("# %c n=%d %s: residual %.3g (%.3g), orthogonality %.3g (%.3g), values %.3g\n", "sd"[type], n,
               kind->name, residual, host_residual, skew, host_skew, error);
    tap_ok(good && residual < BOUND && skew < BOUND && error < BOUND, "%c, n = %d, %s times %g", "sd"[type],
           n, kind->name, scale);
    free(q);
    free(problem.q);
}

static void test_orders(void)
{
    static const int orders[] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 131, 132, 133, 257, 300};
    for (size_t i = 0; i < sizeof orders / sizeof *orders && orders[i] <= order_limit; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (orders[i] < 257 || kind % 2 == (int)i % 2)
                test(TYPE_D, &kinds[kind], orders[i], 1);
            if (orders[i] <= 3 || orders[i] == 33 || orders[i] == 132)
                test(TYPE_S, &kinds[kind], orders[i], 1);
        }
}

/* Norms whose squares are no numbers. */
static void test_scales(void)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int sign = -1; sign <= 1; sign += 2) {
            test(TYPE_D, &kinds[kind], 70, pow(10, 300 * sign));
            test(TYPE_S, &kinds[kind], 70, pow(10, 30 * sign));
        }
}

/* So large that cuBLAS multiplies. */
static void test_large(void)
{
    test(TYPE_D, &kinds[2], 545, 1);
    if (order_limit < 545)
        return;
    test(TYPE_S, &kinds[0], 600, 1);
}

/* Some of the vectors, beside all of them. */
static void test_range(const struct kind *kind, int n, int first, int vectors)
{
    struct problem all, some;
    make(&all, TYPE_D, kind, n, 1);
    const uint64_t *all_bits = (const uint64_t *)all.q, *some_bits;
    bool good = solve(&all);
    some = all;
    some.q = calloc((size_t)n * (size_t)n, sizeof *some.q);
    some.first = first, some.vectors = vectors;
    good = solve(&some) && good && some.info == 0 && some.kept;
    some_bits = (const uint64_t *)some.q;
    for (int i = 0; i < n * vectors; i++)
        good = good && some_bits[i] == all_bits[first * n + i];
    tap_ok(good && memcmp(some.w, all.w, sizeof all.w) == 0,
           "n = %d, %s, vectors %d to %d have the bits of all", n, kind->name, first, first + vectors - 1);
    free(all.q);
    free(some.q);
}

static void test_ranges(void)
{
    const int orders[] = {1, 20, 100, 300, 545};
    for (size_t i = 0; i < sizeof orders / sizeof *orders && orders[i] <= order_limit; i++) {
        const int n = orders[i];
        test_range(&kinds[0], n, 0, (n + 5) / 6);
        if (n > 300)
            continue;
        test_range(&kinds[2], n, n / 3, n - n / 3);
        test_range(&kinds[1], n, n - 1, 1);
        test_range(&kinds[1], n, n, 0);
    }
}

/* The device's bits are of no use then, but nothing hangs and no other memory is written. */
static void test_nan(int n, int place, double value)
{
    struct problem problem;
    make(&problem, TYPE_D, &kinds[0], n, 1);
    (place % 2 ? problem.e : problem.d)[place / 2] = value;
    tap_ok(solve(&problem) && problem.info == 1 && problem.kept, "n = %d, %g among the elements: INFO", n,
           value);
    free(problem.q);
}

static void test_nans(void)
{
    test_nan(20, 6, NAN);
    test_nan(20, 7, INFINITY);
    test_nan(150, 74, NAN);
    test_nan(150, 299 - 2, -INFINITY);
    for (int row = 0; row < 100; row += 7)
        test_nan(100, 2 * row + 1, NAN);
}

UNIT_TEST(test_divide_conquer)
{
    begin();
    test_orders();
    test_scales();
    test_large();
    test_ranges();
    test_nans();
    return tap_done();
}
