/* failing [SIZE]: a few calls, each checked, on a device that fails; with SIZE, level 3 only,
 * on memory large enough to be pinned. One line per wrong result. */
#include "blas_program.h"

#include <stdio.h>

static double *filled(size_t elements, int seed)
{
    double *memory = malloc(elements * sizeof *memory);
    for (size_t i = 0; memory && i < elements; i++)
        memory[i] = (double)((int)(i * 37 + (size_t)seed) % 63 - 31) / 32;
    return memory;
}

static int update_is_wrong(int n, double beta)
{
    enum { TERMS = 4 };
    const int k = TERMS;
    const double alpha = 1.5;
    size_t elements = (size_t)n * (size_t)n;
    double *a = filled((size_t)n * TERMS, 1), *b = filled((size_t)n * TERMS, 2), *c = filled(elements, 3);
    double *before = filled(elements, 3);
    int wrong = 0;
    for (int round = 0; round < 2; round++) {
        memcpy(before, c, elements * sizeof *c);
        dsyr2k_("L", "N", &n, &k, &alpha, a, &n, b, &n, &beta, c, &n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                size_t at = (size_t)i + (size_t)j * (size_t)n;
                double sum = beta * before[at], magnitude = fabs(sum);
                for (int l = 0; l < k; l++) {
                    double one = a[i + l * n] * b[j + l * n], other = b[i + l * n] * a[j + l * n];
                    sum += alpha * (one + other);
                    magnitude += alpha * (fabs(one) + fabs(other));
                }
                wrong += i < j ? c[at] != before[at] : !(fabs(c[at] - sum) <= 32 * DBL_EPSILON * magnitude);
            }
    }
    free(a), free(b), free(c), free(before);
    return wrong;
}

int main(int count, char **arguments)
{
    const int n = count > 1 ? atoi(arguments[1]) : 200;
    int failures = 0;
    double *a = filled((size_t)n * (size_t)n, 5);
    for (int number = 0; number < 3 && count == 1; number++)
        for (int routine = 0; routine < ROUTINES_UNDER_TEST - 1; routine++) {
            a[n / 2 * (n + 1)] += 1;
            if (!call_is_right((enum routine_under_test)routine, a, n, n, n, 1.5, 0.5, number)) {
                printf("routine %d, call %d is wrong\n", routine, number);
                failures++;
            }
        }
    for (int overwrite = 0; overwrite < 2; overwrite++) {
        int wrong = update_is_wrong(n, overwrite ? 0 : 0.5);
        if (wrong > 0)
            printf("dsyr2k, beta %s 0: %d wrong elements\n", overwrite ? "=" : "not", wrong);
        failures += wrong > 0;
    }
    free(a);
    return failures != 0;
}
