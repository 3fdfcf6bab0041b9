/* bidiagonal_methods: arguments and results of gebrd, orgbr and ormbr. */
#include "common/whole_number.h"
#include "interpose/entries/pack.h"
#include "interpose/lapack/methods.h"
#include "lapack/singular/bidiagonal_back.h"

#include <stdlib.h>

static size_t real_bytes(enum blas_type type) { return blas_is_single(type) ? sizeof(float) : sizeof(double); }

static struct bidiagonal_reflectors reflectors_of(const struct bidiagonal_problem *problem)
{
    return bidiagonal_reflectors_of(problem->of_p ? BIDIAGONAL_P : BIDIAGONAL_Q, problem->order, problem->k);
}

static bool read_flags(const struct lapack_call *call, const struct lapack_places *places,
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
static bool read_sizes(const struct lapack_call *call, const struct lapack_places *places,
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

static bool read_matrix(const struct lapack_call *call, int number, int ld_number, int64_t ld_least,
                        struct blas_matrix *matrix)
{
    matrix->pointer = lapack_address(call, number);
    matrix->ld = lapack_integer(call, ld_number);
    return matrix->ld >= ld_least && matrix->pointer;
}

static bool read_matrices(const struct lapack_call *call, const struct lapack_places *places,
                          struct bidiagonal_problem *problem)
{
    const int64_t ld_least = places->c && problem->of_p ? smaller(problem->order, problem->k) : problem->a.rows;
    if (!read_matrix(call, places->a, places->lda, ld_least, &problem->a))
        return false;
    if (places->c)
        return read_matrix(call, places->c, places->ldc, problem->c.rows, &problem->c);
    problem->c = problem->a;
    return true;
}

/* The least of LAPACK 3.12's documentation. */
static bool workspace_suffices(const struct lapack_call *call, const struct lapack_places *places,
                               const struct bidiagonal_problem *problem)
{
    const int64_t m = problem->c.rows, n = problem->c.columns;
    const int64_t least = problem->family == LAPACK_GEBRD   ? larger(m, n)
                          : problem->family == LAPACK_ORGBR ? smaller(m, n)
                          : problem->side == SIDE_LEFT      ? n
                                                            : m;
    return lapack_integer(call, places->lwork) >= least;
}

static bool overlaps(const struct lapack_call *call, const struct lapack_places *places,
                     const struct bidiagonal_problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), real = real_bytes(problem->type);
    const int64_t k = smaller(problem->a.rows, problem->a.columns);
    const struct {
        int number;
        int64_t length;
        size_t bytes;
    } vectors[] = {{places->d, k, real},
                   {places->e, k - 1, real},
                   {places->tauq, k, element},
                   {places->taup, k, element},
                   {places->tau, places->tau ? reflectors_of(problem).count : 0, element}};
    struct operand_extents operands = {.count = 0};
    operand_extents_add_matrix(&operands, &problem->a, element);
    if (places->c)
        operand_extents_add_matrix(&operands, &problem->c, element);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i].number)
            operand_extents_add_array(&operands, lapack_address(call, vectors[i].number), vectors[i].length,
                                      vectors[i].bytes);
    return operand_extents_meet(&operands);
}

static struct route_shape shape_of(const struct bidiagonal_problem *problem)
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

static bool read(const struct lapack_call *call, struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    struct bidiagonal_problem *const problem = &any->bidiagonal;
    problem->family = call->routine->family;
    problem->type = call->routine->type;
    if (!read_flags(call, places, problem) || !read_sizes(call, places, problem) ||
        !read_matrices(call, places, problem) || !workspace_suffices(call, places, problem) ||
        overlaps(call, places, problem))
        return false;
    if (places->tau)
        problem->tauq = lapack_address(call, places->tau);
    any->shape = shape_of(problem);
    if (problem->family == LAPACK_ORMBR)
        any->kept = problem->a;
    return true;
}

/* D, E, TAUQ and TAUP behind one another. */
static bool describe(const struct lapack_call *call, struct lapack_problem *any, struct route *route)
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

static void write_vectors(const struct lapack_call *call, const struct lapack_places *places,
                          const struct bidiagonal_problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), real = real_bytes(problem->type),
                 k = (size_t)smaller(problem->a.rows, problem->a.columns);
    memcpy(lapack_address(call, places->d), problem->d, k * real);
    memcpy(lapack_address(call, places->e), problem->e, (k - 1) * real);
    memcpy(lapack_address(call, places->tauq), problem->tauq, k * element);
    memcpy(lapack_address(call, places->taup), problem->taup, k * element);
}

static void write(const struct lapack_call *call, const struct lapack_problem *any, const struct route *route)
{
    const struct lapack_places *const places = &call->routine->places;
    (void)route;
    if (any->bidiagonal.family == LAPACK_GEBRD)
        write_vectors(call, places, &any->bidiagonal);
    workspace_answers_write(call);
    lapack_put_integer(call, places->info, 0, 0);
}

const struct lapack_methods bidiagonal_methods = {read, describe, write, 3, 3};
