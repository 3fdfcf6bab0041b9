/* Eigenvalues in two stages by the eigensolver that routes call: of a matrix and of a generalised problem,
 * with the other triangle kept where it is to be; and small orders in one stage. */
#include "lapack/eigensolver/own_eigen.h"
#include "two_stage_problem.h"
#include "unit_test.h"

enum { MULTIPROCESSORS = 3 };

#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
static const int order_limit = 67;
#else
static const int order_limit = 131;
#endif

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

static struct two_stage_borders learned; /* all 0: none */

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
                            .way = way, .borders = learned};
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
    learned = (struct two_stage_borders){n, n + 1, n + 1};
    const unsigned long then = call_count("cuLaunchCooperativeKernel");
    good = run_own(problem->given, NULL, n, OWN_EIGEN_BY_ORDER, w);
    learned.none = n + 1;
    const unsigned long at_border = call_count("cuLaunchCooperativeKernel") - then;
    good = good && run_own(problem->given, NULL, n, OWN_EIGEN_BY_ORDER, w);
    tap_ok(good && at_border == 2 && call_count("cuLaunchCooperativeKernel") - then == 3,
           "but from a border on that the caller has learned");
    learned = (struct two_stage_borders){0};
    free(a), free(b), free(u), free(w), free(reference);
}

/* The matrix is the program's own. */
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

UNIT_TEST(test_two_stage_own)
{
    open_handle(MULTIPROCESSORS);
    with_matrix(TYPE_D, 90, &matrix_kinds[0], test_own);
    for (int n = 130; n <= 131 && n <= order_limit; n++)
        with_matrix(TYPE_D, n, &matrix_kinds[0], test_other_triangle);
    return tap_done();
}
