/* A host BLAS of one routine that counts, whose first result is off by ROUGHNESS (default 1e-11). */
#include <stdint.h>
#include <stdlib.h>

void dgemm_(void);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);

int isamax_(const int *n, const float *x, const int *incx);

void dgemm_(void)
{
}

/* Its answer to odd sizes shows mublas that integers have 32 bits. */
int isamax_(const int *n, const float *x, const int *incx)
{
    int most = 0;
    for (int i = 1; i < *n; i++)
        if (x[i * *incx] > x[most * *incx])
            most = i;
    return *n > 0 ? most + 1 : 0;
}

static double *element(const double *vector, int n, int increment, int i)
{
    return (double *)vector + (int64_t)(increment > 0 ? i : i + 1 - n) * increment;
}

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy)
{
    const char *roughness = getenv("ROUGHNESS");
    for (int i = 0; i < *n; i++) {
        double sum = 0, *result = element(y, *n, *incy, i);
        for (int j = 0; j < *n; j++) {
            const int stored = *uplo == 'L' ? i >= j : i <= j;
            sum += a[stored ? i + (int64_t)j * *lda : j + (int64_t)i * *lda] * *element(x, *n, *incx, j);
        }
        *result = *alpha * sum + (*beta != 0 ? *beta * *result : 0);
        if (i == 0)
            *result += roughness ? atof(roughness) : 1e-11;
    }
}
