#include "dense.h"

#include "host_lapack.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double *dense_make(char type, int rows, int columns)
{
    const size_t elements = (size_t)(rows > 0 ? rows : 1) * (size_t)(columns > 0 ? columns : 1);
    double *matrix = calloc(elements, element_bytes(type) < 8 ? 8 : element_bytes(type));
    if (!matrix)
        abort();
    return matrix;
}

double *dense_copy(char type, int rows, int columns, const void *from, int64_t ld)
{
    double *matrix = dense_make(type, rows, columns);
    const size_t size = element_bytes(type), column = (size_t)rows * size;
    for (int j = 0; j < columns && rows > 0; j++)
        memcpy((char *)matrix + (size_t)j * column, (const char *)from + (size_t)(j * ld) * size, column);
    return matrix;
}

void dense_randomise(char type, double *matrix, int64_t elements, struct random *random)
{
    for (int64_t i = 0; i < elements; i++)
        for (int part = 0; part <= is_complex(type); part++)
            set_part(type, matrix, i, part, random_value(random));
}

static void *blas(char type, const char *name)
{
    char symbol[16];
    snprintf(symbol, sizeof symbol, "%c%s", type, name);
    return host_function(symbol);
}

static void set_scalar(char type, double scalar[2], double value)
{
    set_part(type, scalar, 0, 0, value);
    if (is_complex(type))
        set_part(type, scalar, 0, 1, 0);
}

void dense_multiply(char type, char transa, char transb, int m, int n, int k, double alpha, const double *a,
                    int lda, const double *b, int ldb, double beta, double *c, int ldc)
{
    void (*gemm)(const char *, const char *, const int *, const int *, const int *, const void *,
                 const void *, const int *, const void *, const int *, const void *, void *, const int *,
                 size_t, size_t);
    double scalars[2][2];
    *(void **)&gemm = blas(type, "gemm");
    set_scalar(type, scalars[0], alpha);
    set_scalar(type, scalars[1], beta);
    const int ones[3] = {lda > 0 ? lda : 1, ldb > 0 ? ldb : 1, ldc > 0 ? ldc : 1};
    gemm(&transa, &transb, &m, &n, &k, scalars[0], a, &ones[0], b, &ones[1], scalars[1], c, &ones[2], 1, 1);
}

void dense_solve_lower(char type, char trans, int n, int m, const double *a, double *b)
{
    void (*trsm)(const char *, const char *, const char *, const char *, const int *, const int *,
                 const void *, const void *, const int *, void *, const int *, size_t, size_t, size_t,
                 size_t);
    double one[2];
    *(void **)&trsm = blas(type, "trsm");
    set_scalar(type, one, 1);
    if (n > 0 && m > 0)
        trsm("L", "L", &trans, "N", &n, &m, one, a, &n, b, &n, 1, 1, 1, 1);
}

void dense_scale_columns(char type, int rows, int columns, double *matrix, const double *factors)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            const int64_t at = i + (int64_t)j * rows;
            const number value = get(type, matrix, at) * (long double)factors[j];
            set_part(type, matrix, at, 0, (double)creall(value));
            if (is_complex(type))
                set_part(type, matrix, at, 1, (double)cimagl(value));
        }
}

double dense_norm(char type, int rows, int columns, const double *matrix)
{
    double largest = 0;
    for (int j = 0; j < columns; j++) {
        double sum = 0;
        for (int i = 0; i < rows; i++)
            sum += (double)cabsl(get(type, matrix, i + (int64_t)j * rows));
        if (!(sum <= largest))
            largest = sum;
        if (isnan(sum))
            return sum;
    }
    return largest;
}

double dense_orthogonality(char type, int rows, int columns, const double *x)
{
    double *product = dense_make(type, columns, columns);
    dense_multiply(type, 'C', 'N', columns, columns, rows, 1, x, rows, x, rows, 0, product, columns);
    for (int i = 0; i < columns; i++) {
        const int64_t at = i + (int64_t)i * columns;
        set_part(type, product, at, 0, (double)creall(get(type, product, at)) - 1);
    }
    const double norm = dense_norm(type, columns, columns, product);
    free(product);
    return rows > 0 ? norm / (rows * unit_roundoff(type)) : 0;
}

double unit_roundoff(char type)
{
    return is_single(type) ? (double)FLT_EPSILON : DBL_EPSILON;
}

char real_type(char type)
{
    return is_single(type) ? 's' : 'd';
}

double real_at(char type, const void *memory, int64_t index)
{
    return is_single(type) ? (double)((const float *)memory)[index] : ((const double *)memory)[index];
}
