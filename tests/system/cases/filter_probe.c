/* A program that asks whether the kernel knows filters of system calls, which sets none up. Right: 512, on
 * the device in always mode. */
#include "case.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

int main(void)
{
    enum { N = 512 };
    static double a[N * N];
    for (int i = 0; i < N * N; i++)
        a[i] = 1;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) == 0)
        return fprintf(stderr, "a filter of nothing was accepted\n"), 2;
    return verdict("sum", first_row_sum(a, N, N, N), N);
}
