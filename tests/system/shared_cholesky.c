/* shared_cholesky [TYPES]: potrf of all types, or of these, and both triangles at orders around the edges of
 * blocks, checked by the product of the factor with its conjugate transpose; what must not be written, and INFO
 * of matrices that are not positive definite. At the end a digest of all factors. */
#include "program_pins.h"
#include "tap.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef double complex number;

void spotrf_(const char *uplo, const int *n, void *a, const int *lda, int *info);
void dpotrf_(const char *uplo, const int *n, void *a, const int *lda, int *info);
void cpotrf_(const char *uplo, const int *n, void *a, const int *lda, int *info);
void zpotrf_(const char *uplo, const int *n, void *a, const int *lda, int *info);

enum { ORDER_MOST = 300, LD = ORDER_MOST + 5, ELEMENTS = LD * ORDER_MOST };
static const char types[] = "sdcz";
static void (*const routines[])(const char *, const int *, void *, const int *, int *) = {spotrf_, dpotrf_,
                                                                                          cpotrf_, zpotrf_};
static number matrix[ELEMENTS], factor[ELEMENTS];
static _Alignas(4096) unsigned char memory[ELEMENTS * sizeof(number)];
static unsigned char before[ELEMENTS * sizeof(number)];
static uint64_t state = 1, digest = 14695981039346656037u;

UNWATCHED static double next(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(int64_t)state / (double)INT64_MAX;
}

static size_t bytes_of(int type)
{
    return type == 0 ? 4 : type == 3 ? 16 : 8;
}

UNWATCHED static void put(int type, size_t at, number value)
{
    const float single[2] = {(float)creal(value), (float)cimag(value)};
    const double parts[2] = {creal(value), cimag(value)};
    const void *const from = type % 2 ? (const void *)parts : (const void *)single;
    memcpy(memory + at * bytes_of(type), from, bytes_of(type));
}

UNWATCHED static number get(int type, size_t at)
{
    float single[2] = {0, 0};
    double parts[2] = {0, 0};
    memcpy(type % 2 ? (void *)parts : (void *)single, memory + at * bytes_of(type), bytes_of(type));
    return type % 2 ? parts[0] + parts[1] * I : (double)single[0] + (double)single[1] * I;
}

/* A Hermitian matrix whose diagonal outweighs the rest; `bad`: but for this row, from 1; 0: none. The other
 * triangle, which potrf is not to look at, is not a number; nor is it to look at the diagonal's imaginary
 * parts. */
UNWATCHED static void fill(int type, bool lower, int n, int bad)
{
    const bool is_complex = type > 1;
    for (size_t at = 0; at < ELEMENTS; at++)
        put(type, at, is_complex ? (double)NAN + (double)NAN * I : (double)NAN);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            const double real = i == j ? 60 + (float)next() : (float)next();
            const number value = is_complex && i != j ? real + (float)next() * I : real;
            const size_t at = (size_t)i + (size_t)j * LD, across = (size_t)j + (size_t)i * LD;
            matrix[at] = i == j && i + 1 == bad ? -1 : value;
            matrix[across] = conj(matrix[at]);
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (lower ? i >= j : i <= j)
                put(type, (size_t)i + (size_t)j * LD,
                    matrix[(size_t)i + (size_t)j * LD] + (i == j && is_complex ? 7 * I : 0));
    memcpy(before, memory, sizeof before);
}

/* factor: the triangle with zeros beyond, of the lower one. */
UNWATCHED static void read_factor(int type, bool lower, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const number value = i < j ? 0
                                       : lower ? get(type, (size_t)i + (size_t)j * LD)
                                               : conj(get(type, (size_t)j + (size_t)i * LD));
            factor[(size_t)i + (size_t)j * LD] = value;
        }
}

/* sums += column * factor, in parts: a product of complex numbers in C looks for infinities. */
UNWATCHED static void add_times(number *sums, const number *column, number by, int count)
{
    const double *const from = (const double *)column;
    double *const to = (double *)sums;
    for (int i = 0; i < count; i++) {
        to[2 * i] += from[2 * i] * creal(by) - from[2 * i + 1] * cimag(by);
        to[2 * i + 1] += from[2 * i] * cimag(by) + from[2 * i + 1] * creal(by);
    }
}

UNWATCHED static double error_of(int n)
{
    static number sums[ORDER_MOST];
    double largest = 0;
    for (int j = 0; j < n; j++) {
        memset(sums, 0, sizeof sums);
        for (int l = 0; l <= j; l++)
            add_times(sums, &factor[(size_t)j + (size_t)l * LD], conj(factor[(size_t)j + (size_t)l * LD]),
                      n - j);
        for (int i = j; i < n; i++) {
            const double error = cabs(sums[i - j] - matrix[(size_t)i + (size_t)j * LD]);
            largest = isnan(largest) || error <= largest ? largest : error;
        }
    }
    return largest;
}

UNWATCHED static bool is_kept(int type, bool lower, int n)
{
    for (size_t at = 0; at < ELEMENTS; at++) {
        const int i = (int)(at % LD), j = (int)(at / LD);
        const bool is_of_it = i < n && j < n && (lower ? i >= j : i <= j);
        const size_t bytes = bytes_of(type);
        if (!is_of_it && memcmp(memory + at * bytes, before + at * bytes, bytes) != 0)
            return false;
    }
    return true;
}

UNWATCHED static void add_to_digest(int type)
{
    for (size_t at = 0; at < ELEMENTS * bytes_of(type); at++)
        digest = (digest ^ memory[at]) * UINT64_C(1099511628211);
}

static void test_factor(int type, bool lower, int n)
{
    const int ld = LD;
    int info = -1;
    fill(type, lower, n, 0);
    routines[type](lower ? "L" : "U", &n, memory, &ld, &info);
    read_factor(type, lower, n);
    const double error = error_of(n), most = type % 2 ? 1e-12 : 1e-4;
    bool is_real = true;
    for (int i = 0; i < n; i++)
        is_real = is_real && cimag(factor[(size_t)i * (LD + 1)]) == 0;
    tap_ok(info == 0 && error < most && is_real && is_kept(type, lower, n),
           "%cpotrf %c %d: info %d, error %.2g", types[type], lower ? 'L' : 'U', n, info, error);
    add_to_digest(type);
}

/* LAPACK leaves the factor of what is before the bad row. */
static void test_indefinite(int type, bool lower, int n, int bad)
{
    const int ld = LD;
    int info = -1;
    fill(type, lower, n, bad);
    routines[type](lower ? "L" : "U", &n, memory, &ld, &info);
    read_factor(type, lower, bad - 1);
    const double error = error_of(bad - 1);
    tap_ok(info == bad && error < (type % 2 ? 1e-12 : 1e-4) && is_kept(type, lower, n),
           "%cpotrf %c %d: info %d of a matrix with that row bad, error %.2g", types[type],
           lower ? 'L' : 'U', n, info, error);
}

/* In one piece, or in two. */
static void pin(bool apart)
{
    enum { FIRST = 128 << 10 };
    program_pins(memory, apart ? FIRST : sizeof memory);
    if (apart)
        program_pins(memory + FIRST, sizeof memory - FIRST);
}

int main(int count, char **words)
{
    static const int orders[] = {129, 191, 192, 193, 256, 300};
    static const int bad[] = {1, 64, 65, 190, 193};
    if (getenv("SHARED_CHOLESKY_PINNED"))
        pin(strcmp(getenv("SHARED_CHOLESKY_PINNED"), "apart") == 0);
    for (int type = 0; type < 4; type++)
        for (int lower = 0; lower < 2 && (count < 2 || strchr(words[1], types[type])); lower++) {
            for (int i = 0; i < 6; i++)
                test_factor(type, lower, orders[(i + type) % 6]);
            test_indefinite(type, lower, 193, bad[(2 * type + lower) % 5]);
        }
    printf("# digest %016llx\n", (unsigned long long)digest);
    return tap_done();
}
