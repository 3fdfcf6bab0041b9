/* reduction_methods: arguments and results of the eigensolvers' steps. */
#include "interpose/entries/pack.h"
#include "interpose/lapack/methods.h"

#include <stdlib.h>

/* The places of a routine's arguments, from 1, the same for all types; 0: nowhere. */
struct layout {
    unsigned char itype, side, uplo, trans, m, n, a, lda, b, ldb, d, e, tau, work, lwork, info;
};

static const struct layout layouts[LAPACK_FAMILY_COUNT] = {
    [LAPACK_SYTRD] = {.uplo = 1, .n = 2, .a = 3, .lda = 4, .d = 5, .e = 6, .tau = 7, .work = 8, .lwork = 9,
                      .info = 10},
    [LAPACK_ORGTR] = {.uplo = 1, .n = 2, .a = 3, .lda = 4, .tau = 5, .work = 6, .lwork = 7, .info = 8},
    [LAPACK_ORMTR] = {.side = 1, .uplo = 2, .trans = 3, .m = 4, .n = 5, .a = 6, .lda = 7, .tau = 8, .b = 9,
                      .ldb = 10, .work = 11, .lwork = 12, .info = 13},
    [LAPACK_SYGST] = {.itype = 1, .uplo = 2, .n = 3, .a = 4, .lda = 5, .b = 6, .ldb = 7, .info = 8},
};

static const struct layout *layout_of(const struct lapack_call *call)
{
    return &layouts[call->routine->family];
}

static size_t real_bytes(enum blas_type type)
{
    return blas_is_single(type) ? sizeof(float) : sizeof(double);
}

/* `b` of ormtr is C, m x n, and `n` the order of A. */
static bool read_sizes(const struct lapack_call *call, const struct layout *layout,
                       struct reduction_problem *problem)
{
    problem->n = lapack_integer(call, layout->n);
    problem->b = (struct blas_matrix){.rows = problem->n, .columns = problem->n};
    if (!layout->m)
        return problem->n > 1;
    problem->b.rows = lapack_integer(call, layout->m);
    if (problem->side == SIDE_LEFT)
        problem->n = problem->b.rows;
    return problem->b.rows > 0 && problem->b.columns > 0 && problem->n > 1;
}

static bool read_flags(const struct lapack_call *call, const struct layout *layout,
                       struct reduction_problem *problem)
{
    const char uplo = lapack_letter(call, layout->uplo),
               side = layout->side ? lapack_letter(call, layout->side) : 'L',
               trans = layout->trans ? lapack_letter(call, layout->trans) : 'N';
    const char turned = blas_scalar_parts(problem->type) == 2 ? 'C' : 'T';
    problem->itype = layout->itype ? (int)lapack_integer(call, layout->itype) : 1;
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

static bool read_matrices(const struct lapack_call *call, const struct layout *layout,
                          struct reduction_problem *problem)
{
    const enum blas_part part = problem->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER;
    problem->a = (struct blas_matrix){.rows = problem->n, .columns = problem->n, .part = part};
    problem->b.part = layout->m ? PART_FULL : part;
    return read_matrix(call, layout->a, layout->lda, &problem->a) &&
           (!layout->b || read_matrix(call, layout->b, layout->ldb, &problem->b));
}

/* The least of LAPACK 3.12's documentation. */
static bool workspace_suffices(const struct lapack_call *call, const struct layout *layout,
                               const struct reduction_problem *problem)
{
    const int64_t least[LAPACK_FAMILY_COUNT] = {
        [LAPACK_SYTRD] = 1,
        [LAPACK_ORGTR] = problem->n - 1,
        [LAPACK_ORMTR] = problem->side == SIDE_LEFT ? problem->b.columns : problem->b.rows,
    };
    return !layout->lwork || lapack_integer(call, layout->lwork) >= least[problem->family];
}

static bool overlaps(const struct lapack_call *call, const struct layout *layout,
                     const struct reduction_problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), real = real_bytes(problem->type);
    const struct {
        int number;
        int64_t length;
        size_t bytes;
    } vectors[] = {{layout->d, problem->n, real},
                   {layout->e, problem->n - 1, real},
                   {layout->tau, problem->n - 1, element}};
    struct operand_extents operands = {.count = 0};
    operand_extents_add_matrix(&operands, &problem->a, element);
    if (layout->b)
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
    const struct layout *const layout = layout_of(call);
    struct reduction_problem *const problem = &any->reduction;
    any->is_query = layout->lwork && lapack_integer(call, layout->lwork) == -1;
    if (any->is_query)
        return false;
    problem->family = call->routine->family;
    problem->type = call->routine->type;
    if (!read_flags(call, layout, problem) || !read_sizes(call, layout, problem) ||
        !read_matrices(call, layout, problem) || !workspace_suffices(call, layout, problem) ||
        overlaps(call, layout, problem))
        return false;
    if (layout->tau)
        problem->tau = lapack_address(call, layout->tau);
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

static void write_vectors(const struct lapack_call *call, const struct layout *layout,
                          const struct reduction_problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), real = real_bytes(problem->type);
    memcpy(lapack_address(call, layout->d), problem->diagonal, (size_t)problem->n * real);
    memcpy(lapack_address(call, layout->e), problem->off_diagonal, (size_t)(problem->n - 1) * real);
    memcpy(lapack_address(call, layout->tau), problem->tau, (size_t)(problem->n - 1) * element);
}

static void write(const struct lapack_call *call, const struct lapack_problem *any, const struct route *route)
{
    const struct layout *const layout = layout_of(call);
    const struct reduction_problem *const problem = &any->reduction;
    const struct workspace_layout workspaces = {
        .query = {{layout->work, layout->lwork}}, .info = layout->info, .sizes = {layout->n}};
    (void)route;
    if (problem->family == LAPACK_SYTRD) {
        write_tridiagonal(problem);
        write_vectors(call, layout, problem);
    }
    if (layout->lwork)
        workspace_answers_write(call, &workspaces);
    lapack_put_integer(call, layout->info, 0, 0);
}

const struct lapack_methods reduction_methods = {read, describe, write};
