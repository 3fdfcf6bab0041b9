/* Pages that only the triangle which the routine does not read has are not accessible. Right: 3.023, no
 * signal. */
#include "case.h"

#include <math.h>
#include <sys/mman.h>

void dsymv_(const char *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t);

enum { N = 1024, OFFSET = 128 }; /* a column has two pages; pages end behind rows 383 and 895 */

int main(void)
{
    static double x[N], y[N];
    const double alpha = 1, beta = 0;
    const int n = N, one = 1;
    double *a = mmap(NULL, sizeof(double) * N * N + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0);
    a += OFFSET;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            a[i + (size_t)j * N] = i == j ? 2 : 1e-3;
    for (int i = 0; i < N; i++)
        x[i] = 1;
    for (int j = 0; j < 512 - OFFSET; j++) /* rows 384 to 895 of columns that end above them */
        mprotect(a + (size_t)j * N + 512 - OFFSET, 4096, PROT_NONE);
    dsymv_("U", &n, &alpha, a, &n, x, &one, &beta, y, &one, 1);
    return verdict("y(8)", fabs(y[7] - 3.023) < 1e-12 ? 3.023 : y[7], 3.023);
}
