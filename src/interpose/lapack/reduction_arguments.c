/* reduction_methods: arguments and results of the eigensolvers' steps. */
#include "interpose/entries/pack.h"
#include "interpose/lapack/methods.h"

#include <stdlib.h>

static size_t real_bytes(enum blas_type type)
{
    return blas_is_single(type) ? sizeof(float) : sizeof(double);
}

/* `b` of ormtr is C, m x n, and `n` the order of A. */
static bool read_sizes(const struct lapack_call *call, const struct lapack_places *places,
                       struct reduction_problem *problem)
{
    problem->n = lapack_integer(call, places->n);
    problem->b = (struct blas_matrix){.rows = problem->n, .columns = problem->n};
    if (!places->m)
        return problem->n > 1;
    problem->b.rows = lapack_integer(call, places->m);
    if (problem->side == SIDE_LEFT)
        problem->n = problem->b.rows;
    return problem->b.rows > 0 && problem->b.columns > 0 && problem->n > 1;
}

static bool read_flags(const struct lapack_call *call, const struct lapack_places *places,
                       struct reduction_problem *problem)
{
    const char uplo = lapack_letter(call, places->uplo),
               side = places->side ? lapack_letter(call, places->side) : 'L',
               trans = places->trans ? lapack_letter(call, places->trans) : 'N';
    const char turned = blas_scalar_parts(problem->type) == 2 ? 'C' : 'T';
    problem->itype = places->itype ? (int)lapack_integer(call, places->itype) : 1;
    problem->uplo = uplo == 'U' ? UPLO_UPPER : UPLO_LOWER;
    problem->side = side == 'R' ? SIDE_RIGHT : SIDE_LEFT;
    problem->transposed = trans == turned;
    return (uplo == 'U' || uplo == 'L') && (side == 'L' || side == 'R') &&
           (trans == 'N' || trans == turned) && problem->itype >= 1 && problem->itype <= 3;
}

static bool read_matrix(const struct lapack_call *call, int number, int ld_number, struct blas_matrix *matrix)
{
    matrix->pointer = lapack_address(call, number);
    matrix->ld = lapack_integer(call, ld_number);
    return matrix->ld >= matrix->rows && matrix->pointer;
}

static bool read_matrices(const struct lapack_call *call, const struct lapack_places *places,
                          struct reduction_problem *problem)
{
    const enum blas_part part = problem->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER;
    problem->a = (struct blas_matrix){.rows = problem->n, .columns = problem->n, .part = part};
    problem->b.part = places->m ? PART_FULL : part;
    return read_matrix(call, places->a, places->lda, &problem->a) &&
           (!places->b || read_matrix(call, places->b, places->ldb, &problem->b)) &&
           (!places->c || read_matrix(call, places->c, places->ldc, &problem->b));
}

/* The least of LAPACK 3.12's documentation. */
static bool workspace_suffices(const struct lapack_call *call, const struct lapack_places *places,
                               const struct reduction_problem *problem)
{
    const int64_t least[LAPACK_FAMILY_COUNT] = {
        [LAPACK_SYTRD] = 1,
        [LAPACK_ORGTR] = problem->n - 1,
        [LAPACK_ORMTR] = problem->side == SIDE_LEFT ? problem->b.columns : problem->b.rows,
    };
    return !places->lwork || lapack_integer(call, places->lwork) >= least[problem->family];
}

static bool overlaps(const struct lapack_call *call, const struct lapack_places *places,
                     const struct reduction_problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), real = real_bytes(problem->type);
    const struct {
        int number;
        int64_t length;
        size_t bytes;
    } vectors[] = {{places->d, problem->n, real},
                   {places->e, problem->n - 1, real},
                   {places->tau, problem->n - 1, element}};
    struct operand_extents operands = {.count = 0};
    operand_extents_add_matrix(&operands, &problem->a, element);
    if (problem->b.pointer)
        operand_extents_add_matrix(&operands, &problem->b, element);
    for (int i = 0; i < 3; i++)
        if (vectors[i].number)
            operand_extents_add_array(&operands, lapack_address(call, vectors[i].number), vectors[i].length,
                                      vectors[i].bytes);
    return operand_extents_meet(&operands);
}

static struct route_shape shape_of(const struct reduction_problem *problem)
{
    const bool has_c = problem->family == LAPACK_ORMTR;
    const int64_t k = !has_c ? problem->n : problem->side == SIDE_LEFT ? problem->b.columns : problem->b.rows;
    struct route_shape shape = {.family = problem->family, .type = problem->type, .m = problem->n,
                                .n = problem->n, .k = k};
    struct blas_matrix result = has_c ? problem->b : problem->a;
    result.part = has_c || problem->family == LAPACK_ORGTR ? PART_FULL : PART_LOWER;
    shape.bytes_up = blas_part_bytes(&problem->a, problem->type);
    shape.bytes_kept = has_c ? shape.bytes_up : 0;
    if (problem->b.pointer)
        shape.bytes_up += blas_part_bytes(&problem->b, problem->type);
    shape.bytes_down = blas_part_bytes(&result, problem->type);
    return shape;
}

static bool read(const struct lapack_call *call, struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    struct reduction_problem *const problem = &any->reduction;
    problem->family = call->routine->family;
    problem->type = call->routine->type;
    if (!read_flags(call, places, problem) || !read_sizes(call, places, problem) ||
        !read_matrices(call, places, problem) || !workspace_suffices(call, places, problem) ||
        overlaps(call, places, problem))
        return false;
    if (places->tau)
        problem->tau = lapack_address(call, places->tau);
    any->shape = shape_of(problem);
    if (problem->family == LAPACK_ORMTR)
        any->kept = problem->a;
    return true;
}

/* D, or the result's diagonal, E and TAU behind one another. */
static bool describe(const struct lapack_call *call, struct lapack_problem *any, struct route *route)
{
    (void)call;
    struct reduction_problem *const problem = &any->reduction;
    const size_t room = (size_t)problem->n * blas_element_bytes(problem->type);
    unsigned char *const memory = any->memory = malloc(3 * room);
    if (!memory)
        return false;
    problem->diagonal = memory;
    problem->off_diagonal = memory + room;
    if (problem->family == LAPACK_SYTRD)
        problem->tau = memory + 2 * room;
    reduction_describe(problem, route);
    return true;
}

static void write_real(const struct reduction_problem *problem, int64_t row, int64_t column,
                       const void *reals, int64_t index)
{
    const size_t element = blas_element_bytes(problem->type), real = real_bytes(problem->type);
    unsigned char *const at =
        (unsigned char *)problem->a.pointer + (size_t)(row + column * problem->a.ld) * element;
    memset(at, 0, element);
    memcpy(at, (const unsigned char *)reals + (size_t)index * real, real);
}

/* The same bits as in D and E, as LAPACK has them, whatever cuSOLVER leaves there. */
static void write_tridiagonal(const struct reduction_problem *problem)
{
    const bool upper = problem->uplo == UPLO_UPPER;
    for (int64_t i = 0; i < problem->n; i++)
        write_real(problem, i, i, problem->diagonal, i);
    for (int64_t i = 0; i + 1 < problem->n; i++)
        write_real(problem, upper ? i : i + 1, upper ? i + 1 : i, problem->off_diagonal, i);
}

static void write_vectors(const struct lapack_call *call, const struct lapack_places *places,
                          const struct reduction_problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), real = real_bytes(problem->type);
    memcpy(lapack_address(call, places->d), problem->diagonal, (size_t)problem->n * real);
    memcpy(lapack_address(call, places->e), problem->off_diagonal, (size_t)(problem->n - 1) * real);
    memcpy(lapack_address(call, places->tau), problem->tau, (size_t)(problem->n - 1) * element);
}

static void write(const struct lapack_call *call, const struct lapack_problem *any, const struct route *route)
{
    const struct lapack_places *const places = &call->routine->places;
    const struct reduction_problem *const problem = &any->reduction;
    (void)route;
    if (problem->family == LAPACK_SYTRD) {
        write_tridiagonal(problem);
        write_vectors(call, places, problem);
    }
    if (places->lwork)
        workspace_answers_write(call);
    lapack_put_integer(call, places->info, 0, 0);
}

const struct lapack_methods reduction_methods = {read, describe, write, 3, 3};
