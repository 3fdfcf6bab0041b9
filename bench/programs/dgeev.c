/* dgeev.c - all eigenvalues and right eigenvectors of a general matrix. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dgeev", count, arguments, 0);
    int n = run.n, query = -1, none = 1, info;
    size_t order = (size_t)n;
    struct matrix a = problem_general(n, n);
    double *matrix = allocate(matrix_size(&a)), *vectors = allocate(matrix_size(&a));
    double *real = allocate(order), *imaginary = allocate(order), wanted;
    struct matrix v = matrix_dense(order, order, vectors);
    dgeev_("N", "V", &n, matrix, &n, real, imaginary, NULL, &none, vectors, &n, &wanted, &query, &info, 1, 1);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    while (run_next(&run)) {
        matrix_fill(&a, matrix);
        run_start(&run);
        dgeev_("N", "V", &n, matrix, &n, real, imaginary, NULL, &none, vectors, &n, work, &length, &info, 1,
               1);
        run_stop(&run);
        expect_success("dgeev", info);
        run_digest(&run, real, order);
        run_digest(&run, imaginary, order);
        run_digest(&run, vectors, matrix_size(&v));
        run_checked(&run, check_general_eigenpairs(&a, real, imaginary, &v),
                    check_unit_columns(imaginary, &v));
    }
    free(work);
    free(imaginary);
    free(real);
    free(vectors);
    free(matrix);
    return run_finish(&run);
}
