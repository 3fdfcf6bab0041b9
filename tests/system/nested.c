/* Calls of a host BLAS that calls BLAS from threads of its own (worker_blas.c), by several
 * threads of the program at once. One line for everything that is wrong. */
#include "blas_program.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx, const double *y,
           const int *incy, double *a, const int *lda);

enum { SIZE = 100, CALLERS = 3, ROUNDS = 4 };

static double matrix[SIZE * SIZE];

static bool product_is_right(void)
{
    const int n = SIZE, one = 1;
    const double alpha = 2;
    double *product = malloc(sizeof matrix);
    bool good = true;
    for (int i = 0; i < n * n; i++)
        product[i] = matrix[i];
    dger_(&n, &n, &alpha, matrix, &one, matrix + n, &one, product, &n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) /* small multiples of 2**-10: exact */
            good = good && product[i + j * n] == matrix[i + j * n] + 2 * matrix[i] * matrix[n + j];
    free(product);
    return good;
}

static void *call(void *number)
{
    bool good = true;
    for (int round = 0; round < ROUNDS; round++) {
        good = call_is_right(DSYMV, matrix, SIZE, SIZE, SIZE, 1.5, 0.5, round) && good;
        good = product_is_right() && good;
    }
    return good ? number : NULL;
}

int main(void)
{
    pthread_t threads[CALLERS];
    int right = 0;
    alarm(120); /* a deadlock ends here */
    for (int i = 0; i < SIZE * SIZE; i++)
        matrix[i] = (double)(i * 37 % 63) / 32 - 1;
    for (int i = 0; i < CALLERS; i++)
        if (pthread_create(&threads[i], NULL, call, matrix) != 0)
            abort();
    for (int i = 0; i < CALLERS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        right += result != NULL;
    }
    if (right < CALLERS)
        printf("%d of %d threads right\n", right, CALLERS);
    return right < CALLERS;
}
