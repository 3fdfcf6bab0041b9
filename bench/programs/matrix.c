#include "matrix.h"
#include "parallel.h"
#include "program.h"
#include "../timing.h"

/* Columns whose products are summed in double before the sum goes into a long double. */
enum { BLOCK = 8 };

struct matrix matrix_dense(size_t rows, size_t columns, const double *values)
{
    return (struct matrix){.rows = rows, .columns = columns, .values = values};
}

struct matrix matrix_dense_complex(size_t rows, size_t columns, const double *values)
{
    return (struct matrix){.rows = rows, .columns = columns, .values = values, .complex = true};
}

static size_t parts(const struct matrix *matrix)
{
    return matrix->complex ? 2 : 1;
}

size_t matrix_size(const struct matrix *matrix)
{
    return matrix->rows * matrix->columns * parts(matrix);
}

/* Rows `begin` to `end` of column j, at the same places of `column`. */
static void make_column(const struct matrix *matrix, size_t j, size_t begin, size_t end, double *column)
{
    uint64_t seed = matrix->seed;
    for (size_t i = begin; i < end; i++) {
        bool mirrored = matrix->hermitian && i < j;
        size_t row = mirrored ? j : i, other = mirrored ? i : j;
        double real = entry(seed, row, other) + matrix->shift + (i == j ? matrix->diagonal : 0);
        if (!matrix->complex) {
            column[i] = real;
            continue;
        }
        double imaginary = matrix->hermitian && i == j ? 0 : entry(seed + 1, row, other);
        column[2 * i] = real;
        column[2 * i + 1] = mirrored ? -imaginary : imaginary;
    }
}

/* What a thread is given of a matrix: y = A x, A^H x, or A itself in `y`. */
struct job {
    const struct matrix *matrix;
    const double *x;
    double *y;
};

static void fill_columns(void *context, size_t begin, size_t end)
{
    const struct job *job = context;
    size_t height = job->matrix->rows * parts(job->matrix);
    for (size_t j = begin; j < end; j++)
        make_column(job->matrix, j, 0, job->matrix->rows, job->y + j * height);
}

void matrix_fill(const struct matrix *matrix, double *values)
{
    struct job job = {.matrix = matrix, .y = values};
    parallel_for(matrix->columns, (double)matrix_size(matrix), fill_columns, &job);
}

/* Adds `count` columns, each times its element of x, to rows `begin` to `end` of the sums. */
static void add_columns(const struct matrix *matrix, const double *const *columns, size_t count, size_t begin,
                        size_t end, const double *x, long double *sums)
{
    for (size_t i = begin; i < end; i++) {
        double real = 0, imaginary = 0;
        for (size_t c = 0; c < count; c++) {
            if (!matrix->complex) {
                real += columns[c][i] * x[c];
                continue;
            }
            const double *a = columns[c] + 2 * i;
            real += a[0] * x[2 * c] - a[1] * x[2 * c + 1];
            imaginary += a[0] * x[2 * c + 1] + a[1] * x[2 * c];
        }
        sums[i * parts(matrix)] += real;
        if (matrix->complex)
            sums[2 * i + 1] += imaginary;
    }
}

static void apply_rows(void *context, size_t begin, size_t end)
{
    const struct job *job = context;
    const struct matrix *matrix = job->matrix;
    size_t height = matrix->rows * parts(matrix);
    double *buffer = allocate(BLOCK * height);
    long double *sums = calloc(height + 1, sizeof *sums);
    if (!sums)
        expect_success("memory", -1);
    for (size_t j = 0; j < matrix->columns; j += BLOCK) {
        size_t count = matrix->columns - j < BLOCK ? matrix->columns - j : BLOCK;
        const double *columns[BLOCK];
        for (size_t c = 0; c < count; c++) {
            if (!matrix->values)
                make_column(matrix, j + c, begin, end, buffer + c * height);
            columns[c] = matrix->values ? matrix->values + (j + c) * height : buffer + c * height;
        }
        add_columns(matrix, columns, count, begin, end, job->x + j * parts(matrix), sums);
    }
    for (size_t i = begin * parts(matrix); i < end * parts(matrix); i++)
        job->y[i] = (double)sums[i];
    free(sums);
    free(buffer);
}

static void dot_column(const struct matrix *matrix, const double *column, const double *x, double *y)
{
    long double real = 0, imaginary = 0;
    for (size_t i = 0; i < matrix->rows; i++) {
        if (!matrix->complex) {
            real += column[i] * x[i];
            continue;
        }
        const double *a = column + 2 * i;
        real += a[0] * x[2 * i] + a[1] * x[2 * i + 1];
        imaginary += a[0] * x[2 * i + 1] - a[1] * x[2 * i];
    }
    y[0] = (double)real;
    if (matrix->complex)
        y[1] = (double)imaginary;
}

static void apply_columns(void *context, size_t begin, size_t end)
{
    const struct job *job = context;
    const struct matrix *matrix = job->matrix;
    size_t height = matrix->rows * parts(matrix);
    double *buffer = allocate(height);
    for (size_t j = begin; j < end; j++) {
        if (!matrix->values)
            make_column(matrix, j, 0, matrix->rows, buffer);
        dot_column(matrix, matrix->values ? matrix->values + j * height : buffer, job->x,
                   job->y + j * parts(matrix));
    }
    free(buffer);
}

void matrix_apply(const struct matrix *matrix, bool adjoint, const double *x, double *y)
{
    struct job job = {matrix, x, y};
    parallel_for(adjoint ? matrix->columns : matrix->rows, (double)matrix_size(matrix),
                 adjoint ? apply_columns : apply_rows, &job);
}
