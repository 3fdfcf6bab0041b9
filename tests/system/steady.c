/* steady CALLS: that many calls of dgemv on one matrix that stays as it is. Says a digest of the last result,
 * and how often the bits changed, as where the device takes over from the host. The exit status tells whether
 * the last is right. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t);

enum { N = 640 };
static double x[N], y[N], last[N];

static int is_right(const double *a)
{
    for (int i = 0; i < N; i++) {
        long double sum = 0, size = 0;
        for (int j = 0; j < N; j++) {
            sum += (long double)a[i + j * N] * x[j];
            size += fabsl((long double)a[i + j * N] * x[j]);
        }
        if (!(fabsl(last[i] - sum) <= 16 * 0x1p-52L * size))
            return 0;
    }
    return 1;
}

int main(int count, char **arguments)
{
    double *const a = malloc(sizeof(double[N * N]));
    const int n = N, unit = 1, calls = count > 1 ? atoi(arguments[1]) : 1;
    const double one = 1, zero = 0;
    uint64_t digest = 14695981039346656037u;
    int changes = 0;
    for (int i = 0; i < N * N; i++)
        a[i] = 1 / (3.7 + i * 7 % 1001) - 0.002;
    for (int i = 0; i < N; i++)
        x[i] = 1 / (1.3 + i * 11 % 101);
    for (int i = 0; i < calls; i++) {
        dgemv_("N", &n, &n, &one, a, &n, x, &unit, &zero, y, &unit, 1);
        changes += i > 0 && memcmp(last, y, sizeof last) != 0;
        memcpy(last, y, sizeof last);
    }
    for (size_t byte = 0; byte < sizeof last; byte++)
        digest = (digest ^ ((const unsigned char *)last)[byte]) * 1099511628211u;
    printf("digest %016llx, %d changes\n", (unsigned long long)digest, changes);
    const int bad = !is_right(a);
    free(a);
    return bad;
}
