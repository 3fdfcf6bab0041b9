/* dsytrd.c - LAPACK's reduction of a symmetric matrix to tridiagonal form. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dsytrd", count, arguments, 0);
    int n = run.n, query = -1, info;
    struct matrix a = problem_symmetric(n);
    double *reflectors = allocate(matrix_size(&a)), *d = allocate((size_t)n), *e = allocate((size_t)n);
    double *tau = allocate((size_t)n), wanted, orthogonality;
    dsytrd_("L", &n, reflectors, &n, d, e, tau, &wanted, &query, &info, 1);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    while (run_next(&run)) {
        matrix_fill(&a, reflectors);
        run_start(&run);
        dsytrd_("L", &n, reflectors, &n, d, e, tau, work, &length, &info, 1);
        run_stop(&run);
        expect_success("dsytrd", info);
        run_digest(&run, d, (size_t)n);
        run_digest(&run, e, (size_t)n - 1);
        run_digest(&run, reflectors, matrix_size(&a));
        double residual = check_tridiagonal(&a, reflectors, d, e, tau, &orthogonality);
        run_checked(&run, residual, orthogonality);
    }
    free(work);
    free(tau);
    free(e);
    free(d);
    free(reflectors);
    return run_finish(&run);
}
