/* A program of anybody's: a product, and a linear system by LAPACK. Exit status 0: both are right. */
#include <math.h>
#include <stdio.h>

void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
void dposv_(const char *, const int *, const int *, double *, const int *, double *, const int *, int *);

int main(void)
{
    enum { N = 50 };
    static double a[N * N], x[N], y[N];
    const int n = N, one = 1;
    const double alpha = 1, beta = 0;
    double error = 0;
    int info;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            a[j * N + i] = i == j ? N : 1.0 / (1 + i + j);
    for (int i = 0; i < N; i++)
        x[i] = 1 + i;
    dgemv_("N", &n, &n, &alpha, a, &n, x, &one, &beta, y, &one);
    dposv_("L", &n, &one, a, &n, y, &n, &info);
    for (int i = 0; i < N; i++)
        error = fmax(error, fabs(y[i] - x[i]));
    printf("info %d, error %g\n", info, error);
    return info != 0 || !(error < 1e-11);
}
