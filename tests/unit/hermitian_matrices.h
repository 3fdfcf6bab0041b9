/* hermitian_matrices.h - matrices that are hard to reduce to tridiagonal form, in double complex whatever the
 * type, and how far what was made of one is from it. */
#ifndef MUBLAS_TESTS_HERMITIAN_MATRICES_H
#define MUBLAS_TESTS_HERMITIAN_MATRICES_H

#include "common/blas_call.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Elements of the lower triangle; numbers are between -1 and 1. */
struct place {
    int row, column, n;
    double complex random;
};
static inline double complex random_element(struct place at)
{
    return at.random;
}
static inline double complex zero_element(struct place at)
{
    return 0 * at.row;
}
static inline double complex diagonal_element(struct place at)
{
    return at.row == at.column ? at.random : 0;
}
static inline double complex tridiagonal_element(struct place at)
{
    return at.row <= at.column + 1 ? at.random : 0;
}
static inline double complex wilkinson_element(struct place at)
{
    return at.row == at.column ? fabs(at.row - 0.5 * (at.n - 1)) : at.row == at.column + 1;
}
static inline double complex imaginary_element(struct place at)
{
    return at.row == at.column ? at.random : cimag(at.random) * I;
}
static inline double complex small_element(struct place at)
{
    return 0x1p-400 * at.random;
}
static inline double complex graded_down_element(struct place at)
{
    return at.random * pow(10, -150.0 * at.column / at.n);
}
static inline double complex graded_up_element(struct place at)
{
    return at.random * pow(10, -150.0 * (at.n - 1 - at.row) / at.n);
}
/* The column that is the first to be reduced, of either triangle. */
static inline double complex tiny_columns_element(struct place at)
{
    const bool is_tiny = at.row > at.column && (at.column == 0 || at.row == at.n - 1);
    return is_tiny ? 1e-200 * at.random : at.random;
}

static const struct matrix_kind {
    const char *name;
    double complex (*element)(struct place at);
    bool is_double, is_complex; /* of these types only */
    bool stays;                 /* no reflector is needed */
} matrix_kinds[] = {{"random", random_element, false, false, false},
                    {"zero", zero_element, false, false, true},
                    {"diagonal", diagonal_element, false, false, true},
                    {"tridiagonal", tridiagonal_element, false, false, false},
                    {"Wilkinson", wilkinson_element, false, false, true},
                    {"imaginary off-diagonals", imaginary_element, false, true, false},
                    {"times 2^-400", small_element, true, false, false},
                    {"graded down", graded_down_element, true, false, false},
                    {"graded up", graded_up_element, true, false, false},
                    {"tiny columns", tiny_columns_element, true, false, false}};
enum { MATRIX_KINDS = sizeof matrix_kinds / sizeof *matrix_kinds };

static inline double random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(float)((double)(int64_t)(*state >> 11) * 0x1p-52 - 1);
}

/* Both triangles, n x n; the same matrix for the same arguments. To be freed. */
static inline double complex *hermitian_matrix(const struct matrix_kind *kind, enum blas_type type, int n)
{
    double complex *const a = calloc((size_t)n * (size_t)n, sizeof *a);
    uint64_t state = (uint64_t)n * 2654435761u + type;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            const double real = random_number(&state), imaginary = random_number(&state);
            const bool has_imaginary = blas_scalar_parts(type) == 2 && i > j;
            a[i + j * n] = kind->element((struct place){i, j, n, CMPLX(real, has_imaginary ? imaginary : 0)});
            a[j + i * n] = conj(a[i + j * n]);
        }
    return a;
}

/* The largest column sum; NaN counts as infinite. */
static inline double one_norm(const double complex *a, int n)
{
    double most = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += cabs(a[i + j * n]);
        most = sum <= most ? most : isnan(sum) ? INFINITY : sum;
    }
    return most;
}

/* C = C - A B'. */
static inline void subtract_product(double complex *c, const double complex *a, const double complex *b,
                                    int n)
{
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++)
                c[i + j * n] -= a[i + k * n] * conj(b[j + k * n]);
}

/* |A - Q T Q'| by the norm of A, T of real diagonals d and e. */
static inline double residual_of(const double complex *a, const double complex *q, const double *d,
                                 const double *e, int n)
{
    const double norm = one_norm(a, n);
    double complex *const qt = calloc((size_t)n * (size_t)n, sizeof *qt);
    double complex *const rest = calloc((size_t)n * (size_t)n, sizeof *rest);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            rest[i + j * n] = a[i + j * n];
            qt[i + j * n] = q[i + j * n] * d[j] + (j > 0 ? q[i + (j - 1) * n] * e[j - 1] : 0) +
                            (j + 1 < n ? q[i + (j + 1) * n] * e[j] : 0);
        }
    subtract_product(rest, qt, q, n);
    const double residual = one_norm(rest, n) / (norm > 0 ? norm : 1);
    free(qt);
    free(rest);
    return residual;
}

/* |I - Q Q'|. */
static inline double skew_of(const double complex *q, int n)
{
    double complex *const rest = calloc((size_t)n * (size_t)n, sizeof *rest);
    for (int i = 0; i < n; i++)
        rest[i + i * n] = 1;
    subtract_product(rest, q, q, n);
    const double skew = one_norm(rest, n);
    free(rest);
    return skew;
}

#endif
