/* Arguments and results: eigen_methods of symmetric and Hermitian eigensolvers, tridiagonal_eigen_methods of
 * stedc. */
#include "interpose/lapack/call.h"

#include <stdlib.h>

static bool is_complex(const struct lapack_call *call)
{
    return blas_scalar_parts(call->routine->type) == 2;
}

/* The least workspaces of LAPACK 3.12's documentation, in elements. */
struct workspaces {
    int64_t lwork, lrwork, liwork;
};

static struct workspaces least_workspaces(const struct lapack_call *call, const struct eigenproblem *problem)
{
    const int64_t n = problem->n;
    const bool vectors = problem->vectors;
    switch (call->routine->family) {
    case LAPACK_SPEVD:
    case LAPACK_SPGVD:
        if (is_complex(call))
            return (struct workspaces){vectors ? 2 * n : n, vectors ? 1 + 5 * n + 2 * n * n : n,
                                       vectors ? 3 + 5 * n : 1};
        return (struct workspaces){vectors ? 1 + 6 * n + (problem->itype ? 2 : 1) * n * n : 2 * n, 0,
                                   vectors ? 3 + 5 * n : 1};
    case LAPACK_SYEV:
    case LAPACK_SYGV: return (struct workspaces){.lwork = is_complex(call) ? 2 * n - 1 : 3 * n - 1};
    case LAPACK_SYEVD:
    case LAPACK_SYGVD:
        if (is_complex(call))
            return (struct workspaces){vectors ? 2 * n + n * n : n + 1, vectors ? 1 + 5 * n + 2 * n * n : n,
                                       vectors ? 3 + 5 * n : 1};
        return (struct workspaces){vectors ? 1 + 6 * n + 2 * n * n : 2 * n + 1, 0, vectors ? 3 + 5 * n : 1};
    case LAPACK_SYEVR:
        if (is_complex(call))
            return (struct workspaces){2 * n, 24 * n, 10 * n};
        return (struct workspaces){26 * n, 0, 10 * n};
    case LAPACK_SYEVX:
    case LAPACK_SYGVX: return (struct workspaces){.lwork = is_complex(call) ? 2 * n : 8 * n};
    default: break;
    }
    return (struct workspaces){0};
}

static bool workspaces_suffice(const struct lapack_call *call, const struct lapack_places *places,
                               const struct eigenproblem *problem)
{
    const struct workspaces least = least_workspaces(call, problem);
    return (!places->lwork || lapack_integer(call, places->lwork) >= least.lwork) &&
           (!places->lrwork || lapack_integer(call, places->lrwork) >= least.lrwork) &&
           (!places->liwork || lapack_integer(call, places->liwork) >= least.liwork);
}

/* Order 1 leaves nothing to compute, and LAPACK's routines treat it in ways of their own. */
static bool read_flags(const struct lapack_call *call, const struct lapack_places *places,
                       struct eigenproblem *problem)
{
    const char jobz = lapack_letter(call, places->jobz), uplo = lapack_letter(call, places->uplo);
    problem->itype = places->itype ? (int)lapack_integer(call, places->itype) : 0;
    problem->vectors = jobz == 'V';
    problem->uplo = uplo == 'U' ? UPLO_UPPER : UPLO_LOWER;
    problem->n = lapack_integer(call, places->n);
    return (jobz == 'V' || jobz == 'N') && (uplo == 'U' || uplo == 'L') && problem->n > 1 &&
           (!places->itype || (problem->itype >= 1 && problem->itype <= 3));
}

static bool read_interval(const struct lapack_call *call, const struct lapack_places *places,
                          struct eigenproblem *problem)
{
    problem->above = lapack_real(call, places->vl);
    problem->up_to = lapack_real(call, places->vu);
    return problem->up_to > problem->above; /* not for NaN */
}

static bool read_indices(const struct lapack_call *call, const struct lapack_places *places,
                         struct eigenproblem *problem)
{
    problem->first = lapack_integer(call, places->il);
    problem->last = lapack_integer(call, places->iu);
    return problem->first >= 1 && problem->first <= problem->last && problem->last <= problem->n;
}

static bool read_range(const struct lapack_call *call, const struct lapack_places *places,
                       struct eigenproblem *problem)
{
    problem->range = EIGEN_ALL;
    if (!places->range)
        return true;
    switch (lapack_letter(call, places->range)) {
    case 'A': return true;
    case 'V': problem->range = EIGEN_INTERVAL; return read_interval(call, places, problem);
    case 'I': problem->range = EIGEN_INDICES; return read_indices(call, places, problem);
    default: return false;
    }
}

/* A triangle without a leading dimension is packed. */
static bool read_matrix(const struct lapack_call *call, int number, int ld_number, int64_t n,
                        enum blas_part part, struct blas_matrix *matrix)
{
    if (!ld_number) {
        *matrix = packed_matrix(lapack_address(call, number), n);
        return matrix->pointer;
    }
    *matrix = (struct blas_matrix){.rows = n, .columns = n, .part = part};
    return lapack_read_matrix(call, number, ld_number, n, matrix);
}

/* At most so many values and columns are written. */
static int64_t most_found(const struct eigenproblem *problem)
{
    return problem->range == EIGEN_INDICES ? problem->last - problem->first + 1 : problem->n;
}

static bool read_matrices(const struct lapack_call *call, const struct lapack_places *places,
                          struct eigenproblem *problem)
{
    const enum blas_part part = problem->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER;
    problem->packed = !places->lda;
    if (!read_matrix(call, places->a, places->lda, problem->n, part, &problem->a))
        return false;
    if (places->b && !read_matrix(call, places->b, places->ldb, problem->n, part, &problem->b))
        return false;
    if (!places->z)
        return true;
    if (!problem->vectors)
        return lapack_integer(call, places->ldz) >= 1;
    if (!read_matrix(call, places->z, places->ldz, problem->n, PART_FULL, &problem->z))
        return false;
    problem->z.columns = most_found(problem);
    return true;
}

/* Programs give W no more room than the indices name, and have Z begin behind it. */
static bool overlaps(const struct lapack_call *call, const struct lapack_places *places,
                     const struct eigenproblem *problem)
{
    const struct blas_matrix *const matrices[] = {&problem->a, &problem->b, &problem->z};
    const struct lapack_array values = {places->w, most_found(problem), blas_real_bytes(problem->type)};
    return lapack_operands_meet(call, matrices, 3, &values, 1);
}

static struct route_shape shape_of(const struct lapack_call *call, const struct eigenproblem *problem)
{
    struct route_shape shape = {.family = lapack_full_family(call->routine->family), .type = problem->type,
                                .vectors = problem->vectors, .m = problem->n, .n = problem->n,
                                .k = most_found(problem), .solvers_alone = problem->itype > 1};
    shape.bytes_down = blas_part_bytes(&problem->b, problem->type);
    shape.bytes_up = blas_part_bytes(&problem->a, problem->type) + shape.bytes_down;
    if (problem->vectors)
        shape.bytes_down += (uint64_t)problem->n * (uint64_t)shape.k * blas_element_bytes(problem->type);
    return shape;
}

static bool read(const struct lapack_call *call, struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    struct eigenproblem *const problem = &any->eigen;
    problem->type = call->routine->type;
    if (!read_flags(call, places, problem) || !read_range(call, places, problem) ||
        !read_matrices(call, places, problem) || !workspaces_suffice(call, places, problem) ||
        overlaps(call, places, problem))
        return false;
    any->shape = shape_of(call, problem);
    return true;
}

static bool describe(const struct lapack_call *call, struct lapack_problem *any, struct route *route)
{
    (void)call;
    any->memory = any->eigen.values = malloc((size_t)any->eigen.n * (sizeof(double) + sizeof(int64_t)));
    if (!any->memory)
        return false;
    any->eigen.order = (int64_t *)any->memory + any->eigen.n;
    eigen_describe(&any->eigen, route);
    return true;
}

static void write_values(const struct lapack_call *call, const struct lapack_places *places,
                         const struct eigenproblem *problem)
{
    const size_t bytes = blas_real_bytes(problem->type);
    memcpy(lapack_address(call, places->w),
           (const char *)problem->values + (size_t)problem->found_first * bytes,
           (size_t)problem->found * bytes);
}

/* LAPACK's MRRR alone knows supports, and is used for all values only. */
static void write_supports(const struct lapack_call *call, const struct lapack_places *places,
                           const struct eigenproblem *problem)
{
    const bool all =
        problem->range == EIGEN_ALL || (problem->range == EIGEN_INDICES && most_found(problem) == problem->n);
    for (int64_t i = 0; all && problem->vectors && i < problem->found; i++) {
        lapack_put_integer(call, places->isuppz, 2 * i, 1);
        lapack_put_integer(call, places->isuppz, 2 * i + 1, problem->n);
    }
}

static void write(const struct lapack_call *call, const struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    const struct eigenproblem *const problem = &any->eigen;
    write_values(call, places, problem);
    if (places->m)
        lapack_put_integer(call, places->m, 0, problem->found);
    if (places->isuppz)
        write_supports(call, places, problem);
    for (int64_t i = 0; places->ifail && problem->vectors && i < problem->found; i++)
        lapack_put_integer(call, places->ifail, i, 0);
}

const struct lapack_methods eigen_methods = {read, describe, write, 3, 3};

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
static void find_least_of_tridiagonal(bool is_complex, bool updates, int64_t n, int64_t least[WORKSPACES])
{
    const int64_t small_order = 25, logarithm = logarithm_of(n);
    const int64_t reals = n <= small_order ? 2 * (n - 1)
                          : updates        ? 1 + 3 * n + 2 * n * logarithm + 4 * n * n
                                           : 1 + 4 * n + (is_complex ? 2 : 1) * n * n;
    least[0] = !is_complex ? reals : updates && n > small_order ? n * n : 1;
    least[1] = reals;
    least[2] = n <= small_order ? 1 : updates ? 6 + 6 * n + 5 * n * logarithm : 3 + 5 * n;
}

static bool tridiagonal_workspaces_suffice(const struct lapack_call *call,
                               const struct tridiagonal_eigenproblem *problem)
{
    const struct lapack_places *const places = &call->routine->places;
    const int lengths[WORKSPACES] = {places->lwork, places->lrwork, places->liwork};
    int64_t least[WORKSPACES];
    bool suffice = true;
    find_least_of_tridiagonal(blas_scalar_parts(problem->type) == 2, problem->updates, problem->n, least);
    for (int i = 0; i < WORKSPACES; i++)
        suffice = suffice && (!lengths[i] || lapack_integer(call, lengths[i]) >= least[i]);
    return suffice;
}

static bool tridiagonal_overlaps(const struct lapack_call *call,
                                 const struct tridiagonal_eigenproblem *problem)
{
    const struct lapack_places *const places = &call->routine->places;
    const size_t real = blas_real_bytes(problem->type);
    const struct blas_matrix *const z = &problem->z;
    const struct lapack_array arrays[] = {{places->d, problem->n, real}, {places->e, problem->n - 1, real}};
    return lapack_operands_meet(call, &z, 1, arrays, 2);
}

static struct route_shape tridiagonal_shape_of(const struct tridiagonal_eigenproblem *problem)
{
    const int64_t n = problem->n;
    const uint64_t z_bytes = blas_part_bytes(&problem->z, problem->type);
    return (struct route_shape){.family = LAPACK_STEDC, .type = problem->type, .vectors = true, .m = n,
                                .n = n, .k = n, .bytes_up = problem->updates ? z_bytes : 0,
                                .bytes_down = z_bytes};
}

/* Orders 1 and 2 leave nothing to divide. */
static bool tridiagonal_read(const struct lapack_call *call, struct lapack_problem *any)
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
    problem->z = (struct blas_matrix){.rows = n, .columns = n, .part = PART_FULL};
    if (!lapack_read_matrix(call, places->z, places->ldz, n, &problem->z) ||
        !tridiagonal_workspaces_suffice(call, problem) || tridiagonal_overlaps(call, problem))
        return false;
    any->shape = tridiagonal_shape_of(problem);
    return true;
}

/* T is copied: its diagonal's place is the values' as well. */
static bool tridiagonal_describe(const struct lapack_call *call, struct lapack_problem *any,
                                 struct route *route)
{
    struct tridiagonal_eigenproblem *const problem = &any->tridiagonal;
    const size_t n = (size_t)problem->n, real = blas_real_bytes(problem->type);
    unsigned char *const memory = any->memory = malloc(2 * n * real);
    if (!memory)
        return false;
    memcpy(memory, lapack_address(call, call->routine->places.d), n * real);
    memcpy(memory + n * real, lapack_address(call, call->routine->places.e), (n - 1) * real);
    problem->t = memory;
    tridiagonal_eigen_describe(problem, route);
    return true;
}

static void tridiagonal_write(const struct lapack_call *call, const struct lapack_problem *any)
{
    const struct tridiagonal_eigenproblem *const problem = &any->tridiagonal;
    memcpy(lapack_address(call, call->routine->places.d), problem->t,
           (size_t)problem->n * blas_real_bytes(problem->type));
}

const struct lapack_methods tridiagonal_eigen_methods = {tridiagonal_read, tridiagonal_describe,
                                                         tridiagonal_write, 3, 3};
