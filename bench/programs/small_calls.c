/* small_calls.c - many calls with n = 4 to 200, of levels 1 to 3: N rounds over all sizes. */
#include "lapack.h"
#include "matrix.h"
#include "problems.h"
#include "program.h"
#include "../timing.h"

#include <float.h>
#include <math.h>

enum { LARGEST = 200, NARROW = 4, AREA = LARGEST * LARGEST };

static const int sizes[] = {4, 7, 10, 16, 23, 32, 50, 64, 100, 128, 150, 200};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const int one = 1, lda = LARGEST, narrow = NARROW;
static const double plus = 1, minus = -1, zero = 0;

static double a[AREA], x[LARGEST];
/* By dgemv, dsymv, dtrsv; x + |x|^2 y by daxpy; by dgemm; by dsyrk and dger. */
static double general[LARGEST], symmetric[LARGEST], solved[LARGEST], sum[LARGEST], product[AREA],
    updated[AREA];

static void call_all(int n)
{
    dgemv_("N", &n, &n, &plus, a, &lda, x, &one, &zero, general, &one, 1);
    dsymv_("L", &n, &plus, a, &lda, x, &one, &zero, symmetric, &one, 1);
    dcopy_(&n, x, &one, solved, &one);
    dtrsv_("L", "N", "N", &n, a, &lda, solved, &one, 1, 1, 1);
    double square = ddot_(&n, x, &one, x, &one);
    dcopy_(&n, x, &one, sum, &one);
    daxpy_(&n, &square, general, &one, sum, &one);
    dgemm_("N", "N", &n, &n, &n, &plus, a, &lda, a, &lda, &zero, product, &lda, 1, 1);
    dsyrk_("L", "N", &n, &narrow, &plus, a, &lda, &zero, updated, &lda, 1, 1);
    dger_(&n, &narrow, &minus, x, &one, x, &one, updated, &lda);
}

/* |computed - sum over k of left[k * step] * right[k]| relative to the terms, in units. */
static double sum_error(double computed, int count, const double *left, int step, const double *right,
                        int other)
{
    long double wanted = 0, bound = 0;
    for (int k = 0; k < count; k++) {
        long double term = (long double)left[k * step] * right[k * other];
        wanted += term;
        bound += fabsl(term);
    }
    return (double)(fabsl(computed - wanted) / (bound * DBL_EPSILON));
}

static double row_error(int n, int i)
{
    double worst = 0, square = ddot_(&n, x, &one, x, &one);
    const double candidates[] = {
        sum_error(general[i], n, a + i, lda, x, 1),
        sum_error(symmetric[i], n, a + i, lda, x, 1),
        sum_error(x[i], i + 1, a + i, lda, solved, 1),
        fabs(sum[i] - (x[i] + square * general[i])) /
            (DBL_EPSILON * (fabs(x[i]) + fabs(square * general[i]))),
        sum_error(product[i + (n - 1) * lda], n, a + i, lda, a + (n - 1) * lda, 1),
        sum_error(updated[i] + x[i] * x[0], narrow, a + i, lda, a, lda),
    };
    for (size_t k = 0; k < sizeof candidates / sizeof *candidates; k++)
        if (!(candidates[k] <= worst))
            worst = candidates[k];
    return worst;
}

/* One round, looked at size by size. */
static void check(struct run *run)
{
    for (int size = 0; size < SIZES; size++) {
        call_all(sizes[size]);
        for (int i = 0; i < sizes[size]; i++)
            run_checked(run, row_error(sizes[size], i), -1);
        run_digest(run, product, AREA);
        run_digest(run, updated, AREA);
        run_digest(run, solved, LARGEST);
    }
}

int main(int count, char **arguments)
{
    struct run run = run_begin("small_calls", count, arguments, 0);
    struct matrix definite = problem_definite(LARGEST);
    matrix_fill(&definite, a);
    for (size_t i = 0; i < LARGEST; i++)
        x[i] = entry(21, i, 0);
    while (run_next(&run)) {
        run_start(&run);
        for (int round = 0; round < run.n; round++)
            for (int size = 0; size < SIZES; size++)
                call_all(sizes[size]);
        run_stop(&run);
        check(&run);
    }
    return run_finish(&run);
}
