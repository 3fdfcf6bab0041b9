/* A product of matrices so long that their blocks fill the staging memory many times over before
 * the first tile is done: copies run far ahead of the products. Small whole numbers: any order of
 * summation is exact. And two factors that begin at one address with other leading dimensions. */
#include "tap.h"

#include <stdint.h>
#include <stdlib.h>

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);

void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
             const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
             const int *ldc);

enum { M = 60, N = 52, K = 48000 };

static double entry(int64_t row, int64_t column)
{
    return (double)((row * 7 + column * column % 97 + row * column % 61) % 16 - 7);
}

static void test_one_address(void)
{
    enum { ORDER = 90, DEPTH = 70 };
    const int n = ORDER, k = DEPTH, lda = ORDER, ldb = 2 * ORDER;
    const double alpha = 1, beta = 0;
    double *a = malloc(sizeof *a * 2 * ORDER * DEPTH), *c = malloc(sizeof *c * ORDER * ORDER);
    int wrong = 0;
    if (!a || !c)
        exit(1);
    for (int64_t i = 0; i < 2 * ORDER * DEPTH; i++)
        a[i] = entry(i, i / 11);
    dsyr2k_("L", "N", &n, &k, &alpha, a, &lda, a, &ldb, &beta, c, &n);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = j; i < n; i++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += a[i + l * lda] * a[j + l * ldb] + a[i + l * ldb] * a[j + l * lda];
            wrong += sum != c[i + j * n];
        }
    }
    tap_ok(wrong == 0, "factors that begin at one address with other leading dimensions: %d elements wrong",
           wrong);
    free(a);
    free(c);
}

int main(void)
{
    const int m = M, n = N, k = K;
    const double alpha = 1, beta = 2;
    double *a = malloc(sizeof *a * M * K), *b = malloc(sizeof *b * K * N), *c = malloc(sizeof *c * M * N);
    if (!a || !b || !c)
        return 1;
    for (int64_t l = 0; l < K; l++) {
        for (int64_t i = 0; i < M; i++)
            a[l * M + i] = entry(i, l);
        for (int64_t j = 0; j < N; j++)
            b[j * K + l] = entry(l, j + 100);
    }
    for (int64_t i = 0; i < M * N; i++)
        c[i] = (double)i;
    dgemm_("N", "N", &m, &n, &k, &alpha, a, &m, b, &k, &beta, c, &m);
    int wrong = 0;
    for (int64_t i = 0; i < M; i++) {
        for (int64_t j = 0; j < N; j++) {
            double sum = 2 * (double)(j * M + i);
            for (int64_t l = 0; l < K; l++)
                sum += entry(i, l) * entry(l, j + 100);
            wrong += sum != c[j * M + i];
        }
    }
    tap_ok(wrong == 0, "a product of %d by %d by %d: %d elements wrong", M, N, K, wrong);
    free(a);
    free(b);
    free(c);
    test_one_address();
    return tap_done();
}
