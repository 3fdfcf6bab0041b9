/* learned CALLS [trmv|small|shrinking]: on one processor 40 dsymv calls of order 300, then CALLS of order 100
 * on one matrix, or dtrmv calls, or only those of order 100, or those of order 100, 99 and so on; all of the
 * lower triangle. The first dsymv are just worth a device by built-in figures, and too few to wake it. */
#include "one_processor.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x,
            const int *incx, const double *beta, double *y, const int *incy);

void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx);

enum { LARGE = 300, SMALL = 100, WAKING_CALLS = 40 };

static void call(bool trmv, int n, const double *a, double *x, double *y)
{
    const int one = 1;
    const double alpha = 1, beta = 0;
    if (trmv)
        dtrmv_("L", "N", "N", &n, a, &n, x, &one);
    else
        dsymv_("L", &n, &alpha, a, &n, x, &one, &beta, y, &one);
}

int main(int count, char **arguments)
{
    const int calls = count > 1 ? atoi(arguments[1]) : 0;
    const bool trmv = count > 2 && strcmp(arguments[2], "trmv") == 0;
    const bool shrinking = count > 2 && strcmp(arguments[2], "shrinking") == 0;
    const int large = shrinking || (count > 2 && strcmp(arguments[2], "small") == 0) ? 0 : WAKING_CALLS;
    double *a = malloc(sizeof(double) * LARGE * LARGE), *x = calloc(LARGE, sizeof(double)),
        *y = calloc(LARGE, sizeof(double));
    if (!a || !x || !y)
        return 1;
    use_one_processor();
    for (int i = 0; i < LARGE * LARGE; i++)
        a[i] = i % 7;
    for (int i = 0; i < large; i++)
        call(trmv, LARGE, a, x, y);
    for (int i = 0; i < calls; i++)
        call(trmv, shrinking ? SMALL - i % SMALL : SMALL, a, x, y);
    printf("%d\n", large + calls);
    return 0;
}
