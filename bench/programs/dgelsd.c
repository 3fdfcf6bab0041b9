/* dgelsd.c - least squares by singular values, as NumPy's lstsq has them: N unknowns, and so many times as
 * many equations as the third argument says (2; with 1 the residual has no scale). */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dgelsd", count, arguments, 2);
    int n = run.n, m = run.extra * n, sides = RIGHT_HAND_SIDES, query = -1, info, rank, integers;
    double rcond = -1;
    struct matrix a = problem_general(m, n), b = problem_right_hand_sides(m);
    double *matrix = allocate(matrix_size(&a)), *right = allocate(matrix_size(&b)), wanted;
    double *solution = allocate((size_t)n * RIGHT_HAND_SIDES), *values = allocate((size_t)n);
    struct matrix x = matrix_dense((size_t)n, RIGHT_HAND_SIDES, solution);
    dgelsd_(&m, &n, &sides, matrix, &m, right, &m, values, &rcond, &rank, &wanted, &query, &integers, &info);
    int length = (int)wanted, *iwork = malloc((size_t)integers * sizeof *iwork);
    double *work = allocate((size_t)length);
    while (run_next(&run)) {
        matrix_fill(&a, matrix);
        matrix_fill(&b, right);
        run_start(&run);
        dgelsd_(&m, &n, &sides, matrix, &m, right, &m, values, &rcond, &rank, work, &length, iwork, &info);
        run_stop(&run);
        expect_success("dgelsd", rank == n ? info : 1);
        for (size_t side = 0; side < RIGHT_HAND_SIDES; side++)
            memcpy(solution + side * x.rows, right + side * b.rows, x.rows * sizeof *solution);
        run_digest(&run, solution, matrix_size(&x));
        run_checked(&run, check_least_squares(&a, &x, &b), -1);
    }
    free(iwork);
    free(work);
    free(values);
    free(solution);
    free(right);
    free(matrix);
    return run_finish(&run);
}
