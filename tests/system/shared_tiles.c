/* Level 3 calls that are cut into tiles, of every family, checked against their definition. Operands are
 * small whole numbers, so any order of summation is exact; the triangular ones have unit diagonals and solve
 * for what made their right hand side. At the end a digest of a product of real numbers, whose bits show the
 * cut. */
#include "program_pins.h"
#include "tap.h"

#include <complex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void zgemm_(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
            const int *, const void *, const int *, const void *, void *, const int *);
void dsymm_(const char *, const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, double *, const int *);
void dsyr2k_(const char *, const char *, const int *, const int *, const double *, const double *,
             const int *, const double *, const int *, const double *, double *, const int *);
void dtrmm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
            const double *, const int *, double *, const int *);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
            const double *, const int *, double *, const int *);

enum { N = 230, LD = N + 3, ELEMENTS = LD * N };
static _Alignas(4096) double a[ELEMENTS], b[ELEMENTS], c[ELEMENTS], expected[ELEMENTS], full[ELEMENTS];
static _Alignas(4096) double complex za[ELEMENTS], zb[ELEMENTS], zc[ELEMENTS];
static const int n = N, ld = LD;
static const double one = 1, minus_two = -2, three = 3;

UNWATCHED static void fill(double *matrix, unsigned seed)
{
    for (int i = 0; i < ELEMENTS; i++)
        matrix[i] = (double)((seed + (unsigned)i * 2654435761u) >> 16 & 15) - 7;
}

UNWATCHED static void transpose(const double *from, double *to)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            to[j + i * LD] = from[i + j * LD];
}

/* expected = alpha op(x) op(y) + beta c, both without or with transposition. */
UNWATCHED static void multiply(double alpha, const double *x, bool x_across, const double *y, bool y_across,
                               double beta)
{
    static double rows[ELEMENTS], columns[ELEMENTS];
    if (!x_across)
        transpose(x, rows);
    if (y_across)
        transpose(y, columns);
    const double *const left = x_across ? x : rows, *const right = y_across ? columns : y;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int l = 0; l < N; l++)
                sum += left[l + i * LD] * right[l + j * LD];
            expected[i + j * LD] = alpha * sum + beta * c[i + j * LD];
        }
}

/* The square that `of` stands for by one triangle, and what is beyond it. */
UNWATCHED static void complete(const double *of, bool lower, bool is_symmetric)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            const bool stored = lower ? i >= j : i <= j;
            full[i + j * LD] = stored ? of[i + j * LD] : is_symmetric ? of[j + i * LD] : 0;
            if (!is_symmetric && i == j)
                full[i + j * LD] = 1;
        }
}

enum part { ALL, LOWER, UPPER };
static void check(const char *what, enum part part)
{
    int wrong = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (part == ALL || (part == LOWER ? i >= j : i <= j))
                wrong += c[i + j * LD] != expected[i + j * LD];
    tap_ok(wrong == 0, "%s: %d elements wrong", what, wrong);
}

static void start(void)
{
    fill(a, 1);
    fill(b, 2);
    fill(c, 3);
}

UNWATCHED static void test_products(void)
{
    start();
    multiply(-2, a, false, b, true, 3);
    dgemm_("N", "T", &n, &n, &n, &minus_two, a, &ld, b, &ld, &three, c, &ld);
    check("dgemm", ALL);
    for (int i = 0; i < ELEMENTS; i++) {
        za[i] = a[i] + I * b[i];
        zb[i] = b[i] - I * a[ELEMENTS - 1 - i];
    }
    const double complex alpha = 1, beta = 0;
    int wrong = 0;
    zgemm_("C", "N", &n, &n, &n, &alpha, za, &ld, zb, &ld, &beta, zc, &ld);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double complex sum = 0;
            for (int l = 0; l < N; l++)
                sum += conj(za[l + i * LD]) * zb[l + j * LD];
            wrong += zc[i + j * LD] != sum;
        }
    tap_ok(wrong == 0, "zgemm: %d elements wrong", wrong);
}

static void test_symmetric(void)
{
    start();
    complete(a, true, true);
    multiply(-2, full, false, b, false, 3);
    dsymm_("L", "L", &n, &n, &minus_two, a, &ld, b, &ld, &three, c, &ld);
    check("dsymm from the left", ALL);
    start();
    complete(a, false, true);
    multiply(1, b, false, full, false, 3);
    dsymm_("R", "U", &n, &n, &one, a, &ld, b, &ld, &three, c, &ld);
    check("dsymm from the right", ALL);
    start();
    multiply(-2, a, false, a, true, 3);
    dsyrk_("L", "N", &n, &n, &minus_two, a, &ld, &three, c, &ld);
    check("dsyrk", LOWER);
    start();
    multiply(1, a, true, b, false, 3);
    memcpy(c, expected, sizeof c);
    multiply(1, b, true, a, false, 1);
    fill(c, 3);
    dsyr2k_("U", "T", &n, &n, &one, a, &ld, b, &ld, &three, c, &ld);
    check("dsyr2k", UPPER);
}

static void test_triangular(bool lower)
{
    const char *uplo = lower ? "L" : "U";
    start();
    complete(a, lower, false);
    memcpy(c, b, sizeof c);
    multiply(-2, full, false, b, false, 0);
    dtrmm_("L", uplo, "N", "U", &n, &n, &minus_two, a, &ld, c, &ld);
    check(lower ? "dtrmm, lower" : "dtrmm, upper", ALL);
    multiply(1, full, true, b, false, 0);
    memcpy(c, expected, sizeof c);
    memcpy(expected, b, sizeof expected);
    dtrsm_("L", uplo, "T", "U", &n, &n, &one, a, &ld, c, &ld);
    check(lower ? "dtrsm, lower" : "dtrsm, upper", ALL);
    start();
    multiply(1, b, false, full, false, 0);
    memcpy(c, expected, sizeof c);
    memcpy(expected, b, sizeof expected);
    dtrsm_("R", uplo, "N", "U", &n, &n, &one, a, &ld, c, &ld);
    check(lower ? "dtrsm from the right, lower" : "dtrsm from the right, upper", ALL);
}

static void print_digest(void)
{
    uint64_t digest = 14695981039346656037u, bits;
    start();
    for (int i = 0; i < ELEMENTS; i++) {
        a[i] = 1 / (a[i] + 7.3);
        b[i] = 1 / (b[i] - 9.7);
    }
    dgemm_("N", "N", &n, &n, &n, &one, a, &ld, b, &ld, &three, c, &ld);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            memcpy(&bits, &c[i + j * LD], sizeof bits);
            digest = (digest ^ bits) * 1099511628211u;
        }
    printf("# digest %016llx\n", (unsigned long long)digest);
}

static void pin(void)
{
    void *const matrices[] = {a, b, c, za, zb, zc};
    for (int i = 0; i < 6; i++)
        program_pins(matrices[i], i < 3 ? sizeof a : sizeof za);
}

int main(void)
{
    if (getenv("SHARED_TILES_PINNED"))
        pin();
    test_products();
    test_symmetric();
    test_triangular(true);
    test_triangular(false);
    print_digest();
    return tap_done();
}
