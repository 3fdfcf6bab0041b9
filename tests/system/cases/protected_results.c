/* Results of LAPACK in write-protected memory that the program's handler opens page by page: checkpoints, write
 * barriers of collectors. Right: as on the host; the handler sees the writes, on the thread that calls. The argument
 * is the order. */
#define _GNU_SOURCE
#include "case.h"

#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *,
             int *, const int *, int *, size_t, size_t);
void dsyevr_(const char *, const char *, const char *, const int *, double *, const int *, const double *,
             const double *, const int *, const int *, const double *, int *, double *, double *, const int *,
             int *, double *, const int *, int *, const int *, int *, size_t, size_t, size_t);
void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *, const int *,
             double *, const int *, double *, const int *, int *, int *, size_t);
void dgeev_(const char *, const char *, const int *, double *, const int *, double *, double *, double *,
            const int *, double *, const int *, double *, const int *, int *, size_t, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dgeqrf_(const int *, const int *, double *, const int *, double *, double *, const int *, int *);
void dsygvd_(const int *, const char *, const char *, const int *, double *, const int *, double *, const int *,
             double *, double *, const int *, int *, const int *, int *, size_t, size_t);

enum { A, B, W, W2, Q, P, AREAS, PAGE = 4096 };
static char *area[AREAS];
static size_t length[AREAS];
static volatile int faults, foreign;
static pid_t self;
static int n;

static void open_page(int signal, siginfo_t *info, void *context)
{
    char *const page = (char *)((size_t)info->si_addr / PAGE * PAGE);
    (void)signal, (void)context;
    for (int i = 0; i < AREAS; i++)
        if (page >= area[i] && page < area[i] + length[i]) {
            faults++;
            foreign += gettid() != self;
            mprotect(page, PAGE, PROT_READ | PROT_WRITE);
            return;
        }
    _exit(9);
}

static void *map(int which, size_t bytes)
{
    if (area[which])
        munmap(area[which], length[which]);
    length[which] = (bytes + PAGE - 1) / PAGE * PAGE;
    return area[which] =
               mmap(NULL, length[which], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void protect(int which, int protection)
{
    mprotect(area[which], length[which], protection);
}

/* The elements of a result that tells whether it is right. */
static double run(int which, double *work, int lwork, int *iwork, int liwork, int *info)
{
    const size_t matrix = sizeof(double) * (size_t)n * (size_t)n, last = (size_t)n * (size_t)n - 1;
    double *const a = map(A, matrix), *const b = map(B, matrix), *const w = map(W, sizeof(double) * (size_t)n),
                 *const w2 = map(W2, sizeof(double) * (size_t)n), *const q = map(Q, matrix), zero = 0, sum = 0;
    int *const p = map(P, sizeof(int) * (size_t)n), one = 1, m, third = liwork / 3, *const rest = iwork + third;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            q[i + (size_t)j * (size_t)n] = a[i + (size_t)j * (size_t)n] = i == j ? n + i : 1.0 / (1 + i + j);
    faults = foreign = 0;
    switch (which) {
    case 0:
        protect(A, PROT_READ), protect(W, PROT_NONE);
        dsyevd_("V", "U", &n, a, &n, w, work, &lwork, iwork, &liwork, info, 1, 1);
        return w[n - 1];
    case 1:
        protect(B, PROT_NONE);
        dsyevr_("V", "A", "U", &n, a, &n, &zero, &zero, &one, &n, &zero, &m, w, b, &n, iwork, work, &lwork, rest,
                &(int){liwork - third}, info, 1, 1, 1);
        return w[n - 1];
    case 2:
        protect(B, PROT_READ);
        dgesdd_("A", &n, &n, a, &n, w, b, &n, q, &n, work, &lwork, iwork, info, 1);
        return w[0];
    case 3:
        protect(B, PROT_READ);
        dgeev_("N", "V", &n, a, &n, w, w2, q, &one, b, &n, work, &lwork, info, 1, 1);
        for (int i = 0; i < n; i++)
            sum += w[i];
        return sum;
    case 4:
        protect(A, PROT_READ);
        dpotrf_("L", &n, a, &n, info, 1);
        return a[last];
    case 5:
        protect(A, PROT_READ), protect(P, PROT_NONE);
        dgetrf_(&n, &n, a, &n, p, info);
        return a[last];
    case 6:
        protect(A, PROT_READ);
        dgeqrf_(&n, &n, a, &n, w, work, &lwork, info);
        return fabs(a[0]);
    default:
        protect(A, PROT_READ), protect(Q, PROT_READ);
        dsygvd_(&one, "V", "U", &n, a, &n, q, &n, w, work, &lwork, iwork, &liwork, info, 1, 1);
        return w[n - 1];
    }
}

/* The diagonal is so large that the values are about its own. */
static double about(int which)
{
    switch (which) {
    case 0: case 1: case 2: return 2 * n - 1;
    case 3: return n * (3.0 * n - 1) / 2;
    case 4: return sqrt(2 * n - 1);
    case 5: return 2 * n - 1;
    case 6: return n;
    default: return 1;
    }
}

int main(int count, char **arguments)
{
    const struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};
    n = count > 1 ? atoi(arguments[1]) : 200;
    const int lwork = 1 + 6 * n + 6 * n * n, liwork = 40 * n;
    double *const work = malloc(sizeof(double) * (size_t)lwork);
    int *const iwork = malloc(sizeof(int) * (size_t)liwork), bad = 0;
    self = gettid();
    sigaction(SIGSEGV, &action, NULL);
    for (int which = 0; which < 8; which++) {
        int info = -9;
        const double value = run(which, work, lwork, iwork, liwork, &info);
        bad += verdict("result", info == 0 && fabs(value - about(which)) < 0.02 * about(which), 1);
        bad += verdict("handler", faults > 0 && foreign == 0, 1);
    }
    return bad != 0;
}
