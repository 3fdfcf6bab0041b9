/* Arguments and results of reductions, and of products with their reflectors: reduction_methods of the
 * eigensolvers' steps, bidiagonal_methods of gebrd, orgbr and ormbr. */
#include "common/whole_number.h"
#include "interpose/lapack/call.h"
#include "lapack/singular/own_singular.h"

#include <stdlib.h>

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

static bool read_matrices(const struct lapack_call *call, const struct lapack_places *places,
                          struct reduction_problem *problem)
{
    const enum blas_part part = problem->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER;
    problem->a = (struct blas_matrix){.rows = problem->n, .columns = problem->n, .part = part};
    problem->b.part = places->m ? PART_FULL : part;
    return lapack_read_matrix(call, places->a, places->lda, problem->a.rows, &problem->a) &&
           (!places->b || lapack_read_matrix(call, places->b, places->ldb, problem->b.rows, &problem->b)) &&
           (!places->c || lapack_read_matrix(call, places->c, places->ldc, problem->b.rows, &problem->b));
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
    const size_t element = blas_element_bytes(problem->type), real = blas_real_bytes(problem->type);
    const struct blas_matrix *const matrices[] = {&problem->a, &problem->b};
    const struct lapack_array arrays[] = {{places->d, problem->n, real},
                                          {places->e, problem->n - 1, real},
                                          {places->tau, problem->n - 1, element}};
    return lapack_operands_meet(call, matrices, 2, arrays, 3);
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
    const size_t element = blas_element_bytes(problem->type), real = blas_real_bytes(problem->type);
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
    const size_t element = blas_element_bytes(problem->type), real = blas_real_bytes(problem->type);
    memcpy(lapack_address(call, places->d), problem->diagonal, (size_t)problem->n * real);
    memcpy(lapack_address(call, places->e), problem->off_diagonal, (size_t)(problem->n - 1) * real);
    memcpy(lapack_address(call, places->tau), problem->tau, (size_t)(problem->n - 1) * element);
}

static void write(const struct lapack_call *call, const struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    const struct reduction_problem *const problem = &any->reduction;
    if (problem->family == LAPACK_SYTRD) {
        write_tridiagonal(problem);
        write_vectors(call, places, problem);
    }
}

const struct lapack_methods reduction_methods = {read, describe, write, 3, 3};

static struct bidiagonal_reflectors reflectors_of(const struct bidiagonal_problem *problem)
{
    return bidiagonal_reflectors_of(problem->of_p ? BIDIAGONAL_P : BIDIAGONAL_Q, problem->order, problem->k);
}

static bool bidiagonal_read_flags(const struct lapack_call *call, const struct lapack_places *places,
                       struct bidiagonal_problem *problem)
{
    const char vect = places->vect ? lapack_letter(call, places->vect) : 'Q',
               side = places->side ? lapack_letter(call, places->side) : 'L',
               trans = places->trans ? lapack_letter(call, places->trans) : 'N',
               turned = blas_scalar_parts(problem->type) == 2 ? 'C' : 'T';
    problem->of_p = vect == 'P';
    problem->side = side == 'R' ? SIDE_RIGHT : SIDE_LEFT;
    problem->transposed = trans == turned;
    return (vect == 'Q' || vect == 'P') && (side == 'L' || side == 'R') && (trans == 'N' || trans == turned);
}

/* The order of Q or P, and A's rows and columns that are read. */
static bool bidiagonal_read_sizes(const struct lapack_call *call, const struct lapack_places *places,
                       struct bidiagonal_problem *problem)
{
    const int64_t m = lapack_integer(call, places->m), n = lapack_integer(call, places->n);
    problem->a.part = problem->c.part = PART_FULL;
    problem->a.rows = problem->c.rows = m;
    problem->a.columns = problem->c.columns = n;
    if (m < 1 || n < 1 || !places->k)
        return smaller(m, n) > 1;
    const int64_t k = problem->k = lapack_integer(call, places->k);
    if (places->c)
        problem->order = problem->side == SIDE_LEFT ? m : n;
    else
        problem->order = problem->of_p ? n : m;
    const int64_t other = problem->of_p ? m : n; /* of what orgbr makes */
    if (k < 1 || (!places->c && (other > problem->order || other < smaller(problem->order, k))))
        return false;
    const int64_t count = reflectors_of(problem).count;
    if (places->c) {
        problem->a.rows = problem->of_p ? count : problem->order;
        problem->a.columns = problem->of_p ? problem->order : count;
    }
    return count > 0;
}

static bool bidiagonal_read_matrices(const struct lapack_call *call, const struct lapack_places *places,
                          struct bidiagonal_problem *problem)
{
    const int64_t ld_least = places->c && problem->of_p ? smaller(problem->order, problem->k) : problem->a.rows;
    if (!lapack_read_matrix(call, places->a, places->lda, ld_least, &problem->a))
        return false;
    if (places->c)
        return lapack_read_matrix(call, places->c, places->ldc, problem->c.rows, &problem->c);
    problem->c = problem->a;
    return true;
}

/* The least of LAPACK 3.12's documentation. */
static bool bidiagonal_workspace_suffices(const struct lapack_call *call, const struct lapack_places *places,
                               const struct bidiagonal_problem *problem)
{
    const int64_t m = problem->c.rows, n = problem->c.columns;
    const int64_t least = problem->family == LAPACK_GEBRD   ? larger(m, n)
                          : problem->family == LAPACK_ORGBR ? smaller(m, n)
                          : problem->side == SIDE_LEFT      ? n
                                                            : m;
    return lapack_integer(call, places->lwork) >= least;
}

static bool bidiagonal_overlaps(const struct lapack_call *call, const struct lapack_places *places,
                     const struct bidiagonal_problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), real = blas_real_bytes(problem->type);
    const int64_t k = smaller(problem->a.rows, problem->a.columns);
    const struct blas_matrix *const matrices[] = {&problem->a, places->c ? &problem->c : NULL};
    const int64_t tau = places->tau ? reflectors_of(problem).count : 0;
    const struct lapack_array arrays[] = {{places->d, k, real},
                                          {places->e, k - 1, real},
                                          {places->tauq, k, element},
                                          {places->taup, k, element},
                                          {places->tau, tau, element}};
    return lapack_operands_meet(call, matrices, 2, arrays, 5);
}

static struct route_shape bidiagonal_shape_of(const struct bidiagonal_problem *problem)
{
    const int64_t m = problem->c.rows, n = problem->c.columns;
    struct route_shape shape = {.family = problem->family, .type = problem->type};
    shape.bytes_up = blas_part_bytes(&problem->a, problem->type);
    shape.bytes_down = blas_part_bytes(&problem->c, problem->type);
    if (problem->family == LAPACK_GEBRD) {
        shape.m = larger(m, n);
        shape.n = shape.k = smaller(m, n);
        return shape;
    }
    shape.m = problem->order;
    shape.n = problem->family == LAPACK_ORMBR ? (problem->side == SIDE_LEFT ? n : m) : problem->of_p ? m : n;
    shape.k = reflectors_of(problem).count;
    if (problem->family == LAPACK_ORMBR) {
        shape.bytes_kept = shape.bytes_up;
        shape.bytes_up += shape.bytes_down;
    } else {
        shape.k = smaller(shape.k, shape.n);
    }
    return shape;
}

static bool bidiagonal_read(const struct lapack_call *call, struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    struct bidiagonal_problem *const problem = &any->bidiagonal;
    problem->family = call->routine->family;
    problem->type = call->routine->type;
    if (!bidiagonal_read_flags(call, places, problem) || !bidiagonal_read_sizes(call, places, problem) ||
        !bidiagonal_read_matrices(call, places, problem) ||
        !bidiagonal_workspace_suffices(call, places, problem) || bidiagonal_overlaps(call, places, problem))
        return false;
    if (places->tau)
        problem->tauq = lapack_address(call, places->tau);
    any->shape = bidiagonal_shape_of(problem);
    if (problem->family == LAPACK_ORMBR)
        any->kept = problem->a;
    return true;
}

/* D, E, TAUQ and TAUP behind one another. */
static bool describe_bidiagonal(const struct lapack_call *call, struct lapack_problem *any,
                                struct route *route)
{
    (void)call;
    struct bidiagonal_problem *const problem = &any->bidiagonal;
    const size_t room =
        (size_t)smaller(problem->a.rows, problem->a.columns) * blas_element_bytes(problem->type);
    if (problem->family == LAPACK_GEBRD) {
        unsigned char *const memory = any->memory = malloc(4 * room);
        if (!memory)
            return false;
        problem->d = memory, problem->e = memory + room;
        problem->tauq = memory + 2 * room, problem->taup = memory + 3 * room;
    }
    bidiagonal_describe(problem, route);
    return true;
}

static void bidiagonal_write_vectors(const struct lapack_call *call, const struct lapack_places *places,
                          const struct bidiagonal_problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), real = blas_real_bytes(problem->type),
                 k = (size_t)smaller(problem->a.rows, problem->a.columns);
    memcpy(lapack_address(call, places->d), problem->d, k * real);
    memcpy(lapack_address(call, places->e), problem->e, (k - 1) * real);
    memcpy(lapack_address(call, places->tauq), problem->tauq, k * element);
    memcpy(lapack_address(call, places->taup), problem->taup, k * element);
}

static void bidiagonal_write(const struct lapack_call *call, const struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    if (any->bidiagonal.family == LAPACK_GEBRD)
        bidiagonal_write_vectors(call, places, &any->bidiagonal);
}

const struct lapack_methods bidiagonal_methods = {bidiagonal_read, describe_bidiagonal, bidiagonal_write, 3,
                                                  3};
