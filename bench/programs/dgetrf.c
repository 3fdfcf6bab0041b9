/* dgetrf.c - LU factorisation of a square matrix with partial pivoting. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dgetrf", count, arguments, 0);
    int n = run.n, info;
    struct matrix a = problem_general(n, n);
    double *matrix = allocate(matrix_size(&a));
    int *pivots = allocate_integers((size_t)n);
    while (run_next(&run)) {
        matrix_fill(&a, matrix);
        run_start(&run);
        dgetrf_(&n, &n, matrix, &n, pivots, &info);
        run_stop(&run);
        expect_success("dgetrf", info);
        run_digest(&run, matrix, matrix_size(&a));
        run_checked(&run, check_lu(&a, matrix, pivots), -1);
    }
    free(pivots);
    free(matrix);
    return run_finish(&run);
}
