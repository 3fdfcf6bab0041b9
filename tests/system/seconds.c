/* Some seconds of a slow BLAS and LAPACK: the eigenvalues and vectors of a matrix of order 600, then six products
 * of order 512. */
#include <stdlib.h>

enum { ORDER = 512, PRODUCTS = 6, EIGEN_ORDER = 600 };

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info);

static void fill(double *matrix, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            matrix[i + j * n] = (double)((i + 1) * (j + 1) % 101);
}

static int solve(void)
{
    static double matrix[EIGEN_ORDER * EIGEN_ORDER], values[EIGEN_ORDER];
    const int n = EIGEN_ORDER, length = 1 + 6 * n + 2 * n * n, integer_length = 3 + 5 * n;
    double *const work = malloc((size_t)length * sizeof *work);
    int *const integers = malloc((size_t)integer_length * sizeof *integers), info = 1;
    fill(matrix, n);
    if (work && integers)
        dsyevd_("V", "L", &n, matrix, &n, values, work, &length, integers, &integer_length, &info);
    free(work);
    free(integers);
    return info;
}

int main(void)
{
    static double a[ORDER * ORDER], b[ORDER * ORDER], c[ORDER * ORDER];
    const int n = ORDER;
    const double one = 1, zero = 0;
    const int info = solve();
    fill(a, n);
    fill(b, n);
    for (int i = 0; i < PRODUCTS; i++)
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    return info != 0;
}
