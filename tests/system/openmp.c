/* BLAS from OpenMP: a parallel loop on a shared matrix, loops inside loops, tasks, and a loop
 * whose iterations write into one matrix column by column. */
#include "blas_program.h"
#include "tap.h"

#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#else
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

enum { SIZE = 80, THREADS = 4, CALLS = 24 };

static double matrix[SIZE * SIZE], product[SIZE * SIZE];

static int parallel_loop(void)
{
    int right = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : right)
    for (int i = 0; i < CALLS; i++)
        right += call_is_right((enum routine_under_test)(i % SSYMV), matrix, SIZE, SIZE, SIZE, 1.5, 0.5, i);
    return right;
}

static int nested_loops(void)
{
    int right = 0;
#pragma omp parallel for num_threads(2) reduction(+ : right)
    for (int i = 0; i < 4; i++) {
#pragma omp parallel for num_threads(2) reduction(+ : right)
        for (int j = 0; j < CALLS / 4; j++)
            right += call_is_right(DSYMV, matrix, SIZE, SIZE, SIZE, 1, 0.5, i + j);
    }
    return right;
}

static int tasks(void)
{
    int right = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < CALLS; i++) {
#pragma omp task shared(right)
        {
            bool good = call_is_right(DGEMV_T, matrix, SIZE, SIZE, SIZE, 1, 0.5, i);
#pragma omp atomic
            right += good;
        }
    }
    return right;
}

/* product = matrix * matrix, a column an iteration: neighbours lie in one page. */
static bool columns(void)
{
    const int n = SIZE, one = 1;
    const double alpha = 1, beta = 0;
#pragma omp parallel for num_threads(THREADS) schedule(static, 1)
    for (int j = 0; j < SIZE; j++)
        dgemv_("N", &n, &n, &alpha, matrix, &n, matrix + j * SIZE, &one, &beta, product + j * SIZE, &one);
    for (int j = 0; j < SIZE; j++)
        for (int i = 0; i < SIZE; i++) {
            double sum = 0; /* of small multiples of 2**-10: exact */
            for (int k = 0; k < SIZE; k++)
                sum += matrix[i + k * SIZE] * matrix[k + j * SIZE];
            if (product[i + j * SIZE] != sum)
                return false;
        }
    return true;
}

int main(void)
{
#ifndef _OPENMP
    tap_skip_all("the C compiler has no OpenMP");
#elif defined __SANITIZE_THREAD__
    tap_skip_all("ThreadSanitizer does not know the OpenMP library's barriers");
#else
    omp_set_max_active_levels(2);
#endif
    alarm(300); /* a deadlock ends here */
    for (int i = 0; i < SIZE * SIZE; i++)
        matrix[i] = (double)(i * 37 % 63) / 32 - 1;
    int right = parallel_loop();
    tap_ok(right == CALLS, "a parallel loop: %d of %d calls right", right, CALLS);
    right = nested_loops();
    tap_ok(right == CALLS, "a loop in a loop: %d of %d calls right", right, CALLS);
    right = tasks();
    tap_ok(right == CALLS, "tasks: %d of %d calls right", right, CALLS);
    tap_ok(columns(), "columns of one matrix, computed at once");
    return tap_done();
}
