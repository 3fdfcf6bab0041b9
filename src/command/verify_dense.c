#include "command/verify_dense.h"

#include <string.h>

void dense_multiply(bool adjoint, int64_t n, int64_t rows, int64_t columns, const struct number *a, const struct number *b,
                    struct number *c)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            struct number sum = {0, 0};
            for (int64_t l = 0; l < n; l++) {
                const struct number x = adjoint ? a[l + i * n] : a[i + l * rows], y = b[l + j * n];
                const double im = adjoint ? -x.im : x.im;
                sum.re += x.re * y.re - im * y.im;
                sum.im += x.re * y.im + im * y.re;
            }
            c[i + j * rows] = sum;
        }
}

void dense_subtract(struct number *from, const struct number *what, const double *w, int64_t rows, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            const double factor = w ? w[j] : 1;
            from[i + j * rows].re -= factor * what[i + j * rows].re;
            from[i + j * rows].im -= factor * what[i + j * rows].im;
        }
}

double dense_norm(int64_t rows, int64_t columns, const struct number *matrix)
{
    double most = 0;
    for (int64_t j = 0; j < columns; j++) {
        double sum = 0;
        for (int64_t i = 0; i < rows; i++)
            sum += hypot(matrix[i + j * rows].re, matrix[i + j * rows].im);
        most = dense_worse(most, sum);
    }
    return most;
}

double dense_worse(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

double dense_ulp(enum blas_type type)
{
    return blas_is_single(type) ? 0x1p-23 : 0x1p-52;
}

bool dense_is_in_triangle(char uplo, int64_t i, int64_t j)
{
    return uplo == 'F' || (uplo == 'L' ? i >= j : i <= j);
}

bool dense_same_outside(const char *after, const char *before, size_t column, size_t first, size_t last)
{
    return memcmp(after, before, first) == 0 && memcmp(after + last, before + last, column - last) == 0;
}

bool dense_triangle_kept(char uplo, int64_t n, size_t element, const char *after, const char *before, int64_t ld)
{
    bool same = true;
    for (int64_t j = 0; j < n; j++) {
        const size_t at = (size_t)(j * ld) * element;
        const int64_t first = uplo == 'L' ? j : 0, last = uplo == 'U' ? j + 1 : n;
        same = same && dense_same_outside(after + at, before + at, (size_t)ld * element, (size_t)first * element,
                                          (size_t)last * element);
    }
    return same;
}

bool dense_rectangle_kept(int64_t rows, int64_t columns, int64_t all, size_t element, const char *after, const char *before,
                          int64_t ld)
{
    bool same = true;
    for (int64_t j = 0; j < all; j++)
        same = same && dense_same_outside(after + (size_t)(j * ld) * element, before + (size_t)(j * ld) * element,
                                          (size_t)ld * element, 0, j < columns ? (size_t)rows * element : 0);
    return same;
}

void dense_take(enum blas_type type, char uplo, bool unit, int64_t rows, int64_t columns, const char *matrix, int64_t ld,
                 struct number *to)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            to[i + j * rows] = unit && i == j                     ? (struct number){1, 0}
                               : dense_is_in_triangle(uplo, i, j) ? number_get(type, matrix, i + j * ld)
                                                                  : (struct number){0, 0};
}
