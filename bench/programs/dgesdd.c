/* dgesdd.c - singular values and vectors of a square matrix: dgesdd with JOBZ = 'S', or with EXTRA 2 dgesvd with JOBU and
 * JOBVT = 'A', as R and Octave call them. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

static int decompose(const struct run *run, double *matrix, double *values, double *left, double *right, double *work,
                     const int *length, int *integer_work)
{
    const int n = run->n;
    int info;
    if (run->extra == 2)
        dgesvd_("A", "A", &n, &n, matrix, &n, values, left, &n, right, &n, work, length, &info, 1, 1);
    else
        dgesdd_("S", &n, &n, matrix, &n, values, left, &n, right, &n, work, length, integer_work, &info, 1);
    return info;
}

int main(int count, char **arguments)
{
    const char *const routine = count > 3 && atoi(arguments[3]) == 2 ? "dgesvd" : "dgesdd";
    struct run run = run_begin(routine, count, arguments, 1);
    int n = run.n, query = -1;
    size_t order = (size_t)n;
    struct matrix a = problem_general(n, n);
    double *matrix = allocate(matrix_size(&a)), *values = allocate(order), wanted;
    double *left = allocate(order * order), *right = allocate(order * order);
    struct matrix u = matrix_dense(order, order, left), vt = matrix_dense(order, order, right);
    int *integer_work = allocate_integers(8 * order);
    decompose(&run, matrix, values, left, right, &wanted, &query, integer_work);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    while (run_next(&run)) {
        matrix_fill(&a, matrix);
        run_start(&run);
        const int info = decompose(&run, matrix, values, left, right, work, &length, integer_work);
        run_stop(&run);
        expect_success(routine, info);
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
