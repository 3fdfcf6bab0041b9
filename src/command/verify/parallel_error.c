#include "command/verify/parallel_error.h"
#include "command/verify/dense.h"
#include "lapack/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t parallel_found(const struct parallel_problem *problem)
{
    return problem->numbers[parallel_problem_has(problem, WORD_found) ? WORD_found : WORD_n].integer;
}

static double unit_of(const struct parallel_problem *problem, const struct parallel_array *array)
{
    const int k = parallel_problem_has(problem, WORD_k) ? problem->numbers[WORD_k].integer : 0;
    const int order = array->rows > array->columns ? array->rows : array->columns;
    return dense_ulp(problem->routine->type) * (order > k ? order : k);
}

/* Compares one array; `whole` and `other` have room. */
static double difference(struct parallel_problem *ours, struct parallel_problem *hosts, int number,
                         struct number *whole, struct number *other)
{
    const struct parallel_array *const array = &ours->arrays[number];
    double largest = 0, apart = 0;
    parallel_array_gather(array, ours, whole);
    parallel_array_gather(&hosts->arrays[number], hosts, other);
    for (int64_t i = 0; i < (int64_t)array->rows * array->columns; i++) {
        largest = dense_worse(largest, number_size(other[i]));
        apart = dense_worse(apart, number_size((struct number){whole[i].re - other[i].re, whole[i].im - other[i].im}));
    }
    return apart / (unit_of(ours, array) * fmax(largest, 1e-300));
}

static double matrix_errors(struct parallel_problem *ours, struct parallel_problem *hosts)
{
    struct number *const whole = calloc(2 * (size_t)PARALLEL_WHOLE_MOST, sizeof *whole);
    double worst = whole ? 0 : (double)INFINITY;
    for (int i = 0; i < ours->routine->signature.matrix_count && whole; i++)
        if (ours->arrays[i].signature->access == PARALLEL_UPDATE)
            worst = dense_worse(worst, difference(ours, hosts, i, whole, whole + PARALLEL_WHOLE_MOST));
    free(whole);
    return worst;
}

/* Looks at this process's rows. */
static bool pivots_agree(const struct parallel_problem *ours, const struct parallel_problem *hosts)
{
    const int32_t *const one = ours->vectors[WORD_ipiv], *const other = hosts->vectors[WORD_ipiv];
    const struct parallel_array *const a = &ours->arrays[0];
    int64_t i, j;
    for (int row = 0; row < a->local_rows; row++) {
        parallel_array_global(a, &ours->grid->place, row, 0, &i, &j);
        if (i < a->columns && one[row] != other[row])
            return false;
    }
    return true;
}

static bool numbers_agree(const struct parallel_problem *ours, const struct parallel_problem *hosts)
{
    const enum blas_type type = ours->routine->type;
    if (ours->numbers[WORD_info].integer != 0 || hosts->numbers[WORD_info].integer != 0)
        return false;
    if (parallel_problem_has(ours, WORD_scale) && number_real(type, &ours->numbers[WORD_scale], 0) !=
                                                      number_real(type, &hosts->numbers[WORD_scale], 0))
        return false;
    return !parallel_problem_has(ours, WORD_ipiv) || pivots_agree(ours, hosts);
}

double parallel_error(struct parallel_problem *ours, struct parallel_problem *hosts,
                      struct parallel_problem *before)
{
    double worst = numbers_agree(ours, hosts) ? 0 : (double)INFINITY;
    worst = dense_worse(worst, matrix_errors(ours, hosts));
    if (ours->routine->kind == KIND_EIGEN)
        worst = dense_worse(worst, parallel_eigen_error(ours, hosts, before));
    return parallel_grid_largest(ours->grid, isnan(worst) ? (double)INFINITY : worst);
}

static bool is_result(const struct parallel_problem *ours, const struct parallel_array *array, int row, int column)
{
    int64_t i, j;
    if (!parallel_array_global(array, &ours->grid->place, row, column, &i, &j))
        return false;
    if (array->signature->access == PARALLEL_WRITE)
        return ours->numbers[WORD_jobz].letter == 'V' && j < parallel_found(ours);
    return array->part == PART_FULL || (array->part == PART_LOWER ? i >= j : i <= j);
}

/* The triangle of A that an eigensolver has read. */
static bool may_be_destroyed(const struct parallel_problem *ours, const struct parallel_array *array)
{
    return ours->routine->kind == KIND_EIGEN && array->signature->letter == 'A';
}

static bool array_is_kept(const struct parallel_problem *ours, int number, const struct parallel_array *before)
{
    const struct parallel_array *const array = &ours->arrays[number];
    const size_t element = blas_element_bytes(ours->routine->type), ld = (size_t)array->descriptor[8];
    if (array->signature->access == PARALLEL_READ && !may_be_destroyed(ours, array))
        return memcmp(array->local, before->local, array->bytes) == 0;
    for (size_t at = 0; at * element < array->bytes; at++)
        if (!is_result(ours, array, (int)(at % ld), (int)(at / ld)) &&
            memcmp(array->local + at * element, before->local + at * element, element) != 0)
            return false;
    return true;
}

bool parallel_kept(struct parallel_problem *ours, const struct parallel_problem *before)
{
    for (int i = 0; i < ours->routine->signature.matrix_count; i++)
        if (!array_is_kept(ours, i, &before->arrays[i]))
            return false;
    return true;
}
