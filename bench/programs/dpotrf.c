/* dpotrf.c - Cholesky factorisation; its check, the solution of a system by it, is not measured. With EXTRA 2
 * (default 1) the program has pinned the matrix. */
#include "checks.h"
#include "lapack.h"
#include "pinned.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dpotrf", count, arguments, ORDINARY);
    int n = run.n, sides = RIGHT_HAND_SIDES, info;
    struct matrix a = problem_definite(n), b = problem_right_hand_sides(n);
    double *factor = allocate(matrix_size(&a)), *solution = allocate(matrix_size(&b));
    struct matrix x = matrix_dense((size_t)n, RIGHT_HAND_SIDES, solution);
    if (run.extra != ORDINARY)
        pin(factor, matrix_size(&a) * sizeof(double));
    while (run_next(&run)) {
        matrix_fill(&a, factor);
        matrix_fill(&b, solution);
        run_start(&run);
        dpotrf_("L", &n, factor, &n, &info, 1);
        run_stop(&run);
        expect_success("dpotrf", info);
        dpotrs_("L", &n, &sides, factor, &n, solution, &n, &info, 1);
        expect_success("dpotrs", info);
        run_digest(&run, factor, matrix_size(&a));
        run_digest(&run, solution, matrix_size(&x));
        run_checked(&run, check_solution(&a, &x, &b), -1);
    }
    free(solution);
    if (run.extra == ORDINARY)
        free(factor); /* pinned memory goes with the process */
    return run_finish(&run);
}
