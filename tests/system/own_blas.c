/* A BLAS inside the library that uses it, as a static libblas.a is: nobody else sees
 * it, and its calls cannot be intercepted. As much as plugin.c needs. */
#include <complex.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t uplo_length);
double _Complex zdotc_(const int *n, const double _Complex *x, const int *incx, const double _Complex *y,
                       const int *incy);

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    double sum = 0;
    for (int i = 0; i < *n; i++)
        sum += x[i * *incx] * y[i * *incy];
    return sum;
}

void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy)
{
    for (int i = 0; i < *n; i++)
        y[i * *incy] += *alpha * x[i * *incx];
}

/* The lower triangle. */
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t uplo_length)
{
    (void)uplo, (void)uplo_length;
    for (int i = 0; i < *n; i++) {
        double sum = 0;
        for (int j = 0; j < *n; j++)
            sum += a[i > j ? i + j * *lda : j + i * *lda] * x[j * *incx];
        y[i * *incy] = *alpha * sum + (*beta == 0 ? 0 : *beta * y[i * *incy]);
    }
}

double _Complex zdotc_(const int *n, const double _Complex *x, const int *incx, const double _Complex *y,
                       const int *incy)
{
    double _Complex sum = 0;
    for (int i = 0; i < *n; i++)
        sum += conj(x[i * *incx]) * y[i * *incy];
    return sum;
}
#pragma GCC visibility pop
