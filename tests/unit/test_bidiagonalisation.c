/* The reduction to bidiagonal form by its own interface: how far what it leaves is from the matrix, in all forms of
 * its kernels; that it touches its own elements only; bits that depend neither on the run nor on the number of
 * multiprocessors; matrices that are hard to reduce. */
#include "bidiagonal_problem.h"
#include "gpu/kernels/bidiagonal/bidiagonal_arguments.h"
#include "unit_test.h"

#include <sys/mman.h>

enum { MULTIPROCESSORS = 3, OTHER_MULTIPROCESSORS = 5, RESULTS_MOST = 4 << 20 };
static const double BOUND = 4;

enum kind { RANDOM, ZERO, DIAGONAL, RANK_ONE, GRADED, TINY_ROW, TINY_COLUMN, SMALL_BLOCK, KINDS };
static const char *const kind_names[] = {"random",   "zero",        "diagonal",          "of rank one", "graded",
                                         "tiny row", "tiny column", "tiny but its corner"};

static double complex element_of(enum blas_type type, enum kind kind, int i, int j, int order)
{
    const double complex number = random_element(type);
    /* A small matrix has products with a tiny row that underflow. */
    const double small = blas_is_single(type) ? 1e-15 : 1e-110, tiny = blas_is_single(type) ? 1e-29 : 1e-260;
    switch (kind) {
    case ZERO: return 0;
    case DIAGONAL: return i == j ? number : 0;
    case RANK_ONE: return (1 + i % 7) * (2 - j % 5) * 0.125;
    case GRADED: return number * pow(10, (blas_is_single(type) ? -30.0 : -150.0) * (i + j) / (2 * order));
    case TINY_ROW: return i == 0 && j > 0 ? number * tiny : j == 0 && i > 0 ? 0 : number * small;
    case TINY_COLUMN: /* the second one, when it is reduced: the others lose their first rows by the first reflector */
        return j == 1  ? number * tiny
               : i > 1 ? (j == 0 ? 0 : number * small)
                       : small * (j == 0 ? 3 + i : (1 + j % 2) * (i == 0 ? -4 : 3));
    case SMALL_BLOCK: return i + j == 0 ? number : number * tiny;
    default: return number;
    }
}

static struct problem problem_of(enum blas_type type, int m, int n, enum kind kind)
{
    struct problem problem = {.type = type, .m = m, .n = n,
                              .given = malloc((size_t)(m * n) * sizeof(double complex))};
    unsigned char rounded[16];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            put_element(type, rounded, 0, element_of(type, kind, i, j, m > n ? m : n));
            problem.given[i + j * m] = element_at(type, rounded, 0);
        }
    return problem;
}

/* B in A too. */
static bool is_bidiagonal_stored(const struct problem *problem, const struct result *result)
{
    const int k = least(problem->m, problem->n), lda = problem->m + GAP;
    const bool tall = problem->m >= problem->n;
    bool good = true;
    for (int i = 0; i < k; i++)
        good = good && element_at(problem->type, result->part[PART_A], (size_t)(i + i * lda)) ==
                           real_at(problem->type, result->part[PART_D], (size_t)i);
    for (int i = 0; i + 1 < k; i++)
        good = good && element_at(problem->type, result->part[PART_A],
                                  (size_t)(tall ? i + (i + 1) * lda : i + 1 + i * lda)) ==
                           real_at(problem->type, result->part[PART_E], (size_t)i);
    return good;
}

static void test(enum blas_type type, int m, int n, enum kind kind)
{
    struct problem problem = problem_of(type, m, n, kind);
    struct result result = result_of(&problem);
    const bool good = reduce(&problem, &result);
    const struct measures of = measure(&problem, &result);
    const bool is_stored = is_bidiagonal_stored(&problem, &result);
    const bool is_right = tap_ok(good && is_stored && of.residual < BOUND && of.skew < BOUND, "%s, %s",
                                 words_of(&problem), kind_names[kind]);
    if (!is_right || getenv("SHOW_RATIOS"))
        printf("# residual %.3g, orthogonality %.3g%s%s\n", of.residual, of.skew, good ? "" : ", it failed",
               is_stored ? "" : ", B is not in A");
    result_free(&result);
    free(problem.given);
}

static void test_shapes(void)
{
    static const int shapes[][2] = {{1, 1}, {2, 2}, {3, 3}, {1, 5}, {7, 1}, {80, 2}, {31, 31}, {33, 33}};
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            test(type, shapes[i][0], shapes[i][1], RANDOM);
    test(TYPE_S, 65, 64, RANDOM);
    test(TYPE_C, 63, 70, RANDOM);
    test(TYPE_D, 100, 97, RANDOM);
}

/* Every form of the panel's kernel, by the rows that a thread has; the last has no ring. */
static void test_forms(void)
{
    static const int units[] = {2, 3, 4, 5, 6, 7, 8, 9};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const enum blas_type type = (enum blas_type)(i % 4);
        const int rows = BIDIAGONAL_THREADS * 16 / (int)blas_element_bytes(type) * (units[i] - 1) + 1 + (int)i % 3;
        test(type, rows, 5, RANDOM);
    }
    test(TYPE_Z, 4, BIDIAGONAL_THREADS * BIDIAGONAL_UNITS_MOST + 7, RANDOM);
    test(TYPE_S, 8 * 4 * BIDIAGONAL_THREADS + 1, 3, RANDOM);
    test(TYPE_C, 8 * 2 * BIDIAGONAL_THREADS + 2, 3, TINY_ROW);
}

static void test_kinds(void)
{
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++)
        for (int kind = ZERO; kind < KINDS; kind++) {
            test(type, 3, 3, (enum kind)kind);
            if (!blas_is_single(type) || kind == TINY_ROW || kind == TINY_COLUMN)
                test(type, 19, 16 + kind % 4, (enum kind)kind);
        }
}

/* Nothing is right then, but it ends, and no other memory is written. */
static void test_not_finite(enum blas_type type, int m, int n, int row, int column, double value)
{
    struct problem problem = problem_of(type, m, n, RANDOM);
    problem.given[row + column * m] = value;
    struct result result = result_of(&problem);
    tap_ok(reduce(&problem, &result), "%s, %g at (%d, %d): it ends", words_of(&problem), value, row, column);
    result_free(&result);
    free(problem.given);
}

static void test_twice(enum blas_type type, int m, int n)
{
    struct problem problem = problem_of(type, m, n, RANDOM);
    struct result first = result_of(&problem), second = result_of(&problem);
    const bool good = reduce(&problem, &first) && reduce(&problem, &second);
    tap_ok(good && is_same(&first, &second), "%s: the same bits again", words_of(&problem));
    result_free(&first);
    result_free(&second);
    free(problem.given);
}

/* Results one behind the other, of one number of multiprocessors. */
static unsigned char *results, *results_end;

static void keep_results(void)
{
    static const int shapes[][2] = {{3, 3}, {10, 40}, {34, 33}};
    results_end = results;
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes - (type != TYPE_D); i++) {
            struct problem problem = problem_of(type, shapes[i][0], shapes[i][1], RANDOM);
            struct result result = result_of(&problem);
            if (!reduce(&problem, &result))
                exit(1);
            for (int part = 0; part < PART_COUNT; part++)
                results_end = mempcpy(results_end, result.part[part], result.bytes[part]);
            result_free(&result);
            free(problem.given);
        }
}

static void keep_other_results(void)
{
    open_handle(OTHER_MULTIPROCESSORS);
    keep_results();
}

UNIT_TEST(test_bidiagonalisation)
{
    unsigned char *const other_results =
        mmap(NULL, RESULTS_MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    results = other_results;
    const bool is_kept = run_apart(keep_other_results);
    open_handle(MULTIPROCESSORS);
    results = malloc(RESULTS_MOST);
    keep_results();
    tap_ok(is_kept && memcmp(results, other_results, (size_t)(results_end - results)) == 0,
           "%d and %d multiprocessors: the same %d bytes", MULTIPROCESSORS, OTHER_MULTIPROCESSORS,
           (int)(results_end - results));
    free(results);
    test_shapes();
    test_forms();
    test_kinds();
    test_twice(TYPE_D, 34, 33);
    test_twice(TYPE_C, 3, 20);
    test_not_finite(TYPE_D, 34, 33, 0, 0, NAN);
    test_not_finite(TYPE_D, 9, 20, 3, 18, NAN);
    test_not_finite(TYPE_Z, 12, 11, 11, 10, INFINITY);
    test_not_finite(TYPE_S, 8 * 4 * BIDIAGONAL_THREADS + 1, 3, 7, 2, NAN);
    return tap_done();
}
