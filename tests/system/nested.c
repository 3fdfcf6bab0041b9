/* Calls of a host BLAS that calls BLAS from threads of its own (worker_blas.c), by several
 * threads of the program at once. One line for everything that is wrong. */
#include "blas_program.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

enum { SIZE = 100, CALLERS = 3, ROUNDS = 4 };

static double matrix[SIZE * SIZE];

static bool product_is_right(void)
{
    const int n = SIZE;
    const double alpha = 1, beta = 0;
    double *product = malloc(sizeof matrix);
    bool good = true;
    dgemm_("N", "N", &n, &n, &n, &alpha, matrix, &n, matrix, &n, &beta, product, &n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double sum = 0; /* of small multiples of 2**-10: exact */
            for (int k = 0; k < n; k++)
                sum += matrix[i + k * n] * matrix[k + j * n];
            good = good && product[i + j * n] == sum;
        }
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
