/* A plug-in whose constructor waits for a thread that calls BLAS. plugin_check: as plugin.c has it. */
#include <pthread.h>
#include <stddef.h>

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t uplo_length);
int plugin_check(void);

static double product[2];

static void *multiply(void *unused)
{
    static const int one = 1, two = 2;
    static const double matrix[4] = {1, 2, 0, 3}, vector[2] = {3, 4}, alpha = 1, beta = 0;
    dsymv_("L", &two, &alpha, matrix, &two, vector, &one, &beta, product, &one, 1);
    return unused;
}

__attribute__((constructor)) static void wait_for_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, multiply, NULL) == 0)
        pthread_join(thread, NULL);
}

int plugin_check(void)
{
    return product[0] == 11 && product[1] == 18 ? 5 : 0;
}
