#include "symmetric.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);

struct symmetric symmetric_make_apart(int n, int lda, int seed)
{
    struct symmetric problem = {.n = n, .lda = lda, .lwork = 1 + 6 * n + 2 * n * n, .liwork = 3 + 5 * n};
    problem.a = malloc((size_t)n * (size_t)lda * sizeof(double));
    problem.given = malloc((size_t)n * (size_t)n * sizeof(double));
    problem.w = malloc((size_t)n * sizeof(double)),
    problem.work = malloc((size_t)problem.lwork * sizeof(double));
    problem.iwork = malloc((size_t)problem.liwork * sizeof(int));
    if (!problem.a || !problem.given || !problem.w || !problem.work || !problem.iwork)
        abort();
    uint64_t state = (uint64_t)seed * 2654435761u + 12345;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            problem.given[i + j * n] = (double)(int32_t)(state >> 32) * 0x1p-31;
            problem.given[j + i * n] = i == j ? problem.given[i + j * n] : NAN;
        }
    return problem;
}

struct symmetric symmetric_make(int n, int seed)
{
    return symmetric_make_apart(n, n, seed);
}

static double *column_of(const struct symmetric *problem, int j)
{
    return problem->a + (size_t)j * (size_t)problem->lda;
}

void symmetric_free(struct symmetric *problem)
{
    free(problem->a), free(problem->given), free(problem->w), free(problem->work), free(problem->iwork);
}

int symmetric_solve(struct symmetric *problem)
{
    int info = -1;
    for (int j = 0; j < problem->n; j++)
        memcpy(column_of(problem, j), problem->given + j * problem->n, (size_t)problem->n * sizeof(double));
    dsyevd_("V", "L", &problem->n, problem->a, &problem->lda, problem->w, problem->work, &problem->lwork,
            problem->iwork, &problem->liwork, &info, 1, 1);
    return info;
}

static double given(const struct symmetric *problem, int i, int j)
{
    return i >= j ? problem->given[i + j * problem->n] : problem->given[j + i * problem->n];
}

/* The largest element of A z - w z for vector j. */
static double residual_of(const struct symmetric *problem, int j)
{
    const int n = problem->n;
    const double *const z = column_of(problem, j);
    double largest = 0;
    for (int i = 0; i < n; i++) {
        double sum = -problem->w[j] * z[i];
        for (int l = 0; l < n; l++)
            sum += given(problem, i, l) * z[l];
        largest = fmax(largest, isnan(sum) ? INFINITY : fabs(sum));
    }
    return largest;
}

static double departure_of(const struct symmetric *problem, int j)
{
    const int n = problem->n;
    const double *const z = column_of(problem, j);
    double largest = 0;
    for (int k = 0; k <= j; k++) {
        double sum = k == j ? -1 : 0;
        for (int l = 0; l < n; l++)
            sum += z[l] * column_of(problem, k)[l];
        largest = fmax(largest, isnan(sum) ? INFINITY : fabs(sum));
    }
    return largest;
}

bool symmetric_is_right(const struct symmetric *problem)
{
    const double most = 30 * (problem->n + 1) * DBL_EPSILON;
    for (int j = 0; j < problem->n; j++)
        if (!(residual_of(problem, j) <= most * sqrt(problem->n)) || !(departure_of(problem, j) <= most) ||
            (j > 0 && problem->w[j] < problem->w[j - 1]))
            return false;
    return true;
}

static uint64_t digest_of(const void *memory, size_t bytes, uint64_t digest)
{
    for (size_t i = 0; i < bytes; i++)
        digest = (digest ^ ((const unsigned char *)memory)[i]) * 1099511628211u;
    return digest;
}

bool symmetric_runs(int n, int seed, uint64_t *digest)
{
    struct symmetric problem = symmetric_make(n, seed);
    const bool right = symmetric_solve(&problem) == 0 && symmetric_is_right(&problem);
    if (digest) {
        *digest = digest_of(problem.w, (size_t)n * sizeof(double), 14695981039346656037u);
        for (int j = 0; j < n; j++)
            *digest = digest_of(column_of(&problem, j), (size_t)n * sizeof(double), *digest);
    }
    symmetric_free(&problem);
    return right;
}
