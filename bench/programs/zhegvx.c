/* zhegvx.c - the lowest tenth of the eigenpairs of A x = lambda B x, A Hermitian and B positive definite. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("zhegvx", count, arguments, 0);
    int n = run.n, type = 1, first = 1, last = part_of(n, TENTH), query = -1, info, found;
    const double unused = 0, tolerance = 0;
    struct matrix a = problem_hermitian(n), b = problem_definite_hermitian(n);
    double *matrix = allocate(matrix_size(&a)), *factor = allocate(matrix_size(&b));
    double *vectors = allocate(2 * (size_t)n * (size_t)last), *values = allocate((size_t)n), wanted[2];
    struct matrix v = matrix_dense_complex((size_t)n, (size_t)last, vectors);
    double *real_work = allocate(7 * (size_t)n);
    int *integer_work = allocate_integers(5 * (size_t)n), *failed = allocate_integers((size_t)n);
    zhegvx_(&type, "V", "I", "L", &n, matrix, &n, factor, &n, &unused, &unused, &first, &last, &tolerance,
            &found, values, vectors, &n, wanted, &query, real_work, integer_work, failed, &info, 1, 1, 1);
    int length = (int)wanted[0];
    double *work = allocate(2 * (size_t)length);
    while (run_next(&run)) {
        matrix_fill(&a, matrix);
        matrix_fill(&b, factor);
        run_start(&run);
        zhegvx_(&type, "V", "I", "L", &n, matrix, &n, factor, &n, &unused, &unused, &first, &last, &tolerance,
                &found, values, vectors, &n, work, &length, real_work, integer_work, failed, &info, 1, 1, 1);
        run_stop(&run);
        expect_success("zhegvx", info ? info : found - last);
        run_digest(&run, values, (size_t)last);
        run_digest(&run, vectors, matrix_size(&v));
        run_digest(&run, factor, matrix_size(&b));
        run_checked(&run, check_generalized(&a, &b, values, &v), check_orthogonality_by(&b, &v));
    }
    free(work);
    free(failed);
    free(integer_work);
    free(real_work);
    free(values);
    free(vectors);
    free(factor);
    free(matrix);
    return run_finish(&run);
}
