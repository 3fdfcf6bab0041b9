/* dgesv.c - solution of a general system by LU. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dgesv", count, arguments, 0);
    int n = run.n, sides = RIGHT_HAND_SIDES, info;
    struct matrix a = problem_general(n, n), b = problem_right_hand_sides(n);
    double *matrix = allocate(matrix_size(&a)), *solution = allocate(matrix_size(&b));
    struct matrix x = matrix_dense((size_t)n, RIGHT_HAND_SIDES, solution);
    int *pivots = allocate_integers((size_t)n);
    while (run_next(&run)) {
        matrix_fill(&a, matrix);
        matrix_fill(&b, solution);
        run_start(&run);
        dgesv_(&n, &sides, matrix, &n, pivots, solution, &n, &info);
        run_stop(&run);
        expect_success("dgesv", info);
        run_digest(&run, solution, matrix_size(&x));
        run_digest(&run, matrix, matrix_size(&a));
        run_checked(&run, check_lu(&a, matrix, pivots), -1);
        run_checked(&run, check_backward(&a, &x, &b), -1);
    }
    free(pivots);
    free(solution);
    free(matrix);
    return run_finish(&run);
}
