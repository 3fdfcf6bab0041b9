/* Eigenvectors by two stages: A V = V diag(w) and V'V = I to rounding, all of them and some, of hard matrices
 * and of orders around the band's width. Memory between columns and in the other triangle is neither read nor
 * written; bits do not depend on the run. */
#include "gpu/kernels/two_stage/band_arguments.h"
#include "lapack/eigensolver/own_eigen.h"
#include "two_stage_problem.h"
#include "unit_test.h"

enum { MULTIPROCESSORS = 3 };

#if defined __SANITIZE_THREAD__
static const int order_limit = 66;
#elif defined __SANITIZE_ADDRESS__
static const int order_limit = 67;
#else
static const int order_limit = 260;
#endif

/* As they come: A with its gaps, and the values. To be freed. */
struct result {
    void *a, *w;
    size_t a_bytes, w_bytes;
};

static bool solve(const struct problem *problem, struct result *result)
{
    const size_t element = blas_element_bytes(problem->type), n = (size_t)problem->n;
    struct own_eigen own = {.call = {.type = problem->type, .uplo = problem->uplo, .n = problem->n,
                                     .lda = problem->n + GAP, .a = send(problem),
                                     .w = allocate(n * element), .info = allocate(2 * sizeof(int))},
                            .first = problem->first, .count = problem->count, .way = OWN_EIGEN_TWO_STAGES};
    *result = (struct result){.a_bytes = n * (n + GAP) * element, .w_bytes = n * element};
    result->a = malloc(result->a_bytes);
    result->w = malloc(result->w_bytes);
    size_t bytes = 0, host_bytes = 0;
    int info = 1;
    bool good = own_eigen_workspace(&handle, &own, &bytes, &host_bytes) == STATUS_OK;
    const CUdeviceptr workspace = allocate(bytes);
    const unsigned long launches = call_count("cuLaunchCooperativeKernel");
    good = good && own_eigen_run(&handle, &own, workspace, bytes, NULL, 0) == STATUS_OK &&
           stream_is_done() && is_gap_kept(problem, own.call.a);
    const unsigned long chases = n > 2, panels = n > BAND_WIDTH + 1 ? (n - 2) / BAND_WIDTH : 0;
    good = good && call_count("cuLaunchCooperativeKernel") - launches == chases + panels;
    device_peek(result->a, own.call.a, result->a_bytes);
    device_peek(result->w, own.call.w, result->w_bytes);
    device_peek(&info, own.call.info, sizeof info);
    const CUdeviceptr all[] = {workspace, own.call.a, own.call.w, own.call.info};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(emulated_device, all[i]); /* which looks for writes beside it */
    return good && info == 0;
}

static void result_free(struct result *result)
{
    free(result->a);
    free(result->w);
}

static double vector_element(const struct problem *problem, const struct result *result, int i, int j)
{
    return get(problem->type, result->a, (size_t)(i + (problem->first + j) * (problem->n + GAP)));
}

static double largest_of(const double *a, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i]));
    return largest;
}

static double larger(double one, double other) { return isnan(other) ? INFINITY : fmax(one, fabs(other)); }

/* The largest elements of A V - V diag(w) and of V'V - I, in these units. */
static void errors_of(const struct problem *problem, const struct result *result, double *residual,
                      double *orthogonality)
{
    const int n = problem->n;
    const double eps = problem->type == TYPE_S ? 0x1p-23 : 0x1p-52, unit = n * eps;
    const double largest = largest_of(problem->given, n * n), norm = largest > 0 ? largest : 1;
    double worst = 0, apart = 0;
    for (int j = 0; j < problem->count; j++) {
        const double value = get(problem->type, result->w, (size_t)(problem->first + j));
        for (int i = 0; i < n; i++) {
            double sum = -value / norm * vector_element(problem, result, i, j);
            for (int k = 0; k < n; k++)
                sum += problem->given[i + k * n] / norm * vector_element(problem, result, k, j);
            worst = larger(worst, sum);
        }
        for (int i = 0; i <= j; i++) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < n; k++)
                sum += vector_element(problem, result, k, i) * vector_element(problem, result, k, j);
            apart = larger(apart, sum);
        }
    }
    *residual = worst / unit;
    *orthogonality = apart / unit;
}

static void test(const struct problem *problem)
{
    const int n = problem->n;
    double *const reference = malloc((size_t)n * sizeof *reference), *const w = malloc((size_t)n * sizeof *w);
    struct result result;
    double residual, orthogonality;
    const bool good = solve(problem, &result);
    host_values(problem->given, n, reference);
    for (int i = 0; i < n; i++)
        w[i] = get(problem->type, result.w, (size_t)i);
    const double of_values = difference_of(w, reference, n, problem->type);
    errors_of(problem, &result, &residual, &orthogonality);
    if (getenv("SHOW_RATIOS"))
        printf("# values %.3g, residual %.3g, orthogonality %.3g\n", of_values, residual, orthogonality);
    tap_ok(good && of_values < BOUND && residual < BOUND && orthogonality < BOUND,
           "%c, %s, n = %d, vectors %d to %d, %s", "sd"[problem->type],
           problem->uplo == UPLO_UPPER ? "upper" : "lower", n, problem->first,
           problem->first + problem->count - 1, problem->kind);
    result_free(&result);
    free(reference);
    free(w);
}

/* Tries all vectors, or some from the middle. */
static void with_vectors(enum blas_type type, int n, const struct matrix_kind *kind, bool all)
{
    double *const given = real_matrix(kind, type, n);
    const int count = all ? n : (n + 4) / 5;
    const struct problem problem = {.type = type, .uplo = n % 2 ? UPLO_UPPER : UPLO_LOWER, .n = n,
                                    .first = all ? 0 : (n - count) / 2, .count = count, .given = given,
                                    .kind = kind->name};
    test(&problem);
    free(given);
}

static void test_orders(void)
{
    static const int orders[] = {1, 2, 3, 17, 63, 64, 65, 66, 67, 81, 127, 128, 129, 130, 131, 193, 260};
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            if (orders[i] <= order_limit)
                with_vectors(type, orders[i], &matrix_kinds[0], type == TYPE_D || i % 2);
}

static void test_kinds(void)
{
    for (int i = 1; i < MATRIX_KINDS + REAL_KINDS; i++) {
        const struct matrix_kind *const kind =
            i < MATRIX_KINDS ? &matrix_kinds[i] : &real_kinds[i - MATRIX_KINDS];
        if (!kind->is_complex)
            with_vectors(TYPE_D, order_limit < 100 ? 66 : 100 + i, kind, i % 2);
    }
}

static void test_repeats(void)
{
    const int n = order_limit < 131 ? order_limit : 131;
    double *const given = real_matrix(&matrix_kinds[0], TYPE_D, n);
    const struct problem all = {.type = TYPE_D, .uplo = UPLO_LOWER, .n = n, .count = n, .given = given};
    struct result once = {0}, again = {0};
    bool good = solve(&all, &once) && solve(&all, &again);
    tap_ok(good && memcmp(once.w, again.w, once.w_bytes) == 0 &&
               memcmp(once.a, again.a, once.a_bytes) == 0, "the same bits again");
    result_free(&again);
    result_free(&once);
    free(given);
}

UNIT_TEST(test_two_stage_vectors)
{
    open_handle(MULTIPROCESSORS);
    test_orders();
    test_kinds();
    test_repeats();
    return tap_done();
}
