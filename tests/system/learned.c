/* learned CALLS: on one processor 40 dsymv calls of order 300, then CALLS of order 100 on one
 * matrix. By built-in figures the first are just worth a device, and too few to wake it. */
#include "one_processor.h"

#include <stdio.h>
#include <stdlib.h>

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x,
            const int *incx, const double *beta, double *y, const int *incy);

enum { LARGE = 300, SMALL = 100, WAKING_CALLS = 40 };

int main(int count, char **arguments)
{
    const int large = LARGE, small = SMALL, one = 1, calls = count > 1 ? atoi(arguments[1]) : 0;
    const double alpha = 1, beta = 0;
    double *a = malloc(sizeof(double) * LARGE * LARGE), *x = calloc(LARGE, sizeof(double)),
        *y = calloc(LARGE, sizeof(double));
    if (!a || !x || !y)
        return 1;
    use_one_processor();
    for (int i = 0; i < LARGE * LARGE; i++)
        a[i] = i % 7;
    for (int i = 0; i < WAKING_CALLS; i++)
        dsymv_("L", &large, &alpha, a, &large, x, &one, &beta, y, &one);
    for (int i = 0; i < calls; i++)
        dsymv_("L", &small, &alpha, a, &small, x, &one, &beta, y, &one);
    printf("%d\n", WAKING_CALLS + calls);
    return 0;
}
