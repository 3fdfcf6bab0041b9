/* errno before and after calls that succeed. Right: 0, as reference BLAS and OpenBLAS leave it. Files are
 * looked for and found missing meanwhile: a recipe, or what a device wants. */
#include "case.h"

#include <errno.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);

int main(void)
{
    enum { N = 64 };
    static double a[N * N], b[N * N], c[N * N];
    const double alpha = 1, beta = 0;
    const int n = N, one = 1;
    double x[N] = {0}, y[N];
    int bad = 0;
    errno = 0;
    dgemv_("N", &n, &n, &alpha, a, &n, x, &one, &beta, y, &one, 1);
    bad += verdict("errno after dgemv", errno, 0);
    errno = 0;
    dgemm_("N", "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n, 1, 1);
    bad += verdict("errno after dgemm", errno, 0);
    return bad != 0;
}
