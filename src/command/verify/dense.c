#include "command/verify/lapack.h"

#include <string.h>

void dense_multiply(bool adjoint, int64_t n, int64_t rows, int64_t columns, const struct number *a,
                    const struct number *b, struct number *c)
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

void dense_subtract(struct number *from, const struct number *what, const double *w, int64_t rows,
                    int64_t columns)
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

void dense_take(enum blas_type type, char uplo, bool unit, int64_t rows, int64_t columns, const char *matrix,
                int64_t ld, struct number *to)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            to[i + j * rows] = unit && i == j                     ? (struct number){1, 0}
                               : dense_is_in_triangle(uplo, i, j) ? number_get(type, matrix, i + j * ld)
                                                                  : (struct number){0, 0};
}

void dense_complete(char uplo, int64_t n, struct number *matrix)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (!dense_is_in_triangle(uplo, i, j)) {
                const struct number other = matrix[j + i * n];
                matrix[i + j * n] = (struct number){other.re, -other.im};
            }
}

void dense_take_hermitian(enum blas_type type, char uplo, int64_t n, const char *matrix, int64_t ld,
                          struct number *to)
{
    dense_take(type, uplo, false, n, n, matrix, ld, to);
    dense_complete(uplo, n, to);
    for (int64_t i = 0; i < n; i++)
        to[i + i * n].im = 0;
}

bool dense_diagonal_is_real(enum blas_type type, int64_t n, const char *matrix, int64_t ld)
{
    bool is_real = true;
    for (int64_t i = 0; i < n; i++)
        is_real = is_real && number_get(type, matrix, i + i * ld).im == 0;
    return is_real;
}

void dense_set_identity(int64_t rows, int64_t columns, struct number *to)
{
    memset(to, 0, (size_t)(rows * columns) * sizeof *to);
    for (int64_t i = 0; i < rows && i < columns; i++)
        to[i + i * rows].re = 1;
}

void dense_transpose(bool conjugate, int64_t n, struct number *matrix)
{
    const double sign = conjugate ? -1 : 1;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j; i++) {
            const struct number upper = matrix[i + j * n], lower = matrix[j + i * n];
            matrix[i + j * n] = (struct number){lower.re, sign * lower.im};
            matrix[j + i * n] = (struct number){upper.re, sign * upper.im};
        }
}

double dense_orthogonality(int64_t rows, int64_t columns, const struct number *x, struct number *product)
{
    dense_multiply(true, rows, columns, columns, x, x, product);
    for (int64_t i = 0; i < columns; i++)
        product[i + i * columns].re -= 1;
    return dense_norm(columns, columns, product);
}

void dense_multiply_factor(char uplo, int64_t n, struct number *factor, struct number *to)
{
    for (int64_t j = 0; uplo == 'L' && j < n; j++)
        for (int64_t i = j; i < n; i++) {
            const struct number value = factor[i + j * n];
            factor[i + j * n] = i == j ? (struct number){value.re, -value.im} : (struct number){0, 0};
            if (i != j)
                factor[j + i * n] = (struct number){value.re, -value.im};
        }
    dense_multiply(true, n, n, n, factor, factor, to);
}
