/* dsyevd_loop.c - EXTRA calls of dsyevd, as a program makes that diagonalises a small matrix in every step.
 */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dsyevd_loop", count, arguments, 50);
    int n = run.n, query = -1, integers, info;
    struct matrix a = problem_symmetric(n);
    size_t size = matrix_size(&a);
    double *matrix = allocate(size), *vectors = allocate(size), *values = allocate((size_t)n), wanted;
    struct matrix v = matrix_dense((size_t)n, (size_t)n, vectors);
    matrix_fill(&a, matrix);
    dsyevd_("V", "L", &n, vectors, &n, values, &wanted, &query, &integers, &query, &info, 1, 1);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    int *integer_work = allocate_integers((size_t)integers);
    while (run_next(&run)) {
        for (int call = 0; call < run.extra; call++) {
            memcpy(vectors, matrix, size * sizeof *vectors);
            run_start(&run);
            dsyevd_("V", "L", &n, vectors, &n, values, work, &length, integer_work, &integers, &info, 1, 1);
            run_stop(&run);
            expect_success("dsyevd", info);
            run_digest(&run, values, (size_t)n);
        }
        run_digest(&run, vectors, size);
        run_checked(&run, check_eigenpairs(&a, values, &v), check_orthogonality(&v));
    }
    free(integer_work);
    free(work);
    free(values);
    free(vectors);
    free(matrix);
    return run_finish(&run);
}
