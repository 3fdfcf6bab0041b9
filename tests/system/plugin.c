/* A plug-in that brings BLAS along, as Python extensions do; its constructor
 * already calls BLAS. plugin_check: how many of its results were right. */
#include <complex.h>
#include <stddef.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t uplo_length);
double _Complex zdotc_(const int *n, const double _Complex *x, const int *incx, const double _Complex *y,
                       const int *incy);
int plugin_check(void);

static const int one = 1, two = 2;
static const double vector[2] = {3, 4};
static double early;

__attribute__((constructor)) static void call_early(void)
{
    early = ddot_(&two, vector, &one, vector, &one);
}

int plugin_check(void)
{
    const double matrix[4] = {1, 2, 0, 3}, alpha = 1, beta = 0;
    const double _Complex z[2] = {1 + 2 * I, 3};
    double y[2] = {1, 1}, product[2];
    daxpy_(&two, &alpha, vector, &one, y, &one);
    dsymv_("L", &two, &alpha, matrix, &two, vector, &one, &beta, product, &one, 1);
    return (early == 25) + (ddot_(&two, vector, &one, vector, &one) == 25) + (y[0] == 4 && y[1] == 5) +
           (product[0] == 11 && product[1] == 18) + (zdotc_(&two, z, &one, z, &one) == 14);
}
