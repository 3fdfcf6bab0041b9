/* dsyev.c - all eigenvalues and eigenvectors of a symmetric matrix, by QR iterations. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dsyev", count, arguments, 0);
    int n = run.n, query = -1, info;
    struct matrix a = problem_symmetric(n);
    double *vectors = allocate(matrix_size(&a)), *values = allocate((size_t)n), wanted;
    struct matrix v = matrix_dense((size_t)n, (size_t)n, vectors);
    dsyev_("V", "L", &n, vectors, &n, values, &wanted, &query, &info, 1, 1);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    while (run_next(&run)) {
        matrix_fill(&a, vectors);
        run_start(&run);
        dsyev_("V", "L", &n, vectors, &n, values, work, &length, &info, 1, 1);
        run_stop(&run);
        expect_success("dsyev", info);
        run_digest(&run, values, (size_t)n);
        run_digest(&run, vectors, matrix_size(&a));
        run_checked(&run, check_eigenpairs(&a, values, &v), check_orthogonality(&v));
    }
    free(work);
    free(values);
    free(vectors);
    return run_finish(&run);
}
