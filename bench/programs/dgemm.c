/* dgemm.c - C = A B of square matrices in host memory, which are written anew before each repetition. With
 * EXTRA 2 (default 1) the program has pinned that memory, as programs with CUDA of their own do. */
#include "checks.h"
#include "lapack.h"
#include "pinned.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("dgemm", count, arguments, ORDINARY);
    const int n = run.n;
    const double one = 1, zero = 0;
    const struct matrix a = problem_symmetric(n), b = problem_general(n, n);
    const size_t size = matrix_size(&a);
    double *memory[] = {allocate(size), allocate(size), allocate(size)};
    double *left = memory[0], *right = memory[1], *product = memory[2];
    const struct matrix c = matrix_dense((size_t)n, (size_t)n, product);
    for (int i = 0; i < 3 && run.extra != ORDINARY; i++)
        pin(memory[i], size * sizeof(double));
    while (run_next(&run)) {
        matrix_fill(&a, left);
        matrix_fill(&b, right);
        run_start(&run);
        dgemm_("N", "N", &n, &n, &n, &one, left, &n, right, &n, &zero, product, &n, 1, 1);
        run_stop(&run);
        run_digest(&run, product, size);
        run_checked(&run, check_solution(&a, &b, &c), -1);
    }
    if (run.extra != ORDINARY)
        return run_finish(&run); /* pinned memory goes with the process */
    for (int i = 0; i < 3; i++)
        free(memory[i]);
    return run_finish(&run);
}
