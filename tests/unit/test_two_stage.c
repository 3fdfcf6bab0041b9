/* Eigenvalues in two stages, each stage beside the host's LAPACK: the band matrix has the values of the
 * matrix, the tridiagonal one those of the band matrix, and so have the values in the end. */
#include "gpu/kernels/two_stage/band_arguments.h"
#include "two_stage_problem.h"
#include "unit_test.h"

enum { MULTIPROCESSORS = 3 };

#if defined __SANITIZE_ADDRESS__
static const int order_limit = 66, panels_order = 131; /* of d, two panels and a rest */
#else
static const int order_limit = 300, panels_order = 0;
#endif

/* In double precision whatever the type; band, d and e only where steps were asked for. */
struct result {
    double *band, *d, *e, *w;
    void *w_given; /* as it is on the device */
};

static double *widened(enum blas_type type, const void *elements, size_t count)
{
    double *const numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = get(type, elements, i);
    return numbers;
}

static double *fetch(enum blas_type type, CUdeviceptr from, size_t count)
{
    void *const elements = malloc((count + 1) * blas_element_bytes(type));
    device_peek(elements, from, count * blas_element_bytes(type));
    double *const numbers = widened(type, elements, count);
    free(elements);
    return numbers;
}

static bool queue_steps(const struct two_stage *work, CUdeviceptr workspace, void *argument)
{
    struct result *const result = argument;
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
    bool good;
    *result = (struct result){NULL};
    result->w_given = values_by(in_steps ? queue_steps : queue_all, problem, result, &good);
    result->w = widened(problem->type, result->w_given, (size_t)problem->n);
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
    tap_ok(good && memcmp(first.w_given, second.w_given,
                          (size_t)problem->n * blas_element_bytes(problem->type)) == 0,
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

UNIT_TEST(test_two_stage)
{
    open_handle(MULTIPROCESSORS);
    test_orders();
    test_kinds();
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++) {
        with_matrix(type, order_limit < 130 ? 66 : 130, &matrix_kinds[0], test_twice);
        with_matrix(type, 70, &matrix_kinds[0], test_not_finite);
    }
    return tap_done();
}
