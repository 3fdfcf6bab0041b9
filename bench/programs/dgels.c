/* dgels.c - least squares with four times as many equations as unknowns: N is the unknowns'. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dgels", count, arguments, 0);
    int n = run.n, m = TALL * n, sides = RIGHT_HAND_SIDES, query = -1, info;
    struct matrix a = problem_general(m, n), b = problem_right_hand_sides(m);
    double *matrix = allocate(matrix_size(&a)), *right = allocate(matrix_size(&b)), wanted;
    double *solution = allocate((size_t)n * RIGHT_HAND_SIDES);
    struct matrix x = matrix_dense((size_t)n, RIGHT_HAND_SIDES, solution);
    dgels_("N", &m, &n, &sides, matrix, &m, right, &m, &wanted, &query, &info, 1);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    while (run_next(&run)) {
        matrix_fill(&a, matrix);
        matrix_fill(&b, right);
        run_start(&run);
        dgels_("N", &m, &n, &sides, matrix, &m, right, &m, work, &length, &info, 1);
        run_stop(&run);
        expect_success("dgels", info);
        for (size_t side = 0; side < RIGHT_HAND_SIDES; side++)
            memcpy(solution + side * x.rows, right + side * b.rows, x.rows * sizeof *solution);
        run_digest(&run, solution, matrix_size(&x));
        run_checked(&run, check_least_squares(&a, &x, &b), -1);
    }
    free(work);
    free(solution);
    free(right);
    free(matrix);
    return run_finish(&run);
}
