#include "command/verify/verify.h"
#include "lapack/families.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16, GAP = 3 /* rows of padding in a part */, DESCRIPTOR = 9 };

/* More than a block: of a matrix of one block P_SYEVD of ScaLAPACK 2.2 gives W to the process that has it
 * alone. */
static const int orders[] = {BLOCK + 3, 33, PARALLEL_ORDER_MOST};

struct parallel_array *parallel_problem_array(struct parallel_problem *problem, char letter)
{
    for (int i = 0; i < problem->routine->signature.matrix_count; i++)
        if (problem->arrays[i].signature->letter == letter)
            return &problem->arrays[i];
    return NULL;
}

static char transposition(const struct parallel_routine *routine, int number)
{
    if (routine->kind == KIND_PRODUCT && routine->family == FAMILY_SYRK)
        return "NT"[number % 2];
    if (routine->kind == KIND_PRODUCT && routine->family == FAMILY_HERK)
        return "NC"[number % 2];
    return "NTC"[number % 3];
}

/* P_SYEVD and P_HEEVD of ScaLAPACK refuse JOBZ = 'N' to this day. */
static bool has_values_alone(const struct parallel_routine *routine)
{
    return routine->kind == KIND_EIGEN && routine->family != LAPACK_SYEVD;
}

static void put_letters(struct parallel_problem *problem)
{
    const int number = problem->number;
    union parallel_number *const of = problem->numbers;
    of[WORD_jobz].letter = number == 3 && has_values_alone(problem->routine) ? 'N' : 'V';
    of[WORD_range].letter = "AVI"[number % 3];
    of[WORD_uplo].letter = "LU"[number % 2];
    of[WORD_side].letter = "LRRLLR"[number % 6];
    of[WORD_trans].letter = transposition(problem->routine, number);
    of[WORD_transb].letter = transposition(problem->routine, number / 2);
    of[WORD_diag].letter = "NNUNUU"[number % 6];
}

static void put_real(struct parallel_problem *problem, enum parallel_word word, double real, double imaginary)
{
    union parallel_number *const to = &problem->numbers[word];
    if (blas_is_single(problem->routine->type)) {
        to->single[0] = (float)real;
        to->single[1] = (float)imaginary;
    } else {
        to->real[0] = real;
        to->real[1] = imaginary;
    }
}

static void put_numbers(struct parallel_problem *problem)
{
    const int n = orders[problem->number % 3];
    const struct {
        enum parallel_word word;
        int value;
    } integers[] = {{WORD_itype, 1 + problem->number % 3}, {WORD_m, n + 5}, {WORD_n, n}, {WORD_k, n > 8 ? n - 8 : 3},
                    {WORD_nrhs, 5}, {WORD_il, n / 4 + 1}, {WORD_iu, n / 2 + 1}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        problem->numbers[integers[i].word].integer = integers[i].value;
    put_real(problem, WORD_alpha, 0.7, blas_is_complex(problem->routine->type) ? -0.3 : 0);
    put_real(problem, WORD_beta, -0.4, blas_is_complex(problem->routine->type) ? 0.2 : 0);
    put_real(problem, WORD_vl, -1.5, 0);
    put_real(problem, WORD_vu, 2.5, 0);
    put_real(problem, WORD_abstol, 0, 0);
    put_real(problem, WORD_orfac, -1, 0);
}

static int size_of(const struct parallel_problem *problem, enum parallel_word word)
{
    if (word == WORD_order)
        word = problem->numbers[WORD_side].letter == 'L' ? WORD_m : WORD_n;
    return problem->numbers[word].integer;
}

/* Elements of one dimension that process `me` of `processes` has, the first block with process 0. */
static int count_local(int count, int me, int processes)
{
    int mine = 0;
    for (int i = 0; i < count; i++)
        mine += i / BLOCK % processes == me;
    return mine;
}

/* The PBLAS take submatrices that begin anywhere; ScaLAPACK's own routines begin with a block. */
static void lay_out(struct parallel_problem *problem, struct parallel_array *array)
{
    const bool is_anywhere = problem->routine->kind == KIND_PRODUCT && problem->number % 2;
    const struct grid_place *const place = &problem->grid->place;
    array->first_row = is_anywhere ? 4 : 1;
    array->first_column = is_anywhere ? 18 : 1;
    const int rows = array->rows + array->first_row - 1, columns = array->columns + array->first_column - 1;
    array->local_rows = count_local(rows, place->row, place->rows);
    array->local_columns = count_local(columns, place->column, place->columns);
    const int descriptor[DESCRIPTOR] = {1, problem->grid->context, rows, columns, BLOCK, BLOCK, 0, 0,
                                        array->local_rows + GAP};
    memcpy(array->descriptor, descriptor, sizeof descriptor);
    array->bytes = (size_t)(array->local_rows + GAP) * (size_t)(array->local_columns + 1) *
                   blas_element_bytes(problem->routine->type);
}

static void shape(struct parallel_problem *problem, struct parallel_array *array)
{
    const struct matrix_signature *const signature = array->signature;
    const bool has_flag = signature->flag != WORD_none, is_triangle = signature->flag == WORD_uplo;
    const char letter = has_flag ? problem->numbers[signature->flag].letter : 'N';
    const bool is_transposed = has_flag && !is_triangle && letter != 'N';
    array->rows = size_of(problem, is_transposed ? signature->columns : signature->rows);
    array->columns = size_of(problem, is_transposed ? signature->rows : signature->columns);
    array->part = !is_triangle ? PART_FULL : letter == 'U' ? PART_UPPER : PART_LOWER;
    array->content = parallel_content_of(problem->routine, signature->letter);
}

/* The element lies in block `at / BLOCK`. */
static int64_t unfold(int at, int me, int processes)
{
    return ((int64_t)(at / BLOCK) * processes + me) * BLOCK + at % BLOCK;
}

bool parallel_array_global(const struct parallel_array *array, const struct grid_place *place, int row,
                           int column, int64_t *global_row, int64_t *global_column)
{
    *global_row = unfold(row, place->row, place->rows) - (array->first_row - 1);
    *global_column = unfold(column, place->column, place->columns) - (array->first_column - 1);
    return row < array->local_rows && column < array->local_columns && *global_row >= 0 && *global_column >= 0 &&
           *global_row < array->rows && *global_column < array->columns;
}

static bool is_in_part(const struct parallel_array *array, int64_t i, int64_t j)
{
    return array->part == PART_FULL || (array->part == PART_LOWER ? i >= j : i <= j);
}

static bool fill_array(struct parallel_problem *problem, struct parallel_array *array, bool poisoned)
{
    int64_t i, j;
    array->local = malloc(array->bytes);
    if (!array->local)
        return false;
    memset(array->local, poisoned ? 0xff : 0, array->bytes);
    for (int column = 0; column < array->local_columns; column++)
        for (int row = 0; row < array->local_rows; row++)
            if (parallel_array_global(array, &problem->grid->place, row, column, &i, &j) &&
                array->signature->access != PARALLEL_WRITE && is_in_part(array, i, j))
                number_put(problem->routine->type, array->local,
                           row + (int64_t)column * array->descriptor[DESCRIPTOR - 1],
                           parallel_content_element(problem, array, i, j));
    return true;
}

void parallel_array_gather(const struct parallel_array *array, const struct parallel_problem *problem,
                           struct number *whole)
{
    const int64_t count = (int64_t)array->rows * array->columns;
    int64_t i, j;
    memset(whole, 0, (size_t)count * sizeof *whole);
    for (int column = 0; column < array->local_columns; column++)
        for (int row = 0; row < array->local_rows; row++)
            if (parallel_array_global(array, &problem->grid->place, row, column, &i, &j) && is_in_part(array, i, j))
                whole[i + j * array->rows] =
                    number_get(problem->routine->type, array->local,
                               row + (int64_t)column * array->descriptor[DESCRIPTOR - 1]);
    parallel_grid_sum(problem->grid, &whole->re, 2 * count);
}

/* Room for any of them: real numbers, integers. */
static bool make_vectors(struct parallel_problem *problem)
{
    enum { SPARE = 64 };
    static const enum parallel_word words[] = {WORD_w, WORD_ipiv, WORD_ifail, WORD_iclustr, WORD_gap};
    const struct grid_place *const place = &problem->grid->place;
    const size_t room = (size_t)(PARALLEL_ORDER_MOST + BLOCK + 2 * place->rows * place->columns + SPARE);
    bool good = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (parallel_problem_has(problem, words[i]))
            good &= (problem->vectors[words[i]] = calloc(room, sizeof(double))) != NULL;
    return good;
}

/* Row exchanges that a factorisation may have made: each row with itself or one further down. */
static void put_pivots(struct parallel_problem *problem)
{
    const struct parallel_array *const a = &problem->arrays[0];
    int32_t *const pivots = problem->vectors[WORD_ipiv];
    int64_t i, j;
    for (int row = 0; row < a->local_rows; row++) {
        j = unfold(row, problem->grid->place.row, problem->grid->place.rows);
        i = j + j % 3 < a->rows ? j + j % 3 : j;
        pivots[row] = (int32_t)i + 1;
    }
}

bool parallel_problem_make(struct parallel_problem *problem, const struct parallel_routine *routine,
                           int number, bool poisoned, const struct parallel_grid *grid)
{
    bool good;
    *problem = (struct parallel_problem){.routine = routine, .grid = grid, .number = number};
    put_letters(problem);
    put_numbers(problem);
    good = make_vectors(problem);
    for (int i = 0; i < routine->signature.matrix_count && good; i++) {
        struct parallel_array *const array = &problem->arrays[i];
        array->signature = &routine->signature.matrices[i];
        shape(problem, array);
        lay_out(problem, array);
        good = fill_array(problem, array, poisoned);
    }
    if (good && parallel_problem_has(problem, WORD_ipiv))
        put_pivots(problem);
    return good;
}

void parallel_problem_free(struct parallel_problem *problem)
{
    for (int i = 0; i < PARALLEL_MATRICES_MAX; i++)
        free(problem->arrays[i].local);
    for (int i = 0; i < WORD_COUNT; i++)
        free(problem->vectors[i]);
}

static const struct {
    enum parallel_word array, length;
} workspaces[] = {{WORD_work, WORD_lwork}, {WORD_rwork, WORD_lrwork}, {WORD_iwork, WORD_liwork}};
enum { WORKSPACES = sizeof workspaces / sizeof *workspaces };

static size_t workspace_bytes(const struct parallel_problem *problem, int number)
{
    const enum blas_type type = problem->routine->type;
    const size_t element = blas_element_bytes(type);
    return workspaces[number].array == WORD_iwork   ? sizeof(int32_t)
           : workspaces[number].array == WORD_rwork ? element / 2
                                                    : element;
}

static int64_t answered(const struct parallel_problem *problem, int number)
{
    const void *const answer = problem->vectors[workspaces[number].array];
    if (workspaces[number].array == WORD_iwork)
        return *(const int32_t *)answer;
    return (int64_t)number_real(problem->routine->type, answer, 0);
}

static bool make_workspace(struct parallel_problem *problem, int number, int64_t length)
{
    void **const array = &problem->vectors[workspaces[number].array];
    free(*array);
    *array = calloc((size_t)length, workspace_bytes(problem, number));
    problem->numbers[workspaces[number].length].integer = (int32_t)length;
    return *array;
}

/* More than asked for: room to orthogonalise all vectors, and for queries that some releases answer too
 * small. */
bool parallel_problem_make_workspaces(struct parallel_problem *problem, host_function *host)
{
    enum { QUERY = 4096, SPARE = PARALLEL_ORDER_MOST * (PARALLEL_ORDER_MOST + 20) };
    bool good = true, any = false;
    for (int i = 0; i < WORKSPACES; i++)
        if (parallel_problem_has(problem, workspaces[i].length)) {
            good &= make_workspace(problem, i, QUERY);
            problem->numbers[workspaces[i].length].integer = -1;
            any = true;
        }
    if (!any || !good)
        return good;
    parallel_problem_call(problem, host);
    for (int i = 0; i < WORKSPACES; i++)
        if (parallel_problem_has(problem, workspaces[i].length))
            good &= make_workspace(problem, i, answered(problem, i) + SPARE);
    return good;
}

enum { ARGUMENTS_MOST = 48 };

static bool is_text(enum parallel_word word)
{
    return word == WORD_jobz || word == WORD_range || word == WORD_uplo || word == WORD_side ||
           word == WORD_trans || word == WORD_transb || word == WORD_diag;
}

/* Addresses, and behind them the length 1 of each string. */
static void list_arguments(struct parallel_problem *problem, void *arguments[ARGUMENTS_MOST])
{
    const struct signature *const signature = &problem->routine->signature;
    int texts = 0;
    for (int word = 0; word < WORD_COUNT; word++) {
        const int position = signature->positions[word];
        if (!position)
            continue;
        arguments[position - 1] =
            problem->vectors[word] ? problem->vectors[word] : (void *)&problem->numbers[word];
        if (is_text((enum parallel_word)word))
            arguments[signature->arguments + texts++] = (void *)(uintptr_t)1;
    }
    for (int i = 0; i < signature->matrix_count; i++) {
        struct parallel_array *const array = &problem->arrays[i];
        void **const at = &arguments[signature->matrices[i].position - 1];
        at[0] = array->local;
        at[1] = &array->first_row;
        at[2] = &array->first_column;
        at[3] = array->descriptor;
    }
}

#define EIGHT(x) x, x, x, x, x, x, x, x
#define EIGHT_OF(a, i) a[i], a[(i) + 1], a[(i) + 2], a[(i) + 3], a[(i) + 4], a[(i) + 5], a[(i) + 6], a[(i) + 7]
typedef void many(EIGHT(void *), EIGHT(void *), EIGHT(void *), EIGHT(void *), EIGHT(void *), EIGHT(void *));

/* The caller takes arguments off the stack, so a routine may have fewer. */
void parallel_problem_call(struct parallel_problem *problem, host_function *function)
{
    void *a[ARGUMENTS_MOST] = {NULL};
    list_arguments(problem, a);
    ((many *)function)(EIGHT_OF(a, 0), EIGHT_OF(a, 8), EIGHT_OF(a, 16), EIGHT_OF(a, 24), EIGHT_OF(a, 32),
                       EIGHT_OF(a, 40));
}
