/* Singular values of a bidiagonal matrix by bisection, each to its own last digits, beside the host LAPACK's: matrices
 * that are hard, or graded over all exponents; NaN. */
#include "bidiagonal_matrices.h"

#include <float.h>

static bool bisect(struct problem *problem, bool in_place)
{
    const size_t element = blas_element_bytes(problem->type);
    const CUdeviceptr d = allocate((size_t)problem->n * element), e = allocate((size_t)problem->n * element),
                      beside = allocate((size_t)problem->n * element);
    const struct bidiagonal_bisection work = {problem->type, problem->n, d, e, in_place ? d : beside};
    const CUdeviceptr workspace = allocate(bidiagonal_bisection_workspace(&work));
    put(problem->type, d, problem->d, problem->n);
    put(problem->type, e, problem->e, problem->n - 1);
    const bool good = bidiagonal_bisection_queue(&handle, &work, workspace) == STATUS_OK &&
                      driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS;
    get(problem->type, problem->s, work.s, problem->n);
    const CUdeviceptr all[] = {d, e, beside, workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(emulated_device, all[i]);
    return good;
}

/* The largest difference relative to each value, in units of n eps; what LAPACK has below the least normal number
 * beside the largest value may be anything there. */
static double relative_distance(const struct problem *problem, const double *s)
{
    const bool single = problem->type == TYPE_S;
    const double least = (single ? (double)FLT_MIN : DBL_MIN) * 16 * fmax(1, norm_of(problem));
    double most = 0;
    for (int i = 0; i < problem->n; i++) {
        const double difference = fabs(problem->s[i] - s[i]);
        most = larger_rest(most, difference <= least ? 0 : difference / fmax(s[i], least));
    }
    return most / ((problem->n < 4 ? 4 : problem->n) * (single ? 0x1p-24 : 0x1p-53));
}

static void test_values(enum blas_type type, const struct kind *kind, int n, double scale)
{
    static struct problem problem;
    static double s[ORDER_MOST];
    make(&problem, type, kind, n, scale);
    solve_on_host(&problem, s);
    const bool good = bisect(&problem, n % 2) && is_descending(&problem);
    const double distance = relative_distance(&problem, s);
    if (getenv("SHOW_RATIOS"))
        printf("# %c n=%d %s: values %.3g\n", "sd"[type], n, kind->name, distance);
    tap_ok(good && distance < BOUND, "%c, n = %d, %s times %g: values by bisection", "sd"[type], n, kind->name,
           scale);
    release(&problem);
}

/* A count for each of the lanes: some orders have fewer of them. */
static void test_bisection(void)
{
    static const int orders[] = {1, 2, 3, 31, 33, 65};
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++) {
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            test_values(type, &kinds[0], orders[i], 1);
        for (int kind = 1; kind < KINDS; kind++)
            test_values(type, &kinds[kind], 40 + kind, 1);
        test_values(type, &kinds[0], 30, type == TYPE_S ? 1e30 : 1e300);
        test_values(type, &kinds[3], 30, type == TYPE_S ? 1e-30 : 1e-300);
    }
    if (order_limit == ORDER_MOST)
        test_values(TYPE_D, &kinds[14], 300, 1);
}

static void test_nan(int n, int place, double value)
{
    static struct problem problem;
    make(&problem, TYPE_D, &kinds[0], n, 1);
    (place % 2 ? problem.e : problem.d)[place / 2] = value;
    bool good = bisect(&problem, false);
    for (int i = 0; i < n; i++)
        good = good && isnan(problem.s[i]);
    tap_ok(good, "n = %d, %g among the elements: no values", n, value);
    release(&problem);
}

UNIT_TEST(test_bidiagonal_values)
{
    begin();
    test_bisection();
    test_nan(1, 0, NAN);
    test_nan(60, 119 - 2, INFINITY);
    test_nan(60, 118, -INFINITY);
    return tap_done();
}
