/* real_matrices.h - real symmetric matrices that are hard for eigensolvers, and the host LAPACK's
 * eigenvalues. */
#ifndef MUBLAS_TESTS_REAL_MATRICES_H
#define MUBLAS_TESTS_REAL_MATRICES_H

#include "hermitian_matrices.h"

#include <stdio.h>
#include <string.h>

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t jobz_length, size_t uplo_length);
void dsbev_(const char *jobz, const char *uplo, const int *n, const int *kd, double *ab, const int *ldab,
            double *w, double *z, const int *ldz, double *work, int *info, size_t jobz_length,
            size_t uplo_length);
void dsterf_(const int *n, double *d, double *e, int *info);

/* All values but one are equal. */
static inline double complex clustered_element(struct place at)
{
    return (at.row == at.column ? 3 : 0) + 0.25 + 1e-9 * at.random;
}
static inline double complex glued_element(struct place at)
{
    const double diagonal = fabs(at.row % 21 - 10.0), beside = at.column % 21 == 20 ? 1e-11 : 1;
    return at.row == at.column ? diagonal : at.row == at.column + 1 ? beside : 0;
}
static inline double complex huge_element(struct place at) { return 1e150 * at.random; }
static inline double complex tiny_element(struct place at) { return 1e-150 * at.random; }
static inline double complex largest_element(struct place at) { return 1e300 * at.random; }
static inline double complex least_element(struct place at) { return 1e-300 * at.random; }
static inline double complex one_element(struct place at) { return at.row == at.column; }
static inline double complex nearly_one_element(struct place at)
{
    return (at.row == at.column) + 0x1p-52 * at.random;
}
/* Its values are whole numbers. */
static inline double complex clement_element(struct place at)
{
    return at.row == at.column + 1 ? sqrt(at.row * (double)(at.n - at.row)) : 0;
}
static inline double complex band_element(struct place at)
{
    return at.row <= at.column + 64 ? at.random : 0;
}

/* Beside those of hermitian_matrices.h. */
static const struct matrix_kind real_kinds[] = {{"clustered", clustered_element, false, false, false},
                                                {"glued Wilkinson", glued_element, false, false, false},
                                                {"times 1e150", huge_element, true, false, false},
                                                {"times 1e-150", tiny_element, true, false, false},
                                                {"times 1e300", largest_element, true, false, false},
                                                {"times 1e-300", least_element, true, false, false},
                                                {"identity", one_element, false, false, false},
                                                {"a cluster at eps", nearly_one_element, true, false, false},
                                                {"Clement", clement_element, false, false, false},
                                                {"band", band_element, false, false, false}};
enum { REAL_KINDS = sizeof real_kinds / sizeof *real_kinds };

/* Elements have been rounded to float before. To be freed. */
static inline double *real_matrix(const struct matrix_kind *kind, enum blas_type type, int n)
{
    double complex *const given = hermitian_matrix(kind, type, n);
    double *const a = malloc((size_t)n * (size_t)n * sizeof *a + 1);
    for (int i = 0; i < n * n; i++)
        a[i] = type == TYPE_S ? (double)(float)creal(given[i]) : creal(given[i]);
    free(given);
    return a;
}

static inline void host_failed(const char *routine, int info)
{
    if (info == 0)
        return;
    fprintf(stderr, "%s: INFO = %d\n", routine, info);
    exit(1);
}

/* A symmetric matrix's values. */
static inline void host_values(const double *a, int n, double *w)
{
    const int length = 4 * n + 1;
    int info;
    double *const copy = malloc((size_t)n * (size_t)n * sizeof *copy + 1), *const work = malloc(
                                                                               (size_t)length * sizeof *work);
    memcpy(copy, a, (size_t)n * (size_t)n * sizeof *copy);
    dsyev_("N", "L", &n, copy, &n, w, work, &length, &info, 1, 1);
    host_failed("dsyev", info);
    free(copy);
    free(work);
}

/* The largest difference in units of n eps times the largest reference; infinite where one is not a number.
 * */
static inline double difference_of(const double *w, const double *reference, int n, enum blas_type type)
{
    double most = 0, norm = 0;
    for (int i = 0; i < n; i++) {
        const double difference = fabs(w[i] - reference[i]);
        norm = fmax(norm, fabs(reference[i]));
        most = difference <= most ? most : isnan(difference) ? INFINITY : difference;
    }
    return most == 0 ? 0 : most / (n * (type == TYPE_S ? 0x1p-24 : 0x1p-53) * norm);
}

#endif
