/* A library that the program is linked with, and that calls BLAS as soon and as late as it can. */
#include "lifetime.h"

#include <string.h>
#include <unistd.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);

static int right;

static void call(const char *good, const char *bad)
{
    const int two = 2, one = 1;
    const double matrix[4] = {1, 2, 3, 4}, x[2] = {5, 6}, alpha = 1, beta = 0;
    double y[2];
    dgemv_("N", &two, &two, &alpha, matrix, &two, x, &one, &beta, y, &one);
    const char *text = y[0] == 23 && y[1] == 34 && ddot_(&two, x, &one, x, &one) == 61 ? good : bad;
    right += text == good;
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(1);
}

__attribute__((constructor)) static void construct(void)
{
    call("library's constructor: right\n", "library's constructor: wrong\n");
}

__attribute__((destructor)) static void destruct(void)
{
    call("library's destructor: right\n", "library's destructor: wrong\n");
}

int lifetime_library_calls(void)
{
    return right;
}
