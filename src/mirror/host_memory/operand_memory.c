#include "mirror/host_memory/operand_memory.h"
#include "mirror/host_memory/pages.h"

bool operand_memory_is_empty(const struct operand *operand)
{
    return !operand->matrix.pointer || operand->matrix.rows <= 0 || operand->matrix.columns <= 0;
}

/* Rows [first, last) of column j that belong to the part. */
static void column_rows(const struct blas_matrix *matrix, int64_t column, int64_t *first, int64_t *last)
{
    *first = matrix->part == PART_LOWER ? column : 0;
    *last = matrix->part == PART_UPPER && column + 1 < matrix->rows ? column + 1 : matrix->rows;
    if (*first > *last)
        *first = *last;
}

static uintptr_t element_address(const struct operand *operand, int64_t row, int64_t column)
{
    const struct blas_matrix *matrix = &operand->matrix;
    return (uintptr_t)matrix->pointer +
           ((uintptr_t)column * (uintptr_t)matrix->ld + (uintptr_t)row) * operand->element_bytes;
}

struct byte_range operand_memory_hull(const struct operand *operand)
{
    const struct blas_matrix *matrix = &operand->matrix;
    struct byte_range hull = {0, 0};
    int64_t first, last;
    if (operand_memory_is_empty(operand))
        return hull;
    hull.begin = element_address(operand, 0, 0);
    column_rows(matrix, matrix->columns - 1, &first, &last);
    hull.end = element_address(operand, last, matrix->columns - 1);
    return hull;
}

uint64_t operand_memory_bytes(const struct operand *operand)
{
    const struct blas_matrix *matrix = &operand->matrix;
    if (operand_memory_is_empty(operand))
        return 0;
    uint64_t rows = (uint64_t)matrix->rows, columns = (uint64_t)matrix->columns;
    uint64_t order = rows < columns ? rows : columns;
    uint64_t elements = rows * columns;
    if (matrix->part == PART_LOWER)
        elements = order * rows - order * (order - 1) / 2;
    else if (matrix->part == PART_UPPER)
        elements = order * (order + 1) / 2 + (columns - order) * rows;
    return elements * operand->element_bytes;
}

uint64_t operand_memory_page_bytes(const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    const uint64_t most = page_ceiling(hull.end) - page_floor(hull.begin);
    const uint64_t bytes =
        operand_memory_bytes(operand) + ((uint64_t)operand->matrix.columns << page_shift());
    return bytes < most ? bytes : most;
}

bool operand_memory_contains(const struct operand *outer, const struct operand *inner)
{
    const struct blas_matrix *out = &outer->matrix, *in = &inner->matrix;
    uintptr_t from = (uintptr_t)out->pointer, to = (uintptr_t)in->pointer;
    size_t column_bytes = (size_t)out->ld * outer->element_bytes;
    if (operand_memory_is_empty(outer) || out->ld != in->ld || outer->element_bytes != inner->element_bytes ||
        to < from)
        return false;
    int64_t column = (int64_t)((to - from) / column_bytes);
    size_t rest = (to - from) % column_bytes;
    int64_t row = (int64_t)(rest / outer->element_bytes);
    if (rest % outer->element_bytes || row + in->rows > out->rows || column + in->columns > out->columns)
        return false;
    if (out->part == PART_LOWER)
        return in->part == PART_LOWER ? row >= column : row >= column + in->columns - 1;
    if (out->part == PART_UPPER)
        return in->part == PART_UPPER ? row <= column : row + in->rows - 1 <= column;
    return true;
}

struct operand_runs operand_runs_start_at(const struct operand *operand, uintptr_t address)
{
    const struct blas_matrix *matrix = &operand->matrix;
    const uintptr_t first = (uintptr_t)matrix->pointer;
    struct operand_runs runs = operand_runs_start(operand);
    if (address > first)
        runs.column = (int64_t)((address - first) / ((uintptr_t)matrix->ld * operand->element_bytes));
    return runs;
}

bool operand_runs_next(struct operand_runs *runs, struct byte_range *run)
{
    const struct operand *operand = runs->operand;
    const struct blas_matrix *matrix = &operand->matrix;
    int64_t first, last;
    if (operand_memory_is_empty(operand) || runs->column >= matrix->columns)
        return false;
    column_rows(matrix, runs->column, &first, &last);
    run->begin = element_address(operand, first, runs->column);
    run->end = element_address(operand, last, runs->column);
    while (++runs->column < matrix->columns) {
        column_rows(matrix, runs->column, &first, &last);
        if (element_address(operand, first, runs->column) != run->end)
            break;
        run->end = element_address(operand, last, runs->column);
    }
    return true;
}
