/* solved: dgesv, whose matrix products have left on the device, and whose right-hand sides they have not: the
 * matrix comes home first, by its mirror. Prints whether the solution is right. */
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

extern void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
extern void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
                   const double *, const int *, const double *, const int *, const double *, double *,
                   const int *, size_t, size_t);

enum { N = 200, SIDES = 3 };

static double number(int i, int j)
{
    return (double)((i * 37 + j * 101 + i * j % 17) % 1000) / 1000 - 0.5 + (i == j ? N : 0);
}

/* In a mapping of its own. */
static double *matrix(int columns)
{
    double *const a = mmap(NULL, sizeof *a * (size_t)(N * columns), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (a == MAP_FAILED)
        exit(2);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < N; i++)
            a[i + j * N] = number(i, j);
    return a;
}

int main(void)
{
    const int n = N, sides = SIDES;
    const double one = 1, zero = 0;
    double *const a = matrix(N), *const b = matrix(SIDES), *const c = matrix(SIDES), *const d = matrix(SIDES),
                  worst = 0;
    int pivots[N], info = -1;
    for (int i = 0; i < 2; i++)
        dgemm_("N", "N", &n, &sides, &n, &one, a, &n, c, &n, &zero, d, &n, 1, 1);
    dgesv_(&n, &sides, a, &n, pivots, b, &n, &info);
    for (int j = 0; j < SIDES; j++)
        for (int i = 0; i < N; i++) {
            double sum = -number(i, j);
            for (int k = 0; k < N; k++)
                sum += number(i, k) * b[k + j * N];
            worst = isnan(sum) ? INFINITY : fmax(worst, fabs(sum));
        }
    tap_ok(info == 0 && worst < 1e-10, "INFO %d, residual %.1g", info, worst);
    return tap_done();
}
