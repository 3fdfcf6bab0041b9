/* A task with a stack of its own, as Julia's, is interrupted in a LAPACK call: a handler leaves the call by
 * siglongjmp, the task's stack is unmapped, and another task, whose stack lies lower, makes the next calls. A record
 * on the stack that is gone must not be looked at. Right: each sum of eigenvalues is the matrix's trace. The
 * arguments are the kind of matrix, general or symmetric, and the order, of the call that is left. */
#define _GNU_SOURCE
#include "case.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

void dgeev_(const char *, const char *, const int *, double *, const int *, double *, double *, double *,
            const int *, double *, const int *, double *, const int *, int *, size_t, size_t);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *,
             int *, const int *, int *, size_t, size_t);

enum { STACK_BYTES = 1 << 20, MICROSECONDS = 50000 };
static sigjmp_buf out;
static ucontext_t main_context, task;
static int order, bad, is_general;
static volatile sig_atomic_t armed;

static void leave(int signal)
{
    (void)signal;
    if (armed) {
        armed = 0;
        siglongjmp(out, 1);
    }
}

static double element(int i, int j)
{
    return i == j ? i : 1.0 / (1 + i + j);
}

static double *matrix(int n, double *trace)
{
    double *const a = malloc(sizeof(double) * (size_t)n * (size_t)n);
    *trace = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i + (size_t)j * (size_t)n] = element(i, j);
    for (int i = 0; i < n; i++)
        *trace += element(i, i);
    return a;
}

static void judge(const char *what, const double *w, int n, int info, double trace)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += w[i];
    bad += verdict(what, info == 0 ? fabs(sum - trace) < 1e-6 * (1 + trace) : -1, 1);
}

static void general(int n)
{
    const int lwork = 40 * n, one = 1;
    double trace, *const a = matrix(n, &trace), *const w = malloc(sizeof(double) * (size_t)n),
                  *const wi = malloc(sizeof(double) * (size_t)n),
                  *const v = malloc(sizeof(double) * (size_t)n * (size_t)n),
                  *const work = malloc(sizeof(double) * (size_t)lwork);
    int info = -9;
    dgeev_("V", "N", &n, a, &n, w, wi, v, &n, NULL, &one, work, &lwork, &info, 1, 1);
    judge("dgeev", w, n, info, trace);
}

static void symmetric(int n)
{
    const int lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n;
    double trace, *const a = matrix(n, &trace), *const w = malloc(sizeof(double) * (size_t)n),
                  *const work = malloc(sizeof(double) * (size_t)lwork);
    int *const iwork = malloc(sizeof(int) * (size_t)liwork), info = -9;
    dsyevd_("V", "U", &n, a, &n, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    judge("dsyevd", w, n, info, trace);
}

static void first(void)
{
    for (;;)
        is_general ? general(order) : symmetric(order);
}

static void second(void)
{
    general(60);
    symmetric(100);
}

static void run_task(void (*work)(void), char *stack)
{
    getcontext(&task);
    task.uc_stack.ss_sp = stack;
    task.uc_stack.ss_size = STACK_BYTES;
    task.uc_link = &main_context;
    makecontext(&task, work, 0);
    swapcontext(&main_context, &task);
}

static char *map(int protection)
{
    return mmap(NULL, STACK_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(int count, char **arguments)
{
    const struct itimerval soon = {{0, 0}, {0, MICROSECONDS}};
    const struct sigaction action = {.sa_handler = leave};
    char *const one = map(PROT_READ | PROT_WRITE), *const gap = map(PROT_NONE),
                *const other = map(PROT_READ | PROT_WRITE);
    char *const high = one > other ? one : other, *const low = one > other ? other : one;
    is_general = count > 1 && strcmp(arguments[1], "general") == 0;
    order = count > 2 ? atoi(arguments[2]) : 300;
    sigaction(SIGALRM, &action, NULL);
    if (sigsetjmp(out, 1) == 0) {
        armed = 1;
        setitimer(ITIMER_REAL, &soon, NULL);
        run_task(first, high);
    }
    munmap(high, STACK_BYTES);
    run_task(second, low);
    symmetric(50);
    munmap(gap, STACK_BYTES);
    return bad != 0;
}
