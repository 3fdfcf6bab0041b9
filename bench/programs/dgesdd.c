/* dgesdd.c - singular values and vectors of a square matrix, by divide and conquer. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dgesdd", count, arguments, 0);
    int n = run.n, query = -1, info;
    size_t order = (size_t)n;
    struct matrix a = problem_general(n, n);
    double *matrix = allocate(matrix_size(&a)), *values = allocate(order), wanted;
    double *left = allocate(order * order), *right = allocate(order * order);
    struct matrix u = matrix_dense(order, order, left), vt = matrix_dense(order, order, right);
    int *integer_work = allocate_integers(8 * order);
    dgesdd_("S", &n, &n, matrix, &n, values, left, &n, right, &n, &wanted, &query, integer_work, &info, 1);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    while (run_next(&run)) {
        matrix_fill(&a, matrix);
        run_start(&run);
        dgesdd_("S", &n, &n, matrix, &n, values, left, &n, right, &n, work, &length, integer_work, &info, 1);
        run_stop(&run);
        expect_success("dgesdd", info);
        run_digest(&run, values, order);
        run_digest(&run, left, order * order);
        run_digest(&run, right, order * order);
        run_checked(&run, check_singular(&a, &u, values, &vt, true), check_orthogonality(&u));
        run_checked(&run, -1, check_orthogonality(&vt));
    }
    free(work);
    free(integer_work);
    free(right);
    free(left);
    free(values);
    free(matrix);
    return run_finish(&run);
}
