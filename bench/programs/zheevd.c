/* zheevd.c - all eigenvalues and eigenvectors of a Hermitian matrix, by divide and conquer. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("zheevd", count, arguments, 0);
    int n = run.n, query = -1, integers, info;
    struct matrix a = problem_hermitian(n);
    double *vectors = allocate(matrix_size(&a)), *values = allocate((size_t)n), wanted[2], reals;
    struct matrix v = matrix_dense_complex((size_t)n, (size_t)n, vectors);
    zheevd_("V", "L", &n, vectors, &n, values, wanted, &query, &reals, &query, &integers, &query, &info, 1,
            1);
    int length = (int)wanted[0], real_length = (int)reals;
    double *work = allocate(2 * (size_t)length), *real_work = allocate((size_t)real_length);
    int *integer_work = allocate_integers((size_t)integers);
    while (run_next(&run)) {
        matrix_fill(&a, vectors);
        run_start(&run);
        zheevd_("V", "L", &n, vectors, &n, values, work, &length, real_work, &real_length, integer_work,
                &integers, &info, 1, 1);
        run_stop(&run);
        expect_success("zheevd", info);
        run_digest(&run, values, (size_t)n);
        run_digest(&run, vectors, matrix_size(&a));
        run_checked(&run, check_eigenpairs(&a, values, &v), check_orthogonality(&v));
    }
    free(integer_work);
    free(real_work);
    free(work);
    free(values);
    free(vectors);
    return run_finish(&run);
}
