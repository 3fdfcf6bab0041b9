/* tridiagonal.c - how long does LAPACK's reduction of a symmetric matrix to tridiagonal form take,
 * and is it right?
 *
 *   tridiagonal [N [RUNS [UPLO [FILE]]]]
 *
 * Prints   case,n,runs,median_seconds,least_seconds,digest
 * for dsytrd; the digest is of the eigenvalues (by dsterf). With FILE: eigenvalues
 * are written to it, or, when it exists, compared with it; the largest difference
 * in units of n * eps * |A| goes to standard error as "eigenvalues differ by X".
 * An ordinary program: bench/run_offload.sh runs it with and without the shim. */
#include "timing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

void dsytrd_(const char *uplo, const int *n, double *a, const int *lda, double *d, double *e, double *tau,
             double *work, const int *lwork, int *info, size_t uplo_length);
void dsterf_(const int *n, double *d, double *e, int *info);

static void fill(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            a[i + j * n] = entry(1, i > j ? i : j, i > j ? j : i);
}

static double *allocate(size_t count)
{
    double *memory = malloc(count * sizeof *memory);
    if (!memory) {
        fprintf(stderr, "tridiagonal: out of memory\n");
        exit(1);
    }
    return memory;
}

/* One reduction; returns its time and leaves the tridiagonal matrix in d and e. */
static double reduce(const char *uplo, int n, double *a, double *d, double *e)
{
    double *tau = allocate((size_t)n), wanted;
    int query = -1, info;
    dsytrd_(uplo, &n, a, &n, d, e, tau, &wanted, &query, &info, 1);
    int length = (int)wanted;
    double *work = allocate((size_t)length);
    fill(a, (size_t)n);
    double start = seconds_now();
    dsytrd_(uplo, &n, a, &n, d, e, tau, work, &length, &info, 1);
    double time = seconds_now() - start;
    free(work);
    free(tau);
    if (info != 0) {
        fprintf(stderr, "tridiagonal: dsytrd returned %d\n", info);
        exit(1);
    }
    return time;
}

static void keep_or_compare(const char *path, const double *eigenvalues, size_t n)
{
    double *kept = allocate(n), largest = 0, norm = fmax(fabs(eigenvalues[0]), fabs(eigenvalues[n - 1]));
    FILE *file = fopen(path, "rb");
    if (!file) {
        file = fopen(path, "wb");
        if (!file || fwrite(eigenvalues, sizeof *eigenvalues, n, file) != n || fclose(file) != 0)
            perror(path);
    } else {
        if (fread(kept, sizeof *kept, n, file) != n)
            perror(path);
        for (size_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(kept[i] - eigenvalues[i]));
        fclose(file);
        fprintf(stderr, "eigenvalues differ by %.3g\n", largest / ((double)n * DBL_EPSILON * norm));
    }
    free(kept);
}

int main(int count, char **arguments)
{
    int n = count > 1 ? atoi(arguments[1]) : 8192, runs = count > 2 ? atoi(arguments[2]) : 1, info;
    const char *uplo = count > 3 ? arguments[3] : "L";
    if (n < 1 || runs < 1) {
        fprintf(stderr, "usage: tridiagonal [N [RUNS [UPLO [FILE]]]]\n");
        return 2;
    }
    double *a = allocate((size_t)n * (size_t)n), *d = allocate((size_t)n), *e = allocate((size_t)n);
    double *times = allocate((size_t)runs);
    for (int run = 0; run < runs; run++)
        times[run] = reduce(uplo, n, a, d, e);
    dsterf_(&n, d, e, &info);
    if (info != 0) {
        fprintf(stderr, "tridiagonal: dsterf returned %d\n", info);
        return 1;
    }
    double middle = median(times, (size_t)runs);
    printf("dsytrd %s,%d,%d,%.6f,%.6f,%016llx\n", uplo, n, runs, middle, times[0],
           (unsigned long long)digest_of(d, (size_t)n));
    if (count > 4)
        keep_or_compare(arguments[4], d, (size_t)n);
    free(a);
    free(d);
    free(e);
    free(times);
    return 0;
}
