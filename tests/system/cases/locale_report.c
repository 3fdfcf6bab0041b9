/* A program whose locale has a decimal comma, for all its threads or, with an argument, for its own alone: what
 * mublas writes of it, as text and as page, has points (../locale.sh looks). Right: the first row's sum as by
 * hand, the largest eigenvalue, and the program's own numbers with commas before and after. */
#include "case.h"

#include <locale.h>
#include <math.h>
#include <string.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *,
             int *, const int *, int *, size_t, size_t);

enum { N = 150, WORK = 1 + 6 * N + 2 * N * N, INTEGERS = 3 + 5 * N };
static double a[N * N], b[N * N], c[N * N], w[N], work[WORK];
static int integers[INTEGERS];

static int has_commas(void)
{
    char text[8];
    snprintf(text, sizeof text, "%.1f", 1.5);
    return strcmp(text, "1,5") == 0;
}

/* All are 1, but for a diagonal of 2: the eigenvalues are 1 and N + 1. */
static void fill(double *matrix)
{
    for (int i = 0; i < N * N; i++)
        matrix[i] = i % (N + 1) == 0 ? 2 : 1;
}

int main(int count, char **arguments)
{
    const double one = 1, zero = 0;
    const int n = N, lwork = WORK, liwork = INTEGERS;
    int info, bad = 0;
    const char *const name = getenv("LC_NUMERIC");
    const locale_t own = count > 1 && name ? newlocale(LC_NUMERIC_MASK, name, (locale_t)0) : (locale_t)0;
    (void)arguments;
    if (own)
        uselocale(own);
    else if (count == 1)
        setlocale(LC_ALL, "");
    if (!has_commas())
        return fprintf(stderr, "no locale with a decimal comma\n"), 2;
    for (int round = 0; round < 5; round++) {
        fill(a), fill(b);
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
        dsyevd_("V", "U", &n, a, &n, w, work, &lwork, integers, &liwork, &info, 1, 1);
    }
    bad += verdict("dgemm", c[0], N + 3);
    bad += verdict("dsyevd", fabs(w[N - 1] - (N + 1)) < 1e-9 ? N + 1 : w[N - 1], N + 1);
    return bad + verdict("commas", has_commas(), 1) != 0;
}
