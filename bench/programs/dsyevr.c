/* dsyevr.c - the lowest eighth of a symmetric matrix' eigenvalues, with vectors. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dsyevr", count, arguments, 0);
    int n = run.n, first = 1, last = part_of(n, PART), query = -1, integers, info, found;
    const double unused = 0, tolerance = 0;
    struct matrix a = problem_symmetric(n);
    double *matrix = allocate(matrix_size(&a)), *values = allocate((size_t)n), wanted;
    double *vectors = allocate((size_t)n * (size_t)last);
    struct matrix v = matrix_dense((size_t)n, (size_t)last, vectors);
    int *support = allocate_integers(2 * (size_t)n);
    dsyevr_("V", "I", "L", &n, matrix, &n, &unused, &unused, &first, &last, &tolerance, &found, values,
            vectors, &n, support, &wanted, &query, &integers, &query, &info, 1, 1, 1);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    int *integer_work = allocate_integers((size_t)integers);
    while (run_next(&run)) {
        matrix_fill(&a, matrix);
        run_start(&run);
        dsyevr_("V", "I", "L", &n, matrix, &n, &unused, &unused, &first, &last, &tolerance, &found, values,
                vectors, &n, support, work, &length, integer_work, &integers, &info, 1, 1, 1);
        run_stop(&run);
        expect_success("dsyevr", info ? info : found - last);
        run_digest(&run, values, (size_t)last);
        run_digest(&run, vectors, matrix_size(&v));
        run_checked(&run, check_eigenpairs(&a, values, &v), check_orthogonality(&v));
    }
    free(integer_work);
    free(work);
    free(support);
    free(vectors);
    free(values);
    free(matrix);
    return run_finish(&run);
}
