/* Prints what fetestexcept says after a call. Right (reference BLAS, OpenBLAS): nothing after the first,
 * overflow after the second, invalid after the third. "device": nothing after any, as where a device computes
 * them.
 *     float_status [device] */
#include "case.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

enum { N = 64 };

static int check(const char *what, const double *a, int right)
{
    feclearexcept(FE_ALL_EXCEPT);
    const double sum = first_row_sum(a, N, N, N);
    const int raised = fetestexcept(FE_ALL_EXCEPT);
    printf("%s: %g; invalid %d, overflow %d, inexact %d: %s\n", what, sum, !!(raised & FE_INVALID),
           !!(raised & FE_OVERFLOW), !!(raised & FE_INEXACT), raised == right ? "same" : "DIFFERS");
    return raised != right;
}

int main(int count, char **arguments)
{
    static double a[N * N];
    const int host = count < 2 || strcmp(arguments[1], "device") != 0;
    int bad = 0;
    for (int i = 0; i < N * N; i++)
        a[i] = 1;
    bad += check("exact", a, 0);
    for (int i = 0; i < N * N; i++)
        a[i] = 1e308;
    bad += check("too large", a, host ? FE_OVERFLOW | FE_INEXACT : 0);
    for (int i = 0; i < N * N; i++)
        a[i] = i / N % 2 ? INFINITY : -INFINITY;
    bad += check("infinity less infinity", a, host ? FE_INVALID : 0);
    return bad != 0;
}
