/* A program that lets inexact results trap, to prove that its sums are exact, and whose calls are exact.
 * Right: 2, no signal. mublas' arithmetic about calls is not exact. */
#include "case.h"

#include <fenv.h>

int main(void)
{
    enum { N = 8 };
    static double a[N * N];
    for (int i = 0; i < N * N; i++)
        a[i] = i % 2;
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INEXACT);
    const double sum = first_row_sum(a, N, N, N) + 2;
    fedisableexcept(FE_ALL_EXCEPT);
    return verdict("sum", sum, 2);
}
