#include "command/routine_call.h"
#include "command/verify/lapack.h"
#include "command/verify/verify.h"
#include "lapack/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARALLEL_WHOLE_MOST = (PARALLEL_ORDER_MOST + 8) * (PARALLEL_ORDER_MOST + 8) };

static enum parallel_content of_factor(int family, char letter)
{
    if (letter == 'B')
        return CONTENT_ANY;
    return family == LAPACK_POTRF ? CONTENT_DEFINITE : family == LAPACK_GETRF ? CONTENT_PIVOTED : CONTENT_FACTOR;
}

static enum parallel_content of_product(int family, char letter)
{
    const bool is_triangular = family == FAMILY_TRSM || family == FAMILY_TRMM;
    if (letter == 'A' && is_triangular)
        return CONTENT_FACTOR;
    const bool is_hermitian = (letter == 'A' && family == FAMILY_HEMM) || (letter == 'C' && family == FAMILY_HERK);
    return is_hermitian ? CONTENT_HERMITIAN : CONTENT_ANY;
}

enum parallel_content parallel_content_of(const struct parallel_routine *routine, char letter)
{
    switch (routine->kind) {
    case KIND_EIGEN: return letter == 'B' ? CONTENT_DEFINITE : CONTENT_HERMITIAN;
    case KIND_FACTOR: return of_factor(routine->family, letter);
    case KIND_REDUCTION: return letter == 'B' ? CONTENT_FACTOR : CONTENT_HERMITIAN;
    case KIND_PRODUCT: return of_product(routine->family, letter);
    }
    return CONTENT_ANY;
}

static double mix(uint64_t *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)(int64_t)(z ^ (z >> 31)) / 0x1p63;
}

/* Between -1 and 1. */
static struct number any(const struct parallel_problem *problem, char letter, int64_t i, int64_t j)
{
    uint64_t seed = ((uint64_t)i << 40) ^ ((uint64_t)j << 20) ^ ((uint64_t)letter << 8) ^ (uint64_t)problem->number;
    struct number value;
    value.re = mix(&seed);
    value.im = blas_is_complex(problem->routine->type) ? mix(&seed) : 0;
    return value;
}

static struct number hermitian(const struct parallel_problem *problem, char letter, int64_t i, int64_t j)
{
    struct number value = any(problem, letter, i < j ? i : j, i < j ? j : i);
    value.im = i == j ? 0 : i < j ? -value.im : value.im;
    return value;
}

static struct number scaled(struct number value, double by)
{
    return (struct number){value.re * by, value.im * by};
}

/* Definite ones and factors are close to a multiple of the identity; one that is pivoted has its large
 * elements on the other diagonal. */
struct number parallel_content_element(const struct parallel_problem *problem,
                                       const struct parallel_array *array, int64_t i, int64_t j)
{
    const char letter = array->signature->letter;
    const double small = 1.0 / (array->rows > array->columns ? array->rows : array->columns);
    struct number value;
    switch (array->content) {
    case CONTENT_HERMITIAN: return hermitian(problem, letter, i, j);
    case CONTENT_DEFINITE:
        value = scaled(hermitian(problem, letter, i, j), small);
        value.re += i == j ? 2 : 0;
        return value;
    case CONTENT_FACTOR:
        value = scaled(any(problem, letter, i, j), small);
        return i == j ? (struct number){1.5 + value.re, 0} : value;
    case CONTENT_PIVOTED:
        value = scaled(any(problem, letter, i, j), small);
        value.re += i == array->columns - 1 - j ? 2 : 0;
        return value;
    case CONTENT_ANY: break;
    }
    return any(problem, letter, i, j);
}

/* Eigenvalues found. */
static int64_t parallel_found(const struct parallel_problem *problem)
{
    return problem->numbers[parallel_problem_has(problem, WORD_found) ? WORD_found : WORD_n].integer;
}

/* The matrices of an eigenproblem, whole, for LAPACK's checks. */
struct whole_pencil {
    struct lapack_arguments before, after;
    struct number *room;
};

static const struct lapack_routine *whole_routine_of(const struct parallel_routine *routine)
{
    for (int i = 0; i < lapack_routine_count(); i++) {
        const struct lapack_routine *const row = lapack_routine_row(i);
        if (row->family == (enum lapack_family)routine->family && row->type == routine->type)
            return row;
    }
    return NULL;
}

static void put_whole(struct parallel_problem *problem, char letter, struct number *room, int64_t ld,
                      void *to)
{
    const struct parallel_array *const array = parallel_problem_array(problem, letter);
    if (!array)
        return;
    parallel_array_gather(array, problem, room);
    for (int64_t j = 0; j < array->columns; j++)
        for (int64_t i = 0; i < array->rows; i++)
            number_put(problem->routine->type, to, i + j * ld, room[i + j * array->rows]);
}

static void take_numbers(const struct parallel_problem *problem, struct lapack_arguments *arguments)
{
    const int64_t n = problem->numbers[WORD_n].integer;
    *arguments = (struct lapack_arguments){
        .jobz = problem->numbers[WORD_jobz].letter, .uplo = problem->numbers[WORD_uplo].letter,
        .itype = parallel_problem_has(problem, WORD_itype) ? problem->numbers[WORD_itype].integer : 0,
        .range = parallel_problem_has(problem, WORD_range) ? problem->numbers[WORD_range].letter : 'A',
        .n = n, .m = parallel_found(problem), .lda = n, .ldb = n, .ldz = n};
}

/* Some of LAPACK's leave the vectors in A. */
static bool make_whole(struct whole_pencil *whole, const struct lapack_routine *routine,
                       struct parallel_problem *ours, struct parallel_problem *before)
{
    const int64_t n = ours->numbers[WORD_n].integer;
    const bool wants_vectors = ours->numbers[WORD_jobz].letter == 'V';
    memset(whole, 0, sizeof *whole);
    take_numbers(before, &whole->before);
    take_numbers(ours, &whole->after);
    whole->before.m = 0;
    whole->room = calloc(PARALLEL_WHOLE_MOST, sizeof *whole->room);
    if (!whole->room || !lapack_arguments_make(&whole->before, routine->type) ||
        !lapack_arguments_make(&whole->after, routine->type))
        return false;
    put_whole(before, 'A', whole->room, n, whole->before.a);
    put_whole(before, 'B', whole->room, n, whole->before.b);
    put_whole(ours, 'B', whole->room, n, whole->after.b);
    if (wants_vectors)
        put_whole(ours, 'Z', whole->room, n,
                  lapack_call_has(routine->family, "z") ? whole->after.z : whole->after.a);
    memcpy(whole->after.w, ours->vectors[WORD_w], (size_t)n * sizeof(double) / (blas_is_single(routine->type) ? 2 : 1));
    return true;
}

static void free_whole(struct whole_pencil *whole)
{
    lapack_arguments_free(&whole->before);
    lapack_arguments_free(&whole->after);
    free(whole->room);
}

/* The eigenvalues are in order. */
static double distance(const struct parallel_problem *ours, const struct parallel_problem *hosts, double norm)
{
    const enum blas_type type = ours->routine->type;
    const int64_t n = ours->numbers[WORD_n].integer, found = parallel_found(ours);
    double worst = found == parallel_found(hosts) ? 0 : (double)INFINITY;
    for (int64_t i = 0; i < found && i < n; i++)
        worst = dense_worse(worst, fabs(number_real(type, ours->vectors[WORD_w], i) -
                                        number_real(type, hosts->vectors[WORD_w], i)));
    return worst / (dense_ulp(type) * (double)n * norm);
}

/* The part of parallel_error for eigenproblems; all processes call it. */
static double parallel_eigen_error(struct parallel_problem *ours, struct parallel_problem *hosts,
                                   struct parallel_problem *before)
{
    const struct lapack_routine *const routine = whole_routine_of(ours->routine);
    struct whole_pencil whole;
    double worst = INFINITY;
    if (make_whole(&whole, routine, ours, before)) {
        const double norm = verify_lapack_kind_of(routine->family)->norm(routine, &whole.before, whole.room);
        worst = dense_worse(verify_lapack_ratio(routine, &whole.after, &whole.before), distance(ours, hosts, norm));
    }
    free_whole(&whole);
    return worst;
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

static bool is_result(const struct parallel_problem *ours, const struct parallel_array *array, int row,
                      int column)
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

static bool array_is_kept(const struct parallel_problem *ours, int number,
                          const struct parallel_array *before)
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
