/* dgeqrf.c - QR factorisation of a square matrix. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dgeqrf", count, arguments, 0);
    int n = run.n, query = -1, info;
    struct matrix a = problem_general(n, n);
    double *matrix = allocate(matrix_size(&a)), *tau = allocate((size_t)n), wanted;
    dgeqrf_(&n, &n, matrix, &n, tau, &wanted, &query, &info);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    while (run_next(&run)) {
        double orthogonality;
        matrix_fill(&a, matrix);
        run_start(&run);
        dgeqrf_(&n, &n, matrix, &n, tau, work, &length, &info);
        run_stop(&run);
        expect_success("dgeqrf", info);
        run_digest(&run, matrix, matrix_size(&a));
        run_digest(&run, tau, (size_t)n);
        double residual = check_qr(&a, matrix, tau, &orthogonality);
        run_checked(&run, residual, orthogonality);
    }
    free(work);
    free(tau);
    free(matrix);
    return run_finish(&run);
}
