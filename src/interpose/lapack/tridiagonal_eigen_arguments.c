/* tridiagonal_eigen_methods: stedc's arguments and results. */
#include "interpose/entries/pack.h"
#include "interpose/lapack/methods.h"

#include <stdlib.h>

/* LWORK, LRWORK, LIWORK. */
enum { WORKSPACES = 3 };

/* The least n2 with 2^n2 >= n. */
static int64_t logarithm_of(int64_t n)
{
    int64_t steps = 0;
    while (INT64_C(1) << steps < n)
        steps++;
    return steps;
}

/* LWORK, LRWORK, LIWORK of LAPACK 3.12's documentation, in elements; up to an order of LAPACK's own, SMLSIZ,
 * it takes less. */
static void find_least(bool is_complex, bool updates, int64_t n, int64_t least[WORKSPACES])
{
    const int64_t small_order = 25, logarithm = logarithm_of(n);
    const int64_t reals = n <= small_order ? 2 * (n - 1)
                          : updates        ? 1 + 3 * n + 2 * n * logarithm + 4 * n * n
                                           : 1 + 4 * n + (is_complex ? 2 : 1) * n * n;
    least[0] = !is_complex ? reals : updates && n > small_order ? n * n : 1;
    least[1] = reals;
    least[2] = n <= small_order ? 1 : updates ? 6 + 6 * n + 5 * n * logarithm : 3 + 5 * n;
}

static bool workspaces_suffice(const struct lapack_call *call,
                               const struct tridiagonal_eigenproblem *problem)
{
    const struct lapack_places *const places = &call->routine->places;
    const int lengths[WORKSPACES] = {places->lwork, places->lrwork, places->liwork};
    int64_t least[WORKSPACES];
    bool suffice = true;
    find_least(blas_scalar_parts(problem->type) == 2, problem->updates, problem->n, least);
    for (int i = 0; i < WORKSPACES; i++)
        suffice = suffice && (!lengths[i] || lapack_integer(call, lengths[i]) >= least[i]);
    return suffice;
}

static size_t real_bytes(const struct tridiagonal_eigenproblem *problem)
{
    return blas_is_single(problem->type) ? sizeof(float) : sizeof(double);
}

static bool overlaps(const struct lapack_call *call, const struct tridiagonal_eigenproblem *problem)
{
    struct operand_extents operands = {.count = 0};
    operand_extents_add_matrix(&operands, &problem->z, blas_element_bytes(problem->type));
    operand_extents_add_array(&operands, lapack_address(call, call->routine->places.d), problem->n, real_bytes(problem));
    operand_extents_add_array(&operands, lapack_address(call, call->routine->places.e), problem->n - 1, real_bytes(problem));
    return operand_extents_meet(&operands);
}

static struct route_shape shape_of(const struct tridiagonal_eigenproblem *problem)
{
    const int64_t n = problem->n;
    const uint64_t z_bytes = blas_part_bytes(&problem->z, problem->type);
    return (struct route_shape){.family = LAPACK_STEDC, .type = problem->type, .vectors = true, .m = n,
                                .n = n, .k = n, .bytes_up = problem->updates ? z_bytes : 0,
                                .bytes_down = z_bytes};
}

/* Orders 1 and 2 leave nothing to divide. */
static bool read(const struct lapack_call *call, struct lapack_problem *any)
{
    struct tridiagonal_eigenproblem *const problem = &any->tridiagonal;
    const struct lapack_places *const places = &call->routine->places;
    const char compz = lapack_letter(call, places->compz);
    const int64_t n = lapack_integer(call, places->n);
    if (compz == 'N' && n > 2)
        any->variant = "COMPZ='N'";
    if ((compz != 'I' && compz != 'V') || n <= 2)
        return false;
    problem->type = call->routine->type;
    problem->updates = compz == 'V';
    problem->n = n;
    problem->z = (struct blas_matrix){.pointer = lapack_address(call, places->z), .rows = n, .columns = n,
                                      .ld = lapack_integer(call, places->ldz), .part = PART_FULL};
    if (!problem->z.pointer || problem->z.ld < n || !workspaces_suffice(call, problem) ||
        overlaps(call, problem))
        return false;
    any->shape = shape_of(problem);
    return true;
}

/* T is copied: its diagonal's place is the values' as well. */
static bool describe(const struct lapack_call *call, struct lapack_problem *any, struct route *route)
{
    struct tridiagonal_eigenproblem *const problem = &any->tridiagonal;
    const size_t n = (size_t)problem->n, real = real_bytes(problem);
    unsigned char *const memory = any->memory = malloc(2 * n * real);
    if (!memory)
        return false;
    memcpy(memory, lapack_address(call, call->routine->places.d), n * real);
    memcpy(memory + n * real, lapack_address(call, call->routine->places.e), (n - 1) * real);
    problem->t = memory;
    tridiagonal_eigen_describe(problem, route);
    return true;
}

static void write(const struct lapack_call *call, const struct lapack_problem *any, const struct route *route)
{
    const struct tridiagonal_eigenproblem *const problem = &any->tridiagonal;
    (void)route;
    memcpy(lapack_address(call, call->routine->places.d), problem->t, (size_t)problem->n * real_bytes(problem));
    workspace_answers_write(call);
    lapack_put_integer(call, call->routine->places.info, 0, 0);
}

const struct lapack_methods tridiagonal_eigen_methods = {read, describe, write, 3, 3};
