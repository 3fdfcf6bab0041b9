/* lapack_user [ROUTINE...]: calls LAPACK routines by their Fortran names, as a program that is linked with it does, and prints
 * a line for each: its INFO and how far its eigenvalues are from known ones. ROUTINE: dsyevd, dgeev, dstev, or dgemm,
 * which is BLAS; built with -DONLY_ROUTES it knows dsyevd alone, with -DONLY_BLAS dgemm alone.
 * -DINTEGER=long: for libraries whose integers have 64 bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef INTEGER
#define INTEGER int
#endif

enum { N = 60 };
static double a[N * N], b[N * N], c[N * N], w[N], imaginary[N], work[4 * N * N + 6 * N];
static INTEGER n = N, info;

void dgemm_(const char *, const char *, const INTEGER *, const INTEGER *, const INTEGER *, const double *, const double *, const INTEGER *,
            const double *, const INTEGER *, const double *, double *, const INTEGER *, size_t, size_t);
void dsyevd_(const char *, const char *, const INTEGER *, double *, const INTEGER *, double *, double *, const INTEGER *, INTEGER *,
             const INTEGER *, INTEGER *, size_t, size_t);
void dgeev_(const char *, const char *, const INTEGER *, double *, const INTEGER *, double *, double *, double *, const INTEGER *,
            double *, const INTEGER *, double *, const INTEGER *, INTEGER *, size_t, size_t);
void dstev_(const char *, const INTEGER *, double *, double *, double *, const INTEGER *, double *, INTEGER *, size_t);

/* The second difference, whose eigenvalues are known. */
static double value(int number)
{
    const double sine = sin(acos(-1.0) * (number + 1) / (2 * (N + 1)));
    return 4 * sine * sine;
}

static void fill(void)
{
    memset(a, 0, sizeof a);
    for (int i = 0; i < N; i++) {
        a[i * (N + 1)] = 2;
        if (i > 0)
            a[i * (N + 1) - 1] = a[(i - 1) * (N + 1) + 1] = -1;
    }
}

static int by_size(const void *left, const void *right)
{
    const double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

static void tell(const char *name)
{
    double error = 0;
    qsort(w, N, sizeof *w, by_size);
    for (int i = 0; i < N; i++)
        error = fmax(error, fabs(w[i] - value(i)));
    printf("%s: info %d, %s\n", name, (int)info, error < 1e-12 * N ? "right" : "wrong");
}

#ifndef ONLY_BLAS
static void run_dsyevd(void)
{
    static INTEGER integers[3 + 5 * N];
    const INTEGER length = sizeof work / sizeof *work, integer_length = 3 + 5 * N;
    dsyevd_("V", "L", &n, a, &n, w, work, &length, integers, &integer_length, &info, 1, 1);
    tell("dsyevd");
}
#endif

#if !defined ONLY_ROUTES && !defined ONLY_BLAS
static void run_dgeev(void)
{
    const INTEGER length = sizeof work / sizeof *work;
    dgeev_("N", "V", &n, a, &n, w, imaginary, b, &n, c, &n, work, &length, &info, 1, 1);
    tell("dgeev");
}

static void run_dstev(void)
{
    for (int i = 0; i < N; i++) {
        w[i] = 2;
        b[i] = -1;
    }
    dstev_("V", &n, w, b, a, &n, work, &info, 1);
    tell("dstev");
}
#endif

#ifndef ONLY_ROUTES
static void run_dgemm(void)
{
    const double one = 1, zero = 0;
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n, 1, 1);
    printf("dgemm: %s\n", c[0] == 5 && c[1] == -4 && c[2] == 1 ? "right" : "wrong");
}
#endif

static const struct {
    const char *name;
    void (*run)(void);
} routines[] = {
#ifndef ONLY_BLAS
    {"dsyevd", run_dsyevd},
#endif
#if !defined ONLY_ROUTES && !defined ONLY_BLAS
    {"dgeev", run_dgeev}, {"dstev", run_dstev},
#endif
#ifndef ONLY_ROUTES
    {"dgemm", run_dgemm},
#endif
};

int main(int count, char **names)
{
    for (int i = 1; i < count; i++)
        for (size_t k = 0; k < sizeof routines / sizeof *routines; k++)
            if (strcmp(names[i], routines[k].name) == 0) {
                fill();
                routines[k].run();
            }
    return 0;
}
