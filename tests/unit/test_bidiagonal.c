/* The bidiagonal solver: residuals, orthogonality and values of divide and conquer, for matrices that are hard for
 * it, of orders around leaves and merges; some of the vectors, or one side's, have the bits of all; NaN ends with
 * INFO. LAPACK's values of the host stand beside them. */
#include "bidiagonal_matrices.h"

static void get_vectors(struct problem *problem, const struct bidiagonal_vectors *from, double *vectors)
{
    const size_t element = blas_element_bytes(problem->type);
    for (int j = 0; j < problem->vectors && vectors; j++) {
        const CUdeviceptr column = from->address + (CUdeviceptr)(j * from->ld) * element;
        get(problem->type, vectors + (size_t)j * (size_t)problem->n, column, problem->n);
        problem->kept = problem->kept &&
                        is_untouched(column + (CUdeviceptr)problem->n * element, GAP * element);
    }
}

static bool solve(struct problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), ld = (size_t)problem->n + GAP,
                 bytes = ld * (size_t)(problem->vectors + 1) * element;
    const struct bidiagonal_division call = {
        .type = problem->type, .n = problem->n, .d = allocate(sizeof problem->d),
        .e = allocate(sizeof problem->e), .u = {problem->u ? allocate(bytes) : 0, (int64_t)ld},
        .v = {problem->v ? allocate(bytes) : 0, (int64_t)ld}, .first_vector = problem->first,
        .vectors = problem->vectors, .info = allocate(sizeof(int))};
    const CUdeviceptr workspace = allocate(bidiagonal_division_workspace(&call) + 1);
    put(problem->type, call.d, problem->d, problem->n);
    put(problem->type, call.e, problem->e, problem->n - 1);
    const unsigned long waits = call_count("cuStreamSynchronize");
    bool good = bidiagonal_division_queue(&handle, &call, workspace) == STATUS_OK &&
                call_count("cuStreamSynchronize") == waits;
    good = driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS && good;
    get(problem->type, problem->s, call.d, problem->n);
    device_peek(&problem->info, call.info, sizeof problem->info);
    problem->kept = true;
    get_vectors(problem, &call.u, problem->u);
    get_vectors(problem, &call.v, problem->v);
    const CUdeviceptr all[] = {call.d, call.e, call.u.address, call.v.address, call.info, workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            device_free(emulated_device, all[i]); /* which looks for writes beside them */
    return good;
}

/* Largest element of B V - U S and B' U - V S, over the largest of B; NaN counts as infinite. */
static double residual_of(const struct problem *problem)
{
    const int n = problem->n;
    const double scale = norm_of(problem) > 0 ? 1 / norm_of(problem) : 1;
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double *u = problem->u + (size_t)j * (size_t)n, *v = problem->v + (size_t)j * (size_t)n;
            const double d = problem->d[i] * scale, s = problem->s[j] * scale;
            const double right = i + 1 < n ? problem->e[i] * scale * v[i + 1] : 0;
            const double above = i > 0 ? problem->e[i - 1] * scale * u[i - 1] : 0;
            most = larger_rest(most, fabs(d * v[i] + right - s * u[i]));
            most = larger_rest(most, fabs(d * u[i] + above - s * v[i]));
        }
    return most;
}

static double distance_of_values(const struct problem *problem, const double *s)
{
    const double scale = norm_of(problem) > 0 ? 1 / norm_of(problem) : 1;
    double most = 0;
    for (int i = 0; i < problem->n; i++)
        most = larger_rest(most, fabs(problem->s[i] * scale - s[i] * scale));
    return most;
}

/* In units of n eps. Twice, for the bits. */
static void test(enum blas_type type, const struct kind *kind, int n, double scale)
{
    static double s[ORDER_MOST];
    static struct problem problem, again;
    make(&problem, type, kind, n, scale);
    make(&again, type, &kinds[KINDS - 2], n, scale);
    memcpy(again.d, problem.d, sizeof again.d);
    memcpy(again.e, problem.e, sizeof again.e);
    solve_on_host(&problem, s);
    const bool good = solve(&problem) && problem.info == 0 && problem.kept && is_descending(&problem);
    const size_t bytes = (size_t)n * (size_t)n * sizeof *problem.u;
    const bool same = n > 33 || (solve(&again) && memcmp(again.s, problem.s, sizeof again.s) == 0 &&
                                 memcmp(again.u, problem.u, bytes) == 0 && memcmp(again.v, problem.v, bytes) == 0);
    const double unit = (n > 0 ? n : 1) * (type == TYPE_S ? 0x1p-24 : 0x1p-53);
    const double residual = residual_of(&problem) / unit, error = distance_of_values(&problem, s) / unit;
    const double left = distance_from_orthogonal(problem.u, n) / unit,
                 right = distance_from_orthogonal(problem.v, n) / unit;
    if (getenv("SHOW_RATIOS"))
        printf("# %c n=%d %s: residual %.3g, orthogonality %.3g %.3g, values %.3g\n", "sd"[type], n, kind->name,
               residual, left, right, error);
    tap_ok(good && same && residual < BOUND && left < BOUND && right < BOUND && error < BOUND,
           "%c, n = %d, %s times %g", "sd"[type], n, kind->name, scale);
    release(&problem);
    release(&again);
}

static void test_orders(void)
{
    static const int orders[] = {0, 1, 2, 3, 14, 15, 16, 31, 32, 33, 63, 64, 65, 200};
    for (size_t i = 0; i < sizeof orders / sizeof *orders && orders[i] <= order_limit; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (orders[i] < 63 || kind % 2 == (int)i % 2 || kind == KINDS - 1)
                test(TYPE_D, &kinds[kind], orders[i], 1);
            if (orders[i] <= 3 || orders[i] == 33 || orders[i] == 65)
                test(TYPE_S, &kinds[kind], orders[i], 1);
        }
}

/* Norms whose squares are no numbers. */
static void test_scales(void)
{
    for (int kind = 0; kind < KINDS; kind += 3)
        for (int sign = -1; sign <= 1; sign += 2) {
            test(TYPE_D, &kinds[kind], 40, pow(10, 300 * sign));
            test(TYPE_S, &kinds[kind], 40, pow(10, 30 * sign));
        }
}

/* So large that cuBLAS multiplies. */
static void test_large(void)
{
    if (order_limit < 545)
        return;
    test(TYPE_D, &kinds[0], 545, 1);
    test(TYPE_S, &kinds[7], 520, 1);
}

static bool has_bits_of(const double *some, const double *all, const struct problem *problem)
{
    return !some || memcmp(some, all + (size_t)(problem->first * problem->n),
                           (size_t)(problem->vectors * problem->n) * sizeof *some) == 0;
}

/* Some of the vectors, of these sides, beside all of them. */
static void test_part(const struct kind *kind, int n, int first, int vectors, bool left, bool right)
{
    static struct problem all, some;
    make(&all, TYPE_D, kind, n, 1);
    bool good = solve(&all);
    some = all;
    some.u = left ? calloc((size_t)n * (size_t)n, sizeof *some.u) : NULL;
    some.v = right ? calloc((size_t)n * (size_t)n, sizeof *some.v) : NULL;
    some.first = first, some.vectors = vectors;
    good = solve(&some) && good && some.info == 0 && some.kept && has_bits_of(some.u, all.u, &some) &&
           has_bits_of(some.v, all.v, &some);
    tap_ok(good && memcmp(some.s, all.s, sizeof all.s) == 0,
           "n = %d, %s,%s%s vectors %d to %d have the bits of all", n, kind->name, left ? " left" : "",
           right ? " right" : "", first, first + vectors - 1);
    release(&all);
    release(&some);
}

static void test_parts(void)
{
    const int orders[] = {1, 12, 20, 100};
    for (size_t i = 0; i < sizeof orders / sizeof *orders && orders[i] <= order_limit; i++) {
        const int n = orders[i];
        test_part(&kinds[0], n, 0, (n + 5) / 6, true, true);
        test_part(&kinds[2], n, n / 3, n - n / 3, true, true);
        test_part(&kinds[7], n, 0, n, true, false);
        test_part(&kinds[7], n, 0, n, false, true);
        test_part(&kinds[1], n, n, 0, false, false);
    }
}

/* The device's bits are of no use then, but nothing hangs and no other memory is written. */
static void test_nan(int n, int place, double value)
{
    static struct problem problem;
    make(&problem, TYPE_D, &kinds[0], n, 1);
    (place % 2 ? problem.e : problem.d)[place / 2] = value;
    const bool good = solve(&problem) && problem.info == 1 && problem.kept;
    tap_ok(good, "n = %d, %g among the elements: INFO", n, value);
    release(&problem);
}

static void test_nans(void)
{
    test_nan(1, 0, NAN);
    test_nan(20, 6, NAN);
    test_nan(20, 7, INFINITY);
    test_nan(60, 118, -INFINITY);
    for (int row = 0; row < 50; row += 9)
        test_nan(50, 2 * row + 1, NAN);
}

UNIT_TEST(test_bidiagonal)
{
    begin();
    test_orders();
    test_scales();
    test_large();
    test_parts();
    test_nans();
    return tap_done();
}
