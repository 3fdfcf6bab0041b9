/* A BLAS of two routines; which code a product is, it tells itself when it is asked for (STT_GNU_IFUNC), as
 * libraries do that have one for each processor. */
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemm_(void);

static double dot(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    double sum = 0;
    for (int i = 0; i < *n; i++)
        sum += x[i * *incx] * y[i * *incy];
    return sum;
}

static double (*choose(void))(const int *, const double *, const int *, const double *, const int *)
{
    return dot;
}

__attribute__((ifunc("choose")))
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

void dgemm_(void)
{
}
