/* parallel_factor_methods: factorisations, solutions and inverses by them. */
#include "common/whole_number.h"
#include "scalapack/engine.h"

#include <stdlib.h>

static int64_t integer_or(const struct parallel_call *call, enum parallel_word word, int64_t otherwise)
{
    return parallel_has(call, word) ? parallel_integer(call, word) : otherwise;
}

static bool has_letter(const struct parallel_call *call, enum parallel_word word, const char *letters)
{
    return !parallel_has(call, word) || parallel_is_one_of(parallel_letter(call, word), letters);
}

/* Order 1 leaves nothing to compute. */
static bool accepts(struct parallel_call *call)
{
    const int64_t n = parallel_integer(call, WORD_n);
    return has_letter(call, WORD_uplo, "UL") && has_letter(call, WORD_diag, "UN") &&
           has_letter(call, WORD_trans, "NTC") && n > 1 && integer_or(call, WORD_m, n) > 1 &&
           integer_or(call, WORD_nrhs, 1) > 0;
}

static int64_t pivots_of(const struct parallel_call *call)
{
    const int64_t n = parallel_integer(call, WORD_n);
    return parallel_has(call, WORD_ipiv) ? smaller(n, integer_or(call, WORD_m, n)) : 0;
}

static size_t vector_bytes(const struct parallel_call *call)
{
    return (size_t)pivots_of(call) * sizeof(int32_t);
}

static enum blas_trans trans_of(const struct parallel_call *call)
{
    const char letter = parallel_has(call, WORD_trans) ? parallel_letter(call, WORD_trans) : 'N';
    return letter == 'N' ? TRANS_NONE : letter == 'T' ? TRANS_TRANSPOSE : TRANS_CONJUGATE;
}

static void plan(const struct parallel_call *call, const struct grid_machine *machine,
                 struct parallel_work *work)
{
    const int64_t n = parallel_integer(call, WORD_n);
    const struct parallel_matrix *const a = &call->matrices[0], *const b = &call->matrices[1];
    const bool has_b = call->routine->signature.matrix_count > 1;
    work->factor = (struct factor_problem){
        .family = (enum lapack_family)call->routine->family,
        .type = call->routine->type,
        .uplo = parallel_has(call, WORD_uplo) ? parallel_uplo(call) : UPLO_LOWER,
        .trans = trans_of(call),
        .diag = parallel_has(call, WORD_diag) && parallel_letter(call, WORD_diag) == 'U' ? DIAG_UNIT
                                                                                         : DIAG_NON_UNIT,
        .m = integer_or(call, WORD_m, n), .n = n, .k = integer_or(call, WORD_nrhs, 0),
        .pivots_up = call->routine->family == LAPACK_GETRS};
    const struct blas_matrix whole_a = parallel_sizes(a), whole_b = parallel_sizes(b);
    const uint64_t a_bytes = blas_part_bytes(&whole_a, call->routine->type);
    const uint64_t b_bytes = has_b ? blas_part_bytes(&whole_b, call->routine->type) : 0;
    work->way.call.sizes = (struct route_shape){.family = work->factor.family, .type = call->routine->type,
                                            .m = work->factor.m, .n = n, .k = work->factor.k,
                                            .bytes_up = a_bytes + b_bytes,
                                            .bytes_down =
                                                b_bytes + (a->access == PARALLEL_READ ? 0 : a_bytes)};
    work->way.call.route_times = route_times_predict(&machine->grid, &work->way.call.sizes);
}

/* Local row of a pivot's place, and whose it is: pivots lie as A's rows do, on every process column. */
static bool pivot_place(const struct parallel_call *call, int64_t row, int64_t *local)
{
    const struct distribution *const of = &call->matrices[0].distribution;
    const int64_t global = of->first_row + row;
    *local = distribution_local(global, of->row_block, call->place.rows);
    return distribution_owner(global, of->row_block, of->row_source, call->place.rows) == call->place.row;
}

/* The first process column tells. */
static void put(const struct parallel_call *call, void *vectors)
{
    const int64_t count = call->routine->family == LAPACK_GETRS ? pivots_of(call) : 0;
    const int32_t *const pivots = count > 0 ? parallel_address(call, WORD_ipiv) : NULL;
    int32_t *const whole = vectors;
    int64_t local;
    for (int64_t row = 0; row < count && call->place.column == 0; row++)
        if (pivot_place(call, row, &local))
            whole[row] = pivots[local] - (int32_t)call->matrices[0].distribution.first_row;
}

static bool pivots_are_legal(const struct factor_problem *problem)
{
    for (int64_t i = 0; problem->pivots_up && i < problem->n; i++)
        if (problem->pivots[i] < 1 || problem->pivots[i] > problem->n)
            return false;
    return true;
}

/* Two pieces: for pivots, and for what belongs to them. */
static bool describe(const struct parallel_call *call, const void *vectors, struct parallel_work *work,
                     struct route *route)
{
    struct factor_problem *const problem = &work->factor;
    const size_t bytes = (size_t)larger(problem->m, problem->n) * blas_element_bytes(TYPE_Z);
    const int32_t *const pivots = vectors;
    work->memory = malloc(2 * bytes);
    if (!work->memory)
        return false;
    problem->pivots = problem->tau = work->memory;
    problem->order = problem->diagonal = (char *)work->memory + bytes;
    for (int64_t i = 0; problem->pivots_up && i < problem->n; i++)
        problem->pivots[i] = pivots[i];
    problem->a = parallel_whole(&call->matrices[0]);
    if (call->routine->signature.matrix_count > 1)
        problem->b = parallel_whole(&call->matrices[1]);
    factor_describe(problem, route);
    return pivots_are_legal(problem);
}

static void publish(const struct parallel_call *call, void *vectors, struct parallel_work *work)
{
    int32_t *const pivots = vectors;
    for (int64_t i = 0; !work->factor.pivots_up && i < pivots_of(call); i++)
        pivots[i] = (int32_t)work->factor.pivots[i];
}

static void take(const struct parallel_call *call, const void *vectors, int64_t found)
{
    const int64_t count = call->routine->family == LAPACK_GETRF ? pivots_of(call) : 0;
    const int32_t *const whole = vectors;
    int32_t *const pivots = count > 0 ? parallel_address(call, WORD_ipiv) : NULL;
    int64_t local;
    (void)found;
    for (int64_t row = 0; row < count; row++)
        if (pivot_place(call, row, &local))
            pivots[local] = whole[row] + (int32_t)call->matrices[0].distribution.first_row;
}

const struct parallel_methods parallel_factor_methods = {
    .is_strict = true, .accepts = accepts, .vector_bytes = vector_bytes, .plan = plan, .put = put,
    .describe = describe, .publish = publish, .take = take};
