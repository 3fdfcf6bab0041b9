/* resident WAY: solves by a factor, which may stay on the device between the calls. Prints whether solutions
 * are right, and whether products with the whole matrix are, other triangle and gaps included. The report
 * tells what went up. repeated  dgetrs, again and again with one factor renewed   a new matrix each time:
 * dgetrf, dgetrs changed   one factor, in which the program changes an element between the calls triangle  a
 * new matrix each time: dpotrf and dpotrs of a triangle, with gaps behind the columns packed  dpptrf once, dpptrs again
 * and again */
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
extern void dgetrs_(const char *, const int *, const int *, const double *, const int *, const int *,
                    double *, const int *, int *, size_t);
extern void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
extern void dpotrs_(const char *, const int *, const int *, const double *, const int *, double *,
                    const int *, int *, size_t);
extern void dpptrf_(const char *, const int *, double *, int *, size_t);
extern void dpptrs_(const char *, const int *, const int *, const double *, double *, const int *, int *, size_t);
extern void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
                   const double *, const int *, const double *, double *, const int *, size_t);

enum { N = 500, GAP = 3, CALLS = 5 };
static const int n = N, one = 1;
static int pivots[N];
static double *packed;

static double number(int i, int j, int seed)
{
    return (double)((i * 37 + j * 101 + seed * 13 + i * j % 17) % 1000) / 1000 - 0.5;
}

/* Rows beyond n are the gaps. Symmetric if the triangle is used: then above it the other elements may be
 * anything. */
static void fill(double *a, int ld, int seed, int triangle)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < ld; i++)
            a[i + j * ld] = (triangle && i > j && i < n ? number(j, i, seed) : number(i, j, seed)) +
                            (i == j ? N : 0);
}

/* Is L U x, or L L' x, what it was solved for? b is row-permuted as the factor is. */
static int solves(const double *factor, int ld, int triangle, const double *x, const double *b)
{
    double *const y = calloc(N, sizeof *y), *const z = calloc(N, sizeof *z), worst = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            if (triangle ? i >= j : i <= j)
                y[triangle ? j : i] += factor[i + j * ld] * x[triangle ? i : j];
        }
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            z[i] += (i == j && !triangle ? 1 : factor[i + j * ld]) * y[j];
    for (int i = n - 1; i >= 0 && !triangle; i--) {
        const double other = z[pivots[i] - 1];
        z[pivots[i] - 1] = z[i];
        z[i] = other;
    }
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(z[i] - b[i]));
    free(y);
    free(z);
    return worst < 1e-10;
}

/* Does the device multiply by what is in host memory? */
static int multiplies(const double *a, int ld, int rows)
{
    const double unit = 1, zero = 0;
    double *const x = malloc(N * sizeof *x), *const y = calloc((size_t)ld, sizeof *y);
    int right = 1;
    for (int j = 0; j < n; j++)
        x[j] = number(j, 3, 5);
    dgemv_("N", &rows, &n, &unit, a, &ld, x, &one, &zero, y, &one, 1);
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i + j * ld] * x[j];
        right = right && fabs(sum - y[i]) < 1e-9;
    }
    free(x);
    free(y);
    return right;
}

static void move(double *a, int ld, int back)
{
    for (int j = 0, at = 0; j < n; j++)
        for (int i = j; i < n; i++, at++)
            *(back ? &a[i + j * ld] : &packed[at]) = back ? packed[at] : a[i + j * ld];
}

enum { SQUARE, TRIANGLE, PACKED };

static int factorise(double *a, int ld, int triangle)
{
    int info;
    if (triangle == PACKED) {
        move(a, ld, 0);
        dpptrf_("L", &n, packed, &info, 1);
        move(a, ld, 1);
    } else if (triangle)
        dpotrf_("L", &n, a, &ld, &info, 1);
    else
        dgetrf_(&n, &n, a, &ld, pivots, &info);
    return info == 0;
}

static int solve(const double *a, int ld, int triangle, int seed)
{
    double *const b = malloc(N * sizeof *b), *const x = malloc(N * sizeof *x);
    int info;
    for (int i = 0; i < n; i++)
        x[i] = b[i] = number(i, seed, 1);
    if (triangle == PACKED)
        dpptrs_("L", &n, &one, packed, x, &n, &info, 1);
    else if (triangle)
        dpotrs_("L", &n, &one, a, &ld, x, &n, &info, 1);
    else
        dgetrs_("N", &n, &one, a, &ld, pivots, x, &n, &info, 1);
    const int right = info == 0 && solves(a, ld, triangle, x, b);
    free(b);
    free(x);
    return right;
}

int main(int count, char **words)
{
    if (count < 2)
        return 2;
    const int triangle = strcmp(words[1], "triangle") == 0 ? TRIANGLE : strcmp(words[1], "packed") == 0 ? PACKED : SQUARE;
    const int ld = triangle ? N + GAP : N, renewed = triangle == TRIANGLE || strcmp(words[1], "renewed") == 0,
              changed = strcmp(words[1], "changed") == 0;
    double *const a = malloc((size_t)ld * N * sizeof *a);
    int right = 0;
    packed = malloc((size_t)N * (N + 1) / 2 * sizeof *packed);
    alarm(120);
    for (int i = 0; i < CALLS; i++) {
        int good = 1;
        if (i == 0 || renewed) {
            fill(a, ld, i, triangle);
            good = factorise(a, ld, triangle);
        }
        if (changed)
            a[(i + 1) * (ld + 1)] *= 1.5;
        good = good && solve(a, ld, triangle, i);
        right += good && (changed || !renewed || multiplies(a, ld, ld));
    }
    free(a);
    free(packed);
    tap_ok(right == CALLS, "%d of %d solutions by a factor (%s) are right", right, CALLS, words[1]);
    return tap_done();
}
