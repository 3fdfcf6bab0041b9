/* Small calls, each a routine's first in the process, where a system call kills or an inexact result traps:
 *     first_call filter|trap|both [large]
 * With "large" calls come before that have mublas look for a recipe. Prints a line for each routine. */
#define _GNU_SOURCE
#include <fenv.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t);
void dsymv_(const char *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t);
void dtrmv_(const char *, const char *, const char *, const int *, const double *, const int *, double *,
            const int *, size_t, size_t, size_t);
void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
double ddot_(const int *, const double *, const int *, const double *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, double *, const int *, size_t, size_t);

enum { N = 8, LARGE = 300 };
static double a[LARGE * LARGE], b[LARGE * LARGE], c[LARGE * LARGE];

static void fill(int n)
{
    for (int i = 0; i < n * n; i++) {
        a[i] = b[i] = 1;
        c[i] = 0;
    }
}

static double product(int n)
{
    const double alpha = 1, beta = 0;
    fill(n);
    dgemm_("N", "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n, 1, 1);
    return c[0];
}

static double vector_product(int n)
{
    const double alpha = 1, beta = 0;
    const int one = 1;
    fill(n);
    dgemv_("N", &n, &n, &alpha, a, &n, b, &one, &beta, c, &one, 1);
    return c[0];
}

static double symmetric_product(int n)
{
    const double alpha = 1, beta = 0;
    const int one = 1;
    fill(n);
    dsymv_("U", &n, &alpha, a, &n, b, &one, &beta, c, &one, 1);
    return c[0];
}

static double triangular_product(int n)
{
    const int one = 1;
    fill(n);
    dtrmv_("U", "N", "N", &n, a, &n, b, &one, 1, 1, 1);
    return b[0];
}

static double sum(int n)
{
    const double alpha = 2;
    const int one = 1;
    fill(n);
    daxpy_(&n, &alpha, a, &one, c, &one);
    return ddot_(&n, a, &one, c, &one) / 2;
}

/* Its floor is lower than the others'. */
static double update(int n)
{
    const double alpha = 2, beta = 0;
    const int k = 2;
    fill(n);
    dsyrk_("U", "N", &n, &k, &alpha, a, &n, &beta, c, &n, 1, 1);
    return c[0] * 2;
}

static bool forbid_system_calls(void)
{
    static const unsigned permitted[] = {SYS_read, SYS_write,      SYS_mmap, SYS_munmap,
                                         SYS_brk,  SYS_exit_group, SYS_futex};
    enum { PERMITTED = sizeof permitted / sizeof *permitted };
    struct sock_filter filter[PERMITTED + 3];
    struct sock_fprog program = {PERMITTED + 3, filter};
    filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < PERMITTED; i++)
        filter[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, permitted[i],
                                                     (unsigned char)(PERMITTED - i), 0);
    filter[PERMITTED + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    filter[PERMITTED + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(int count, char **arguments)
{
    static double (*const small[])(int) = {vector_product, symmetric_product, triangular_product, sum, update,
                                           product};
    static char line[] = "right 0\n";
    const char *what = count > 1 ? arguments[1] : "";
    int wrong = 0;
    if (count > 2 && (product(LARGE) != LARGE || product(LARGE) != LARGE))
        return 3;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(what, "trap") != 0 && !forbid_system_calls())
        return 77;
    feclearexcept(FE_ALL_EXCEPT);
    if (strcmp(what, "filter") != 0)
        feenableexcept(FE_INEXACT | FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        const bool right = small[i](N) == N;
        line[6] = (char)('0' + i);
        wrong += !right || write(STDOUT_FILENO, line, sizeof line - 1) < 0;
    }
    _exit(wrong != 0);
}
