/* dspevd.c - all eigenvalues and eigenvectors of a symmetric matrix whose lower triangle is packed, by divide and
 * conquer. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

/* Column by column without gaps. */
static void pack(size_t n, const double *matrix, double *packed)
{
    for (size_t j = 0; j < n; j++) {
        memcpy(packed, matrix + j * n + j, (n - j) * sizeof *packed);
        packed += n - j;
    }
}

int main(int count, char **arguments)
{
    struct run run = run_begin("dspevd", count, arguments, 0);
    int n = run.n, query = -1, integers, info;
    struct matrix a = problem_symmetric(n);
    double *vectors = allocate(matrix_size(&a)), *values = allocate((size_t)n), wanted;
    double *packed = allocate((size_t)n * ((size_t)n + 1) / 2);
    struct matrix v = matrix_dense((size_t)n, (size_t)n, vectors);
    dspevd_("V", "L", &n, packed, values, vectors, &n, &wanted, &query, &integers, &query, &info, 1, 1);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    int *integer_work = allocate_integers((size_t)integers);
    while (run_next(&run)) {
        matrix_fill(&a, vectors);
        pack((size_t)n, vectors, packed);
        run_start(&run);
        dspevd_("V", "L", &n, packed, values, vectors, &n, work, &length, integer_work, &integers, &info, 1, 1);
        run_stop(&run);
        expect_success("dspevd", info);
        run_digest(&run, values, (size_t)n);
        run_digest(&run, vectors, matrix_size(&a));
        run_checked(&run, check_eigenpairs(&a, values, &v), check_orthogonality(&v));
    }
    free(integer_work);
    free(work);
    free(packed);
    free(values);
    free(vectors);
    return run_finish(&run);
}
