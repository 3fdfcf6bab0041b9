/* Calls from a stack that is not aligned: a handler of signals, or a program's own switch of stacks, has moved it
 * by 8. Right: what the calls give otherwise. With an argument also of routines that crash so in many hosts, and not
 * on a device. */
#include "case.h"

#include <math.h>
#include <stdint.h>

#if !defined __x86_64__
int main(void)
{
    return fprintf(stderr, "the processor keeps the stack aligned\n"), 2;
}
#else
void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
void dscal_(const int *, const double *, double *, const int *);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *,
             int *, const int *, int *, size_t, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);

enum { N = 200 };
static double a[N * N], row[N], sums[N];
static const int n = N, one = 1;

/* `function` with the stack 8 off. Six arguments have registers; more are where they would be. */
static void odd(void *function, const void *const *arguments, int count)
{
    void *unused;
    uintptr_t *stack = malloc(1 << 20), *top = stack + (1 << 17) - 64;
    top = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)15) + 1;
    for (int i = 6; i < count; i++)
        top[i - 6] = (uintptr_t)arguments[i];
    register const void *first __asm__("rdi") = arguments[0];
    register const void *second __asm__("rsi") = arguments[1];
    register const void *third __asm__("rdx") = arguments[2];
    register const void *fourth __asm__("rcx") = arguments[3];
    register const void *fifth __asm__("r8") = arguments[4];
    register const void *sixth __asm__("r9") = arguments[5];
    register void *called __asm__("r10") = function;
    register uintptr_t *at __asm__("r11") = top;
    __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %%r11, %%rsp\n\tcall *%%r10\n\tmovq %%rbx, %%rsp"
                     : "=a"(unused), "+r"(first), "+r"(second), "+r"(third), "+r"(fourth), "+r"(fifth),
                       "+r"(sixth), "+r"(called), "+r"(at)
                     :
                     : "rbx", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    free(stack);
}

#define ODD(function, ...)                                                                                    \
    odd((void *)(uintptr_t)function, (const void *const[]){__VA_ARGS__},                                      \
        (int)(sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)))

static void fill(void)
{
    for (int i = 0; i < N * N; i++)
        a[i] = i % (N + 1) == 0 ? N : 1; /* eigenvalues N - 1 and 2 N - 1 */
}

static double near(double value, double right)
{
    return fabs(value - right) < 1e-9 * right ? right : value;
}

/* Many hosts need no alignment for these. */
static int small(void)
{
    static const double factor = 3;
    int bad = 0;
    fill();
    ODD(daxpy_, &n, &factor, a, &one, row, &one, NULL);
    bad += verdict("daxpy", row[0] + row[1], 3 * N + 3);
    ODD(dscal_, &n, &factor, row, &one, NULL, NULL);
    return bad + verdict("dscal", row[1], 9);
}

static int large(void)
{
    enum { LWORK = 1 + 6 * N + 2 * N * N, LIWORK = 3 + 5 * N };
    static double work[LWORK], values[N];
    static int integers[LIWORK];
    static const double alpha = 1, beta = 0;
    static const int lwork = LWORK, liwork = LIWORK;
    static const void *const length = (const void *)1;
    int info = 0, bad = 0;
    for (int i = 0; i < N; i++)
        row[i] = 1;
    ODD(dgemv_, "N", &n, &n, &alpha, a, &n, row, &one, &beta, sums, &one, length);
    bad += verdict("dgemv", sums[0], 2 * N - 1);
    ODD(dsyevd_, "V", "U", &n, a, &n, values, work, &lwork, integers, &liwork, &info, length, length);
    bad += verdict("dsyevd", near(values[N - 1], 2 * N - 1), 2 * N - 1);
    fill();
    ODD(dpotrf_, "L", &n, a, &n, &info, length);
    return bad + info + verdict("dpotrf", near(a[0] * a[0], N), N);
}

int main(int count, char **arguments)
{
    (void)arguments;
    return small() + (count > 1 ? large() : 0) != 0;
}
#endif
