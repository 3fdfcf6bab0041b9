/* parallel_eigen_methods: symmetric and Hermitian eigenproblems. */
#include "scalapack/engine.h"

#include <stdlib.h>

static size_t real_bytes(const struct parallel_call *call)
{
    return blas_real_bytes(call->routine->type);
}

static bool wants_vectors(const struct parallel_call *call)
{
    return parallel_letter(call, WORD_jobz) == 'V';
}

static char range_of(const struct parallel_call *call)
{
    return parallel_has(call, WORD_range) ? parallel_letter(call, WORD_range) : 'A';
}

static bool range_is_legal(const struct parallel_call *call)
{
    switch (range_of(call)) {
    case 'A': return true;
    case 'V': return parallel_real(call, WORD_vu) > parallel_real(call, WORD_vl); /* not for NaN */
    case 'I':
        return parallel_integer(call, WORD_il) >= 1 &&
               parallel_integer(call, WORD_il) <= parallel_integer(call, WORD_iu) &&
               parallel_integer(call, WORD_iu) <= parallel_integer(call, WORD_n);
    default: return false;
    }
}

/* The part of the least workspaces in the routines' documentation (ScaLAPACK 2.2) that depends on N alone, in
 * multiples of it: less is illegal on any grid. For real types, and for complex ones. */
struct least_workspaces {
    unsigned char lwork, lrwork, liwork;
};

static const struct least_workspaces least_workspaces[LAPACK_FAMILY_COUNT][2] = {
    [LAPACK_SYEV] = {{5, 0, 0}, {3, 2, 0}},     [LAPACK_SYEVD] = {{8, 0, 7}, {1, 9, 7}},
    [LAPACK_SYEVX] = {{10, 0, 6}, {1, 9, 6}},   [LAPACK_SYEVR] = {{17, 0, 10}, {1, 17, 10}},
    [LAPACK_SYGVX] = {{10, 0, 6}, {1, 9, 6}},
};

static bool is_enough(const struct parallel_call *call, enum parallel_word word, int64_t multiple)
{
    return !parallel_has(call, word) ||
           parallel_integer(call, word) >= multiple * parallel_integer(call, WORD_n);
}

static bool workspaces_suffice(const struct parallel_call *call)
{
    const struct least_workspaces *const least =
        &least_workspaces[call->routine->family][blas_is_complex(call->routine->type)];
    return is_enough(call, WORD_lwork, least->lwork) && is_enough(call, WORD_lrwork, least->lrwork) &&
           is_enough(call, WORD_liwork, least->liwork);
}

/* Order 1 leaves nothing to compute. ScaLAPACK's syevd refuses to compute no vectors. */
static bool accepts(struct parallel_call *call)
{
    const char jobz = parallel_letter(call, WORD_jobz);
    if (jobz == 'N' && call->routine->family == LAPACK_SYEVD)
        return false;
    const int32_t itype = parallel_has(call, WORD_itype) ? parallel_integer(call, WORD_itype) : 1;
    return (jobz == 'V' || jobz == 'N') && itype >= 1 && itype <= 3 && parallel_integer(call, WORD_n) > 1 &&
           range_is_legal(call) && workspaces_suffice(call);
}

static size_t vector_bytes(const struct parallel_call *call)
{
    return (size_t)parallel_integer(call, WORD_n) * real_bytes(call);
}

static int64_t most_found(const struct eigenproblem *problem)
{
    return problem->range == EIGEN_INDICES ? problem->last - problem->first + 1 : problem->n;
}

static void read_range(const struct parallel_call *call, struct eigenproblem *problem)
{
    switch (range_of(call)) {
    case 'V':
        problem->range = EIGEN_INTERVAL;
        problem->above = parallel_real(call, WORD_vl);
        problem->up_to = parallel_real(call, WORD_vu);
        break;
    case 'I':
        problem->range = EIGEN_INDICES;
        problem->first = parallel_integer(call, WORD_il);
        problem->last = parallel_integer(call, WORD_iu);
        break;
    default: problem->range = EIGEN_ALL; break;
    }
}

static void plan(const struct parallel_call *call, const struct grid_machine *machine,
                 struct parallel_work *work)
{
    const enum blas_type type = call->routine->type;
    const int64_t n = parallel_integer(call, WORD_n);
    struct eigenproblem *const problem = &work->eigen;
    *problem = (struct eigenproblem){.type = type, .vectors = wants_vectors(call), .n = n,
                                     .itype = parallel_has(call, WORD_itype)
                                                  ? parallel_integer(call, WORD_itype)
                                                  : 0,
                                     .uplo = parallel_uplo(call)};
    read_range(call, problem);
    struct route_shape *const shape = &work->way.call.sizes;
    *shape = (struct route_shape){.family = (enum lapack_family)call->routine->family, .type = type,
                                  .vectors = problem->vectors, .m = n, .n = n, .k = most_found(problem),
                                  .solvers_alone = problem->itype > 1};
    const uint64_t triangle = (uint64_t)n * (uint64_t)(n + 1) / 2 * blas_element_bytes(type);
    shape->bytes_up = triangle * (problem->itype ? 2 : 1);
    shape->bytes_down = (problem->itype ? triangle : 0) +
                        (problem->vectors ? (uint64_t)n * (uint64_t)shape->k * blas_element_bytes(type) : 0);
    work->way.call.route_times = route_times_predict(&machine->grid, shape);
}

/* Z may hold more columns than there are results. */
static bool describe(const struct parallel_call *call, const void *vectors, struct parallel_work *work,
                     struct route *route)
{
    struct eigenproblem *const problem = &work->eigen;
    (void)vectors;
    for (int i = 0; i < call->routine->signature.matrix_count; i++) {
        const struct parallel_matrix *const matrix = &call->matrices[i];
        struct blas_matrix *const whole = matrix->signature->letter == 'A'   ? &problem->a
                                          : matrix->signature->letter == 'B' ? &problem->b
                                                                             : &problem->z;
        if (matrix->is_used)
            *whole = parallel_whole(matrix);
    }
    if (problem->z.pointer == problem->a.pointer)
        problem->z = (struct blas_matrix){.pointer = NULL};
    if (problem->z.pointer)
        problem->z.columns = most_found(problem);
    work->memory = problem->values = malloc((size_t)problem->n * (sizeof(double) + sizeof(int64_t)));
    if (!work->memory)
        return false;
    problem->order = (int64_t *)work->memory + problem->n;
    eigen_describe(problem, route);
    return true;
}

static void publish(const struct parallel_call *call, void *vectors, struct parallel_work *work)
{
    const struct eigenproblem *const problem = &work->eigen;
    work->found = problem->found;
    memcpy(vectors,
           (const char *)problem->values + (size_t)problem->found_first * real_bytes(call),
           (size_t)problem->found * real_bytes(call));
}

static void put_integer(const struct parallel_call *call, enum parallel_word word, int64_t index,
                        int64_t value)
{
    const int32_t narrow = (int32_t)value;
    if (parallel_has(call, word))
        memcpy((char *)parallel_address(call, word) + index * (int64_t)sizeof narrow, &narrow, sizeof narrow);
}

static void put_gap(const struct parallel_call *call, int64_t index)
{
    const double real = -1;
    const float single = -1;
    if (parallel_has(call, WORD_gap))
        memcpy((char *)parallel_address(call, WORD_gap) + (size_t)index * real_bytes(call),
               blas_is_single(call->routine->type) ? (const void *)&single : (const void *)&real,
               real_bytes(call));
}

/* No vector has failed, and no cluster of values was too large to orthogonalise. Arguments that tell of
 * vectors stay as they are without them. */
static void take(const struct parallel_call *call, const void *vectors, int64_t found)
{
    const int64_t processes = (int64_t)call->place.rows * call->place.columns;
    memcpy(parallel_address(call, WORD_w), vectors, (size_t)found * real_bytes(call));
    put_integer(call, WORD_found, 0, found);
    if (wants_vectors(call))
        put_integer(call, WORD_nz, 0, found);
    for (int64_t i = 0; i < found && wants_vectors(call); i++)
        put_integer(call, WORD_ifail, i, 0);
    for (int64_t i = 0; i < processes && wants_vectors(call); i++) {
        put_integer(call, WORD_iclustr, 2 * i, 0);
        put_integer(call, WORD_iclustr, 2 * i + 1, 0);
        put_gap(call, i);
    }
}

const struct parallel_methods parallel_eigen_methods = {
    .is_strict = true, .accepts = accepts, .vector_bytes = vector_bytes, .plan = plan,
    .describe = describe, .publish = publish, .take = take};
