#include "numbers.h"

#include <float.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tests, failures;
static uint64_t state = 1;

bool type_is_single(char type)
{
    return type == 's' || type == 'c';
}

bool type_is_complex(char type)
{
    return type == 'c' || type == 'z';
}

size_t type_bytes(char type)
{
    return (type_is_single(type) ? sizeof(float) : sizeof(double)) * (type_is_complex(type) ? 2 : 1);
}

double type_epsilon(char type)
{
    return type_is_single(type) ? FLT_EPSILON : DBL_EPSILON;
}

static size_t matrix_bytes(const struct matrix *matrix)
{
    return (size_t)matrix->ld * (size_t)matrix->columns * type_bytes(matrix->type);
}

struct matrix matrix_make(char type, int rows, int columns, int gap)
{
    struct matrix matrix = {
        .type = type, .rows = rows, .columns = columns, .ld = rows + gap > 0 ? rows + gap : 1};
    matrix.memory = malloc(matrix_bytes(&matrix) + 1);
    matrix.before = malloc(matrix_bytes(&matrix) + 1);
    if (!matrix.memory || !matrix.before)
        abort();
    memset(matrix.memory, 0xff, matrix_bytes(&matrix));
    matrix_remember(&matrix);
    return matrix;
}

void matrix_free(struct matrix *matrix)
{
    free(matrix->memory);
    free(matrix->before);
}

static size_t place_of(const struct matrix *matrix, int row, int column)
{
    return ((size_t)column * (size_t)matrix->ld + (size_t)row) * type_bytes(matrix->type);
}

static number element_get(char type, const unsigned char *at)
{
    float single[2] = {0, 0};
    double real[2] = {0, 0};
    if (!type_is_single(type)) {
        memcpy(real, at, type_bytes(type));
        return real[0] + real[1] * I;
    }
    memcpy(single, at, type_bytes(type));
    return (double)single[0] + (double)single[1] * I;
}

number matrix_get(const struct matrix *matrix, int row, int column)
{
    return element_get(matrix->type, matrix->memory + place_of(matrix, row, column));
}

number matrix_before(const struct matrix *matrix, int row, int column)
{
    return element_get(matrix->type, matrix->before + place_of(matrix, row, column));
}

void matrix_set(struct matrix *matrix, int row, int column, number value)
{
    const float single[2] = {(float)creal(value), (float)cimag(value)};
    const double real[2] = {creal(value), cimag(value)};
    memcpy(matrix->memory + place_of(matrix, row, column),
           type_is_single(matrix->type) ? (const void *)single : (const void *)real,
           type_bytes(matrix->type));
}

void matrix_remember(struct matrix *matrix)
{
    memcpy(matrix->before, matrix->memory, matrix_bytes(matrix));
}

static bool is_in(const struct matrix *matrix, char part, int row, int column)
{
    return row < matrix->rows &&
           (part == 'F' || (part == 'U' && row <= column) || (part == 'L' && row >= column));
}

bool matrix_is_untouched(const struct matrix *matrix, char part)
{
    for (int j = 0; j < matrix->columns; j++)
        for (int i = 0; i < matrix->ld; i++)
            if (!is_in(matrix, part, i, j) &&
                memcmp(matrix->memory + place_of(matrix, i, j), matrix->before + place_of(matrix, i, j),
                       type_bytes(matrix->type)) != 0)
                return false;
    return true;
}

static double random_real(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(state >> 11) * 0x1p-52 - 1;
}

number random_number(char type)
{
    const double real = random_real();
    return type_is_complex(type) ? real + random_real() * I : real;
}

void matrix_fill(struct matrix *matrix, char part)
{
    for (int j = 0; j < matrix->columns; j++)
        for (int i = 0; i < matrix->rows; i++)
            if (is_in(matrix, part, i, j))
                matrix_set(matrix, i, j, random_number(matrix->type));
}

number hermitian_get(const struct matrix *matrix, char uplo, bool before, int row, int column)
{
    number (*const get)(const struct matrix *, int, int) = before ? matrix_before : matrix_get;
    if (row == column)
        return creal(get(matrix, row, column));
    return (uplo == 'U') == (row < column) ? get(matrix, row, column) : conj(get(matrix, column, row));
}

double real_get(char type, const void *reals, int index)
{
    return type_is_single(type) ? (double)((const float *)reals)[index] : ((const double *)reals)[index];
}

void test(bool passed, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    failures += !passed;
    printf(passed ? "ok %d - " : "not ok %d - ", ++tests);
    vprintf(what, arguments);
    puts("");
    va_end(arguments);
}

int tests_end(void)
{
    printf("1..%d\n", tests);
    return failures > 0;
}
