/* power.c - power iteration on a dense matrix that stays as it is: EXTRA steps a repetition. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"
#include "../timing.h"

static const int one = 1;

/* `steps` of x = A x / |A x|; y is A x of the last step. Returns |A x|. */
static double iterate(int n, int steps, const double *a, double *x, double *y)
{
    const double alpha = 1, beta = 0;
    double eigenvalue = 0;
    for (int step = 0; step < steps; step++) {
        if (step > 0) {
            double scale = 1 / eigenvalue;
            dcopy_(&n, y, &one, x, &one);
            dscal_(&n, &scale, x, &one);
        }
        dgemv_("N", &n, &n, &alpha, a, &n, x, &one, &beta, y, &one, 1);
        eigenvalue = dnrm2_(&n, y, &one);
    }
    return eigenvalue;
}

int main(int count, char **arguments)
{
    struct run run = run_begin("power", count, arguments, 200);
    int n = run.n;
    struct matrix a = problem_dominant(n);
    double *matrix = allocate(matrix_size(&a)), *x = allocate((size_t)n), *y = allocate((size_t)n);
    matrix_fill(&a, matrix);
    struct matrix stored = matrix_dense((size_t)n, (size_t)n, matrix);
    while (run_next(&run)) {
        for (int i = 0; i < n; i++)
            x[i] = entry(100 + (uint64_t)run.repetition, (uint64_t)i, 0);
        run_start(&run);
        double eigenvalue = iterate(n, run.extra, matrix, x, y);
        run_stop(&run);
        run_digest(&run, &eigenvalue, 1);
        run_digest(&run, y, (size_t)n);
        run_checked(&run, check_product(&stored, x, y), -1);
    }
    free(y);
    free(x);
    free(matrix);
    return run_finish(&run);
}
