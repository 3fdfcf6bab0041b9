/* C = A B of matrices that stay, or that are written anew before each call:
 * shared_rewritten kept|rewritten [CALLS]. Each result is looked at in some places, beside sums of products. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);

enum { N = 700, USUAL_CALLS = 12, LOOKS = 40 };

static void fill(double *matrix, int seed)
{
    for (size_t i = 0; i < (size_t)N * N; i++)
        matrix[i] = (double)((i * 31 + (size_t)seed * 17) % 101) - 50;
}

/* Whole numbers, whose sums are exact. */
static int count_wrong(const double *a, const double *b, const double *c)
{
    int wrong = 0;
    for (int look = 0; look < LOOKS; look++) {
        const int row = look * 53 % N, column = look * 97 % N;
        double sum = 0;
        for (int k = 0; k < N; k++)
            sum += a[row + k * N] * b[k + column * N];
        wrong += c[row + column * N] != sum;
    }
    return wrong;
}

int main(int count, char **arguments)
{
    const size_t bytes = sizeof(double[N * N]);
    double *const a = malloc(bytes), *const b = malloc(bytes), *const c = malloc(bytes);
    const int n = N, is_rewritten = count > 1 && strcmp(arguments[1], "rewritten") == 0;
    const int calls = count > 2 ? atoi(arguments[2]) : USUAL_CALLS;
    const double one = 1, zero = 0;
    int wrong = 0;
    for (int i = 0; i < calls; i++) {
        if (i == 0 || is_rewritten)
            fill(a, i), fill(b, i + 1);
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
        wrong += count_wrong(a, b, c);
    }
    free(a), free(b), free(c);
    printf("wrong %d\n", wrong);
    return wrong != 0;
}
