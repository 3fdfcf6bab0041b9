/* blas_program.h - calls of double routines, each checked against a plain loop.
 *
 * The reference is summed in long double; a result may differ from it by 16 eps
 * times the sum of magnitudes of its terms. */
#ifndef MUBLAS_TESTS_BLAS_PROGRAM_H
#define MUBLAS_TESTS_BLAS_PROGRAM_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void ssymv_(const char *uplo, const int *n, const float *alpha, const float *a, const int *lda,
            const float *x, const int *incx, const float *beta, float *y, const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx);
void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
             const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
             const int *ldc);

/* op(A) by its elements: DSYMV and SSYMV lower, DTRMV upper without transposition. */
enum routine_under_test { DSYMV, DGEMV_N, DGEMV_T, DTRMV, SSYMV, ROUTINES_UNDER_TEST };

static inline long double matrix_element(enum routine_under_test routine, const void *a, int ld, int i, int j)
{
    bool swap = routine == DGEMV_T || ((routine == DSYMV || routine == SSYMV) && i < j);
    if (routine == DTRMV && i > j)
        return 0;
    size_t at = swap ? (size_t)j + (size_t)i * (size_t)ld : (size_t)i + (size_t)j * (size_t)ld;
    return routine == SSYMV ? (long double)((const float *)a)[at] : (long double)((const double *)a)[at];
}

/* Call the routine on an m x n matrix (square but for DGEMV) with vectors of increment 1
 * made from `number`; true when the result is right. */
static inline bool call_is_right(enum routine_under_test routine, const void *a, int m, int n, int ld,
                                 double alpha, double beta, int number)
{
    enum { MOST = 2048 };
    static _Thread_local double x[MOST], y[MOST], before[MOST];
    static _Thread_local float single_x[MOST], single_y[MOST];
    const int one = 1, rows = routine == DGEMV_T ? n : m, terms = routine == DGEMV_T ? m : n;
    const float single_alpha = (float)alpha, single_beta = (float)beta;
    for (int i = 0; i < MOST; i++) {
        single_x[i] = (float)(x[i] = (double)((i * 37 + number * 11) % 64 - 31) / 32);
        single_y[i] = (float)(before[i] = y[i] = (double)((i * 29 + number * 7) % 64 - 30) / 16);
    }
    double *result = routine == DTRMV ? x : y;
    double source[MOST];
    memcpy(source, x, sizeof source);
    switch (routine) {
    case DSYMV: dsymv_("L", &n, &alpha, a, &ld, x, &one, &beta, y, &one); break;
    case SSYMV: ssymv_("L", &n, &single_alpha, a, &ld, single_x, &one, &single_beta, single_y, &one); break;
    case DGEMV_N: dgemv_("N", &m, &n, &alpha, a, &ld, x, &one, &beta, y, &one); break;
    case DGEMV_T: dgemv_("T", &m, &n, &alpha, a, &ld, x, &one, &beta, y, &one); break;
    default: dtrmv_("U", "N", "N", &n, a, &ld, x, &one); break;
    }
    for (int i = 0; i < rows; i++) {
        long double sum = 0, magnitude = 0;
        for (int j = 0; j < terms; j++) {
            long double term = matrix_element(routine, a, ld, i, j) * source[j];
            sum += term;
            magnitude += fabsl(term);
        }
        if (routine != DTRMV) {
            sum = alpha * sum + beta * (long double)before[i];
            magnitude = fabs(alpha) * magnitude + fabs(beta * before[i]);
        }
        long double got = routine == SSYMV ? (long double)single_y[i] : (long double)result[i];
        if (!(fabsl(got - sum) <= 16 * (routine == SSYMV ? FLT_EPSILON : DBL_EPSILON) * magnitude))
            return false;
    }
    return true;
}

#endif
