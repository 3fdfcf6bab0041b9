/* lapack_user [ROUTINE...]: calls LAPACK routines by their Fortran names, as a program that is linked with it
 * does, and prints a line for each: its INFO, and whether results are near known ones. ROUTINE: dsyevd,
 * dsyevr, dgeev, dstev, dstedc, dpotrf, or dgemm, which is BLAS. -DHAS_dsyevd...: it knows these alone.
 * -DINTEGER=long: for libraries whose integers have 64 bits. -DPREFIX=scipy_ -DSUFFIX=_64_: the names are
 * written so. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined HAS_dsyevd && !defined HAS_dsyevr && !defined HAS_dgeev && !defined HAS_dstev && \
    !defined HAS_dstedc && !defined HAS_dpotrf && !defined HAS_dgemm
#define HAS_dsyevd
#define HAS_dsyevr
#define HAS_dgeev
#define HAS_dstev
#define HAS_dstedc
#define HAS_dpotrf
#define HAS_dgemm
#endif
#ifndef INTEGER
#define INTEGER int
#endif
#ifndef SUFFIX
#define PREFIX
#define SUFFIX _
#endif
#define JOIN(prefix, routine, suffix) prefix##routine##suffix
#define JOIN_EXPANDED(prefix, routine, suffix) JOIN(prefix, routine, suffix)
#define NAME(routine) JOIN_EXPANDED(PREFIX, routine, SUFFIX)

enum { N = 60, WORK = 4 * N * N + 6 * N, INTEGERS = 3 + 10 * N };
static double a[N * N], b[N * N], c[N * N], w[N], imaginary[N], work[WORK];
static INTEGER integers[INTEGERS];
static const INTEGER n = N, length = WORK, integer_length = INTEGERS;
static INTEGER info;

void NAME(dgemm)(const char *, const char *, const INTEGER *, const INTEGER *, const INTEGER *,
                 const double *, const double *, const INTEGER *, const double *, const INTEGER *,
                 const double *, double *, const INTEGER *, size_t, size_t);
void NAME(dsyevd)(const char *, const char *, const INTEGER *, double *, const INTEGER *, double *, double *,
                  const INTEGER *, INTEGER *, const INTEGER *, INTEGER *, size_t, size_t);
void NAME(dsyevr)(const char *, const char *, const char *, const INTEGER *, double *, const INTEGER *,
                  const double *, const double *, const INTEGER *, const INTEGER *, const double *, INTEGER *,
                  double *, double *, const INTEGER *, INTEGER *, double *, const INTEGER *, INTEGER *,
                  const INTEGER *, INTEGER *, size_t, size_t, size_t);
void NAME(dgeev)(const char *, const char *, const INTEGER *, double *, const INTEGER *, double *, double *,
                 double *, const INTEGER *, double *, const INTEGER *, double *, const INTEGER *, INTEGER *,
                 size_t, size_t);
void NAME(dstev)(const char *, const INTEGER *, double *, double *, double *, const INTEGER *, double *,
                 INTEGER *, size_t);
void NAME(dstedc)(const char *, const INTEGER *, double *, double *, double *, const INTEGER *, double *,
                  const INTEGER *, INTEGER *, const INTEGER *, INTEGER *, size_t);
void NAME(dpotrf)(const char *, const INTEGER *, double *, const INTEGER *, INTEGER *, size_t);

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
    info = -77;
}

static void print(const char *name, int good)
{
    printf("%s: info %d, %s\n", name, (int)info, good && info == 0 ? "right" : "wrong");
}

static int by_size(const void *left, const void *right)
{
    const double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

__attribute__((unused)) static void tell(const char *name)
{
    double error = 0;
    qsort(w, N, sizeof *w, by_size);
    for (int i = 0; i < N; i++)
        error = fmax(error, fabs(w[i] - value(i)));
    print(name, error < 1e-12 * N);
}

#ifdef HAS_dsyevd
static void run_dsyevd(void)
{
    NAME(dsyevd)("V", "L", &n, a, &n, w, work, &length, integers, &integer_length, &info, 1, 1);
    tell("dsyevd");
}
#endif

#ifdef HAS_dsyevr
static void run_dsyevr(void)
{
    static INTEGER support[2 * N];
    const INTEGER one = 1;
    const double zero = 0;
    INTEGER found = 0;
    NAME(dsyevr)
    ("V", "A", "L", &n, a, &n, &zero, &zero, &one, &n, &zero, &found, w, b, &n, support, work, &length,
     integers, &integer_length, &info, 1, 1, 1);
    if (found == N)
        tell("dsyevr");
    else
        print("dsyevr", 0);
}
#endif

#ifdef HAS_dgeev
static void run_dgeev(void)
{
    NAME(dgeev)("N", "V", &n, a, &n, w, imaginary, b, &n, c, &n, work, &length, &info, 1, 1);
    tell("dgeev");
}
#endif

#ifdef HAS_dstev
static void run_dstev(void)
{
    for (int i = 0; i < N; i++) {
        w[i] = 2;
        b[i] = -1;
    }
    NAME(dstev)("V", &n, w, b, a, &n, work, &info, 1);
    tell("dstev");
}
#endif

#ifdef HAS_dstedc
static void run_dstedc(void)
{
    for (int i = 0; i < N; i++) {
        w[i] = 2;
        b[i] = -1;
    }
    NAME(dstedc)("I", &n, w, b, a, &n, work, &length, integers, &integer_length, &info, 1);
    if (work[0] == 1 + 4 * N + N * N && integers[0] == 3 + 5 * N)
        tell("dstedc");
    else
        print("dstedc", 0);
}
#endif

#ifdef HAS_dpotrf
/* The squares of the factor's diagonal are (i + 2) / (i + 1). */
static void run_dpotrf(void)
{
    double error = 0;
    NAME(dpotrf)("L", &n, a, &n, &info, 1);
    for (int i = 0; i < N; i++)
        error = fmax(error, fabs(a[i * (N + 1)] * a[i * (N + 1)] - (i + 2.0) / (i + 1)));
    print("dpotrf", error < 1e-12);
}
#endif

#ifdef HAS_dgemm
static void run_dgemm(void)
{
    const double one = 1, zero = 0;
    info = 0;
    NAME(dgemm)("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n, 1, 1);
    print("dgemm", c[0] == 5 && c[1] == -4 && c[2] == 1);
}
#endif

static const struct {
    const char *name;
    void (*run)(void);
} routines[] = {
#ifdef HAS_dsyevd
    {"dsyevd", run_dsyevd},
#endif
#ifdef HAS_dsyevr
    {"dsyevr", run_dsyevr},
#endif
#ifdef HAS_dgeev
    {"dgeev", run_dgeev},
#endif
#ifdef HAS_dstev
    {"dstev", run_dstev},
#endif
#ifdef HAS_dstedc
    {"dstedc", run_dstedc},
#endif
#ifdef HAS_dpotrf
    {"dpotrf", run_dpotrf},
#endif
#ifdef HAS_dgemm
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
