/* tiles.c - how long does a call of level 3 take, resident, in tiles or on the host, and is it right?
 * On matrices of order N, each routine once, with a check that costs N^2:
 *   tiles N [ROUTINE...]      dgemm dsyrk dsyr2k dsymm dtrmm dtrsm
 * An ordinary program: on a device with room for all it shows residency, with MUBLAS_DEVICE_MEMORY
 * below its matrices' size it shows tiles, with MUBLAS_OFFLOAD=never the host. */
#include "bench/timing.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc);
void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
             const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
             const int *ldc);
void dsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
void dtrmm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);

static int n;
static double *a, *b, *c, *before;
static const double one = 1, half = 0.5;

enum shape { FULL, LOWER, SYMMETRIC };

/* y += scale M x, where of a triangle or a symmetric matrix the lower part is stored. */
static void add_product(double scale, const double *matrix, enum shape shape, const double *x, double *y)
{
    for (int j = 0; j < n; j++) {
        const double *column = matrix + (size_t)j * (size_t)n;
        double sum = 0;
        for (int i = shape == FULL ? 0 : j; i < n; i++)
            y[i] += scale * column[i] * x[j];
        for (int i = j + 1; shape == SYMMETRIC && i < n; i++)
            sum += column[i] * x[i];
        y[j] += scale * sum;
    }
}

static void add_transposed(double scale, const double *matrix, const double *x, double *y)
{
    for (int j = 0; j < n; j++) {
        const double *column = matrix + (size_t)j * (size_t)n;
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += column[i] * x[i];
        y[j] += scale * sum;
    }
}

static double *vector(void)
{
    double *memory = calloc((size_t)n, sizeof *memory);
    if (!memory)
        exit(1);
    return memory;
}

static double norm(const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static void run(const char *routine)
{
    if (strcmp(routine, "dgemm") == 0)
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &half, c, &n);
    else if (strcmp(routine, "dsyrk") == 0)
        dsyrk_("L", "N", &n, &n, &one, a, &n, &half, c, &n);
    else if (strcmp(routine, "dsyr2k") == 0)
        dsyr2k_("L", "N", &n, &n, &one, a, &n, b, &n, &half, c, &n);
    else if (strcmp(routine, "dsymm") == 0)
        dsymm_("L", "L", &n, &n, &one, a, &n, b, &n, &half, c, &n);
    else if (strcmp(routine, "dtrmm") == 0)
        dtrmm_("L", "L", "N", "N", &n, &n, &one, a, &n, c, &n);
    else
        dtrsm_("L", "L", "N", "N", &n, &n, &one, a, &n, c, &n);
}

/* Result times a vector less what it should be, in parts of it. */
static double error_of(const char *routine)
{
    double *x = vector(), *inner = vector(), *other = vector(), *wanted = vector(), *got = vector();
    const bool update = strncmp(routine, "dsyr", 4) == 0, two = strcmp(routine, "dsyr2k") == 0;
    for (int i = 0; i < n; i++)
        x[i] = entry(4, (uint64_t)i, 0);
    add_product(1, c, update ? SYMMETRIC : FULL, x, got);
    if (strncmp(routine, "dtr", 3) == 0) {
        const bool solve = routine[3] == 's';
        add_product(1, before, FULL, x, solve ? wanted : inner);
        if (solve) /* A (C x) is before x */
            memcpy(inner, got, (size_t)n * sizeof *got), memset(got, 0, (size_t)n * sizeof *got);
        add_product(1, a, LOWER, inner, solve ? got : wanted);
    } else {
        add_product(0.5, before, update ? SYMMETRIC : FULL, x, wanted);
        if (update)
            add_transposed(1, two ? b : a, x, inner);
        else
            add_product(1, b, FULL, x, inner);
        add_product(1, a, strcmp(routine, "dsymm") == 0 ? SYMMETRIC : FULL, inner, wanted);
        if (two) {
            add_transposed(1, a, x, other);
            add_product(1, b, FULL, other, wanted);
        }
    }
    const double size = norm(wanted);
    for (int i = 0; i < n; i++)
        got[i] -= wanted[i];
    const double error = norm(got) / size;
    free(x), free(inner), free(other), free(wanted), free(got);
    return error;
}

/* A well-conditioned triangle: the diagonal outweighs the rest. */
static void fill(double *matrix, uint64_t seed, double diagonal)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            matrix[(size_t)j * (size_t)n + (size_t)i] =
                entry(seed, (uint64_t)i, (uint64_t)j) + (i == j ? diagonal : 0);
}

int main(int count, char **words)
{
    static const char *const all[] = {"dgemm", "dsyrk", "dsyr2k", "dsymm", "dtrmm", "dtrsm"};
    n = count > 1 ? atoi(words[1]) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: tiles N [ROUTINE...]\n");
        return 2;
    }
    const size_t bytes = (size_t)n * (size_t)n * sizeof *a;
    a = malloc(bytes), b = malloc(bytes), c = malloc(bytes), before = malloc(bytes);
    if (!a || !b || !c || !before) {
        fprintf(stderr, "tiles: out of memory\n");
        return 1;
    }
    fill(a, 1, n);
    fill(b, 2, 0);
    fill(before, 3, 0);
    bool good = true;
    for (int i = count > 2 ? 2 : 0; i < (count > 2 ? count : 6); i++) {
        const char *routine = count > 2 ? words[i] : all[i];
        memcpy(c, before, bytes);
        const double start = seconds_now();
        run(routine);
        const double seconds = seconds_now() - start, error = error_of(routine);
        good = good && error < 1e3 * DBL_EPSILON;
        printf("%s n=%d seconds %.3f error %.1e\n", routine, n, seconds, error);
        fflush(stdout);
    }
    free(a), free(b), free(c), free(before);
    return !good;
}
