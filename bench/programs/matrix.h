/* matrix.h - matrices made by a rule, and products with them in plain C.
 *
 * Elements are columns of doubles, or of pairs of doubles (real, imaginary). A matrix
 * is either in memory or made anew, column by column, whenever it is needed, so that a
 * problem that was overwritten by its solution can still be checked. Large ones on all cores. */
#ifndef MUBLAS_BENCH_MATRIX_H
#define MUBLAS_BENCH_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct matrix {
    size_t rows, columns;
    bool complex;
    const double *values; /* dense, leading dimension = rows; NULL: by the rule below */
    uint64_t seed;
    bool hermitian;
    double diagonal, shift; /* added to the diagonal's elements, to all */
};

struct matrix matrix_dense(size_t rows, size_t columns, const double *values);
struct matrix matrix_dense_complex(size_t rows, size_t columns, const double *values);

/* Doubles that the matrix takes in memory. */
size_t matrix_size(const struct matrix *matrix);

/* Writes all of a matrix made by a rule. */
void matrix_fill(const struct matrix *matrix, double *values);

/* y = A x, or A^H x: vectors of doubles or pairs. Sums have an error far below that of
 * double: what the result lacks is the rounding of each product. */
void matrix_apply(const struct matrix *matrix, bool adjoint, const double *x, double *y);

#endif
