/* The reduction to tridiagonal form by its own interface: residual and orthogonality of what it leaves, on
 * the chip and by panels; that it touches its own elements only; bits that depend neither on the run nor on
 * the number of multiprocessors. */
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "hermitian_matrices.h"
#include "reduced_matrix.h"
#include "unit_test.h"

#include <sys/mman.h>
#include <unistd.h>

enum {
    MULTIPROCESSORS = 3, OTHER_MULTIPROCESSORS = 4,
    CHIP_ORDER = MULTIPROCESSORS * CHIP_ROWS_MOST, /* the largest that is reduced without panels */
    ORDER_MOST = 165,
    RESULTS_MOST = 4 << 20
};
static const double BOUND = 10; /* in units of n eps */
static const struct matrix_kind *const random_kind = &matrix_kinds[0];

/* Element `row` of the vector of reflector `number`, by LAPACK's conventions of sytrd. */
static double complex vector_element(const struct problem *problem, const struct result *result, int number,
                                     int row)
{
    const int lda = problem->n + GAP;
    const bool upper = problem->uplo == UPLO_UPPER;
    const int one = upper ? number : number + 1, column = upper ? number + 1 : number;
    if (row == one)
        return 1;
    return (upper ? row < one : row > one) ? element_at(problem->type, result->a, row + column * lda) : 0;
}

/* Q becomes H Q of one reflector. */
static void reflect(const struct problem *problem, const struct result *result, int number, double complex *q)
{
    const int n = problem->n;
    const double complex tau = element_at(problem->type, result->tau, number);
    double complex *const v = calloc(ORDER_MOST, sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = vector_element(problem, result, number, i);
    for (int j = 0; j < n; j++) {
        double complex sum = 0;
        for (int i = 0; i < n; i++)
            sum += conj(v[i]) * q[i + j * n];
        for (int i = 0; i < n; i++)
            q[i + j * n] -= tau * sum * v[i];
    }
    free(v);
}

/* To be freed. */
static double complex *form_q(const struct problem *problem, const struct result *result)
{
    const int n = problem->n, reflectors = n - 1;
    double complex *const q = calloc((size_t)n * (size_t)n, sizeof *q);
    for (int i = 0; i < n; i++)
        q[i + i * n] = 1;
    /* H(1) H(2) ... of the lower triangle, ... H(2) H(1) of the upper one: from the right. */
    for (int i = 0; i < reflectors; i++)
        reflect(problem, result, problem->uplo == UPLO_UPPER ? i : reflectors - 1 - i, q);
    return q;
}

/* D and E in A too; where no reflector is needed, they are the matrix's own elements. */
static bool is_diagonal_right(const struct problem *problem, const struct matrix_kind *kind,
                              const struct result *result)
{
    const bool upper = problem->uplo == UPLO_UPPER;
    const int n = problem->n, lda = n + GAP;
    bool good = true;
    for (int i = 0; i < n; i++) {
        const double d = real_at(problem->type, result->d, i);
        good = good && element_at(problem->type, result->a, i + i * lda) == d;
        good = good && (!kind->stays || d == creal(problem->given[i + i * n]));
    }
    for (int i = 0; i + 1 < n; i++) {
        const double e = real_at(problem->type, result->e, i);
        const int row = upper ? i : i + 1, column = upper ? i + 1 : i;
        good = good && element_at(problem->type, result->a, row + column * lda) == e;
        good = good && (!kind->stays || (e == creal(problem->given[i + 1 + i * n]) &&
                                         element_at(problem->type, result->tau, i) == 0));
    }
    return good;
}

static void measure(const struct problem *problem, const struct result *result, double *residual,
                    double *skew)
{
    const int n = problem->n;
    const double unit = n * (blas_is_single(problem->type) ? 0x1p-24 : 0x1p-53);
    double d[ORDER_MOST], e[ORDER_MOST];
    double complex *const q = form_q(problem, result);
    for (int i = 0; i < n; i++)
        d[i] = real_at(problem->type, result->d, i);
    for (int i = 0; i + 1 < n; i++)
        e[i] = real_at(problem->type, result->e, i);
    *residual = residual_of(problem->given, q, d, e, n) / unit;
    *skew = skew_of(q, n) / unit;
    free(q);
}

/* One kernel for each panel, and one for what fits the chip. */
static unsigned long expected_launches(int n)
{
    unsigned long launches = 1;
    for (; n > CHIP_ORDER; n -= TRIDIAGONAL_PANEL)
        launches++;
    return launches;
}

static void test(const struct problem *problem, const struct matrix_kind *kind)
{
    double residual, skew;
    struct result result = result_of(problem);
    const unsigned long launches = call_count("cuLaunchCooperativeKernel");
    bool good = reduce(problem, &result);
    good = call_count("cuLaunchCooperativeKernel") - launches == expected_launches(problem->n) && good;
    good = is_diagonal_right(problem, kind, &result) && good;
    measure(problem, &result, &residual, &skew);
    if (getenv("SHOW_RATIOS"))
        printf("# %s, %s: residual %.3g, orthogonality %.3g\n", words_of(problem), kind->name,
               residual, skew);
    tap_ok(good && residual < BOUND && skew < BOUND, "%s, %s", words_of(problem), kind->name);
    result_free(&result);
}

/* One of the triangles for each type and order, by turns: what runs is the same, from the other end. */
static void for_one_triangle(enum blas_type type, int n, const struct matrix_kind *kind,
                             void (*function)(const struct problem *, const struct matrix_kind *))
{
    const struct problem problem = {.type = type,
                                    .uplo = (n + (int)type) % 2 ? UPLO_UPPER : UPLO_LOWER,
                                    .n = n,
                                    .given = hermitian_matrix(kind, type, n)};
    function(&problem, kind);
    free(problem.given);
}

static void for_both_triangles(enum blas_type type, int n, const struct matrix_kind *kind,
                               void (*function)(const struct problem *, const struct matrix_kind *))
{
    struct problem problem = {.type = type, .n = n, .given = hermitian_matrix(kind, type, n)};
    for (problem.uplo = UPLO_LOWER; problem.uplo <= UPLO_UPPER; problem.uplo++)
        function(&problem, kind);
    free(problem.given);
}

/* Sanitizers take their time: fewer orders, of s and c, which differ from d and z by their precision, the
 * smallest alone, and of d a panel. */
#if defined __SANITIZE_THREAD__
static const int order_limit = 3, panel_limit = 0;
#elif defined __SANITIZE_ADDRESS__
static const int order_limit = 3, panel_limit = CHIP_ORDER + 1;
#else
static const int order_limit = ORDER_MOST, panel_limit = ORDER_MOST;
#endif

static int limit_of(enum blas_type type)
{
    return order_limit < ORDER_MOST && blas_is_single(type) ? 3 : order_limit;
}

static void test_orders(void)
{
    static const int small[] = {1, 2, 3, 31, 33};
    static const int large[] = {CHIP_ORDER + 1, 65, CHIP_ORDER, 165};
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++) {
        const size_t all = sizeof large / sizeof *large;
        /* the last, of two panels, of d alone: their sequence is the same of all types */
        const size_t count = blas_is_single(type) ? 1 : type == TYPE_D ? all : all - 1;
        for (size_t i = 0; i < sizeof small / sizeof *small; i++)
            if (small[i] <= limit_of(type))
                for_both_triangles(type, small[i], random_kind, test);
        for (size_t i = 0; i < count; i++)
            if (large[i] <= (type == TYPE_D && large[i] > CHIP_ORDER ? panel_limit : order_limit))
                for_one_triangle(type, large[i], random_kind, test);
    }
}

static bool is_of_type(const struct matrix_kind *kind, enum blas_type type)
{
    return !(kind->is_double && blas_is_single(type)) && !(kind->is_complex && blas_scalar_parts(type) == 1);
}

static void test_kinds(void)
{
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++)
        for (int kind = 1; kind < MATRIX_KINDS; kind++) {
            if (!is_of_type(&matrix_kinds[kind], type))
                continue;
            for_both_triangles(type, 3, &matrix_kinds[kind], test);
            if (!blas_is_single(type) && order_limit >= (type == TYPE_D ? 33 : ORDER_MOST))
                for_one_triangle(type, 32 + kind % 2, &matrix_kinds[kind], test);
            if (type == TYPE_D && kind % 8 == 1 && order_limit > CHIP_ORDER) /* a panel's columns too */
                for_one_triangle(type, CHIP_ORDER + 1 + kind % 2, &matrix_kinds[kind], test);
        }
}

static void test_twice(const struct problem *problem, const struct matrix_kind *kind)
{
    struct result first = result_of(problem), second = result_of(problem);
    const bool good = reduce(problem, &first) && reduce(problem, &second);
    tap_ok(good && is_same(&first, &second), "%s, %s: the same bits again", words_of(problem), kind->name);
    result_free(&first);
    result_free(&second);
}

/* Nothing is right then, but it ends, and no other memory is written. */
static void test_not_finite(enum blas_type type, int n, int row, int column, double value)
{
    struct problem problem = {.type = type, .n = n, .given = hermitian_matrix(random_kind, type, n)};
    problem.given[row + column * n] = problem.given[column + row * n] = value;
    problem.uplo = row % 2 ? UPLO_UPPER : UPLO_LOWER;
    struct result result = result_of(&problem);
    tap_ok(reduce(&problem, &result), "%s, %g at (%d, %d): it ends", words_of(&problem), value, row, column);
    result_free(&result);
    free(problem.given);
}

static void test_all_not_finite(void)
{
    for (enum blas_type type = TYPE_D; type <= TYPE_Z; type += TYPE_Z - TYPE_D) {
        test_not_finite(type, 33, 0, 0, NAN);
        test_not_finite(type, 33, 21, 0, NAN);
        test_not_finite(type, 33, 32, 31, INFINITY);
        /* Under sanitizers a panel is reduced once, in test_orders. */
        if (type == TYPE_D && order_limit > CHIP_ORDER)
            test_not_finite(type, CHIP_ORDER + 2, 80, 20, NAN);
        if (type == TYPE_Z && order_limit > CHIP_ORDER)
            test_not_finite(type, CHIP_ORDER + 2, CHIP_ORDER + 1, 0, -INFINITY);
    }
}

/* Results one behind the other, of one number of multiprocessors. */
static unsigned char *results, *results_end;

static void keep_result(const struct problem *problem, const struct matrix_kind *kind)
{
    (void)kind;
    struct result result = result_of(problem);
    if (!reduce(problem, &result))
        exit(1);
    results_end = mempcpy(results_end, result.a, result.a_bytes);
    results_end = mempcpy(results_end, result.d, result.d_bytes);
    results_end = mempcpy(results_end, result.e, result.e_bytes);
    results_end = mempcpy(results_end, result.tau, result.tau_bytes);
    result_free(&result);
}

static void keep_results(void)
{
    results_end = results;
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++) {
        const int orders[] = {1, 3, limit_of(type) < 33 ? 2 : 33};
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            for_one_triangle(type, orders[i], random_kind, keep_result);
    }
}

static void keep_other_results(void)
{
    open_handle(OTHER_MULTIPROCESSORS);
    keep_results();
}

/* Shared memory of two holds no more than a panel. */
static void refuse_two_multiprocessors(void)
{
    const struct tridiagonalisation work = {.type = TYPE_D, .uplo = UPLO_LOWER, .n = 40, .lda = 40};
    size_t bytes;
    open_handle(2);
    if (tridiagonalisation_workspace(&handle, &work, &bytes) != STATUS_UNSUPPORTED)
        _exit(1);
}

UNIT_TEST(test_tridiagonalisation)
{
    unsigned char *const other_results =
        mmap(NULL, RESULTS_MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    results = other_results;
    const bool is_kept = run_apart(keep_other_results), is_refused = run_apart(refuse_two_multiprocessors);
    open_handle(MULTIPROCESSORS);
    tap_ok(is_refused, "too few multiprocessors: not supported");
    results = malloc(RESULTS_MOST);
    keep_results();
    tap_ok(is_kept && memcmp(results, other_results, (size_t)(results_end - results)) == 0,
           "%d and %d multiprocessors: the same %d bytes", MULTIPROCESSORS, OTHER_MULTIPROCESSORS,
           (int)(results_end - results));
    free(results);
    test_orders();
    test_kinds();
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++)
        for_one_triangle(type,
                         type == TYPE_D && order_limit > CHIP_ORDER ? CHIP_ORDER + 2 : limit_of(type) < 33 ? 3 : 33,
                         random_kind, test_twice);
    test_all_not_finite();
    return tap_done();
}
