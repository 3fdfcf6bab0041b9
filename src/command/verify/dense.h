/* dense.h - elements of any type as complex numbers in double precision, and small dense matrices of these,
 * without gaps between columns, by which `mublas verify` judges LAPACK's results. */
#ifndef MUBLAS_DENSE_H
#define MUBLAS_DENSE_H

#include "common/blas_call.h"

#include <math.h>
#include <stdbool.h>

struct number {
    double re, im;
};

static inline void number_put(enum blas_type type, char *elements, int64_t index, struct number value)
{
    switch (type) {
    case TYPE_S: ((float *)elements)[index] = (float)value.re; break;
    case TYPE_D: ((double *)elements)[index] = value.re; break;
    case TYPE_C:
        ((float *)elements)[2 * index] = (float)value.re;
        ((float *)elements)[2 * index + 1] = (float)value.im;
        break;
    case TYPE_Z:
        ((double *)elements)[2 * index] = value.re;
        ((double *)elements)[2 * index + 1] = value.im;
        break;
    case TYPE_W:
    case TYPE_COUNT: break; /* of no Fortran routine */
    }
}

static inline struct number number_get(enum blas_type type, const char *elements, int64_t index)
{
    const float *singles = (const float *)elements;
    const double *doubles = (const double *)elements;
    switch (type) {
    case TYPE_S: return (struct number){singles[index], 0};
    case TYPE_D: return (struct number){doubles[index], 0};
    case TYPE_C: return (struct number){singles[2 * index], singles[2 * index + 1]};
    case TYPE_Z: return (struct number){doubles[2 * index], doubles[2 * index + 1]};
    case TYPE_W:
    case TYPE_COUNT: break; /* of no Fortran routine */
    }
    return (struct number){0, 0};
}

/* An element of an array of real numbers of the type's precision. */
static inline double number_real(enum blas_type type, const void *reals, int64_t index)
{
    return blas_is_single(type) ? (double)((const float *)reals)[index] : ((const double *)reals)[index];
}

/* |re| + |im|, as LAPACK's testers measure. */
static inline double number_size(struct number value)
{
    return fabs(value.re) + fabs(value.im);
}

/* The index of element i of a vector in its memory. */
static inline int64_t vector_index(const struct blas_vector *vector, int64_t i)
{
    return vector->increment > 0 ? i * vector->increment : (i + 1 - vector->length) * vector->increment;
}

static inline bool matrix_has(const struct blas_matrix *matrix, int64_t i, int64_t j)
{
    return matrix->part == PART_FULL || (matrix->part == PART_LOWER ? i >= j : i <= j);
}

/* True when the routine has a beta and it is 0: it writes results without reading them. */
static inline bool is_overwritten(const struct blas_call *call)
{
    return call->family != FAMILY_TRMV && call->family != FAMILY_AXPY && !blas_is_in_place(call) &&
           blas_scalar_is_zero(call->type, call->beta);
}

/* dense.c has the functions of matrices; those above stand alone. */

/* c = op(a) b: op(a) has `rows` rows, and n terms make each sum. */
void dense_multiply(bool adjoint, int64_t n, int64_t rows, int64_t columns, const struct number *a,
                    const struct number *b, struct number *c);

/* from -= what, each column times its w (NULL: 1). */
void dense_subtract(struct number *from, const struct number *what, const double *w, int64_t rows,
                    int64_t columns);

/* The largest sum of a column's moduli; NaN if an element is NaN. */
double dense_norm(int64_t rows, int64_t columns, const struct number *matrix);

/* The larger of two; NaN is larger than any number. */
double dense_worse(double a, double b);

double dense_ulp(enum blas_type type); /* LAPACK's: eps * base */

bool dense_is_in_triangle(char uplo, int64_t i, int64_t j); /* L, U, or F: everywhere */

/* Copies the elements of a triangle, or all, and zeros elsewhere. `unit`: ones on the diagonal. */
void dense_take(enum blas_type type, char uplo, bool unit, int64_t rows, int64_t columns, const char *matrix,
                int64_t ld, struct number *to);

/* Makes the n x n Hermitian matrix with this triangle. */
void dense_take_hermitian(enum blas_type type, char uplo, int64_t n, const char *matrix, int64_t ld,
                          struct number *to);

bool dense_diagonal_is_real(enum blas_type type, int64_t n, const char *matrix, int64_t ld);

/* Makes the other triangle the adjoint of this one. */
void dense_complete(char uplo, int64_t n, struct number *matrix);

/* to = L L* or U* U; turns `factor` into its adjoint if it is L. */
void dense_multiply_factor(char uplo, int64_t n, struct number *factor, struct number *to);

void dense_set_identity(int64_t rows, int64_t columns, struct number *to);

/* Transposes a square matrix, or transposes and conjugates it. */
void dense_transpose(bool conjugate, int64_t n, struct number *matrix);

/* The norm of X* X - I; X has `rows` rows. */
double dense_orthogonality(int64_t rows, int64_t columns, const struct number *x, struct number *product);

#endif
