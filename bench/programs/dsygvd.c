/* dsygvd.c - all eigenpairs of A x = lambda B x, A symmetric and B positive definite. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dsygvd", count, arguments, 0);
    int n = run.n, type = 1, query = -1, integers, info;
    struct matrix a = problem_symmetric(n), b = problem_definite(n);
    double *vectors = allocate(matrix_size(&a)), *factor = allocate(matrix_size(&b));
    double *values = allocate((size_t)n), wanted;
    struct matrix v = matrix_dense((size_t)n, (size_t)n, vectors);
    dsygvd_(&type, "V", "L", &n, vectors, &n, factor, &n, values, &wanted, &query, &integers, &query, &info,
            1, 1);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    int *integer_work = allocate_integers((size_t)integers);
    while (run_next(&run)) {
        matrix_fill(&a, vectors);
        matrix_fill(&b, factor);
        run_start(&run);
        dsygvd_(&type, "V", "L", &n, vectors, &n, factor, &n, values, work, &length, integer_work, &integers,
                &info, 1, 1);
        run_stop(&run);
        expect_success("dsygvd", info);
        run_digest(&run, values, (size_t)n);
        run_digest(&run, vectors, matrix_size(&a));
        run_digest(&run, factor, matrix_size(&b));
        run_checked(&run, check_generalized(&a, &b, values, &v), check_orthogonality_by(&b, &v));
    }
    free(integer_work);
    free(work);
    free(values);
    free(factor);
    free(vectors);
    return run_finish(&run);
}
