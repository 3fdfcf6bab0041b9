/* The kinds whose operands and results are matrices alone, but for pivots. parallel_factor_methods:
 * factorisations, solutions and inverses by them. parallel_product_methods: level 3 of the PBLAS.
 * parallel_reduction_methods: a generalised eigenproblem becomes a standard one. */
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

static bool letters_are_legal(const struct parallel_call *call)
{
    return has_letter(call, WORD_side, "LR") && has_letter(call, WORD_uplo, "UL") &&
           has_letter(call, WORD_diag, "UN") && has_letter(call, WORD_trans, "NTC") &&
           has_letter(call, WORD_transb, "NTC");
}

static bool is_letter(const struct parallel_call *call, enum parallel_word word, char letter)
{
    return parallel_has(call, word) && parallel_letter(call, word) == letter;
}

static enum blas_uplo uplo_of(const struct parallel_call *call)
{
    return is_letter(call, WORD_uplo, 'U') ? UPLO_UPPER : UPLO_LOWER;
}

static enum blas_diag diag_of(const struct parallel_call *call)
{
    return is_letter(call, WORD_diag, 'U') ? DIAG_UNIT : DIAG_NON_UNIT;
}

static enum blas_trans trans_of(const struct parallel_call *call, enum parallel_word word)
{
    if (!parallel_has(call, word) || is_letter(call, word, 'N'))
        return TRANS_NONE;
    return is_letter(call, word, 'T') || !blas_is_complex(call->routine->type) ? TRANS_TRANSPOSE
                                                                               : TRANS_CONJUGATE;
}

static void count_bytes(const struct parallel_call *call, struct route_shape *shape)
{
    for (int i = 0; i < call->routine->signature.matrix_count; i++) {
        const struct blas_matrix whole = parallel_sizes(&call->matrices[i]);
        const uint64_t bytes = blas_part_bytes(&whole, call->routine->type);
        shape->bytes_up += call->matrices[i].access == PARALLEL_WRITE ? 0 : bytes;
        shape->bytes_down += call->matrices[i].access == PARALLEL_READ ? 0 : bytes;
    }
}

/* Order 1 leaves nothing to compute. */
static bool factor_accepts(struct parallel_call *call)
{
    const int64_t n = parallel_integer(call, WORD_n);
    return letters_are_legal(call) && n > 1 && integer_or(call, WORD_m, n) > 1 &&
           integer_or(call, WORD_nrhs, 1) > 0;
}

static int64_t pivots_of(const struct parallel_call *call)
{
    const int64_t n = parallel_integer(call, WORD_n);
    return parallel_has(call, WORD_ipiv) ? smaller(n, integer_or(call, WORD_m, n)) : 0;
}

static size_t factor_vector_bytes(const struct parallel_call *call)
{
    return (size_t)pivots_of(call) * sizeof(int32_t);
}

static void factor_plan(const struct parallel_call *call, const struct grid_machine *machine,
                        struct parallel_work *work)
{
    const int64_t n = parallel_integer(call, WORD_n);
    struct route_shape *const shape = &work->way.call.sizes;
    work->factor = (struct factor_problem){
        .family = (enum lapack_family)call->routine->family, .type = call->routine->type,
        .uplo = uplo_of(call), .trans = trans_of(call, WORD_trans), .diag = diag_of(call),
        .m = integer_or(call, WORD_m, n), .n = n, .k = integer_or(call, WORD_nrhs, 0),
        .pivots_up = call->routine->family == LAPACK_GETRS};
    *shape = (struct route_shape){.family = work->factor.family, .type = call->routine->type,
                                  .m = work->factor.m, .n = n, .k = work->factor.k};
    count_bytes(call, shape);
    work->way.call.route_times = route_times_predict(&machine->grid, shape);
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
static void factor_put(const struct parallel_call *call, void *vectors)
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
static bool describe_factor(const struct parallel_call *call, const void *vectors, struct parallel_work *work,
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

static void factor_publish(const struct parallel_call *call, void *vectors, struct parallel_work *work)
{
    int32_t *const pivots = vectors;
    for (int64_t i = 0; !work->factor.pivots_up && i < pivots_of(call); i++)
        pivots[i] = (int32_t)work->factor.pivots[i];
}

static void factor_take(const struct parallel_call *call, const void *vectors, int64_t found)
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
    .is_strict = true, .accepts = factor_accepts, .vector_bytes = factor_vector_bytes, .plan = factor_plan,
    .put = factor_put, .describe = describe_factor, .publish = factor_publish, .take = factor_take};

static enum blas_family family_of(const struct parallel_call *call)
{
    return (enum blas_family)call->routine->family;
}

/* Complex syrk has no conjugate transpose, and herk no plain one. */
static const char *transpositions_of(const struct parallel_call *call)
{
    if (!blas_is_complex(call->routine->type))
        return "NTC";
    return family_of(call) == FAMILY_HERK ? "NC" : family_of(call) == FAMILY_SYRK ? "NT" : "NTC";
}

static union blas_scalar scalar_of(const struct parallel_call *call, enum parallel_word word)
{
    return parallel_scalar(call, word, family_of(call) == FAMILY_HERK);
}

/* Without alpha A and B are not read, which the host does as well; without beta C is not read. */
static bool product_accepts(struct parallel_call *call)
{
    const enum blas_type type = call->routine->type;
    struct parallel_matrix *const c = parallel_matrix_of(call, 'C');
    if (!letters_are_legal(call) || !has_letter(call, WORD_trans, transpositions_of(call)) ||
        blas_scalar_is_zero(type, scalar_of(call, WORD_alpha)) ||
        blas_scalar_is_infinite(type, scalar_of(call, WORD_alpha)))
        return false;
    if (c && blas_scalar_is_zero(type, scalar_of(call, WORD_beta)))
        c->access = PARALLEL_WRITE;
    return true;
}

/* BLAS' B of trsm and trmm is the result, and stands in c. */
static struct blas_matrix *slot_of(struct blas_call *call, char letter)
{
    return letter == 'A' ? &call->a : letter == 'B' && !blas_is_in_place(call) ? &call->b : &call->c;
}

static void fill_call(const struct parallel_call *call, struct blas_call *blas)
{
    *blas = (struct blas_call){
        .family = family_of(call), .type = call->routine->type, .uplo = uplo_of(call),
        .side = is_letter(call, WORD_side, 'R') ? SIDE_RIGHT : SIDE_LEFT, .diag = diag_of(call),
        .trans = trans_of(call, WORD_trans), .trans_b = trans_of(call, WORD_transb),
        .m = integer_or(call, WORD_m, 0), .n = integer_or(call, WORD_n, 0), .k = integer_or(call, WORD_k, 0),
        .alpha = scalar_of(call, WORD_alpha)};
    if (parallel_has(call, WORD_beta))
        blas->beta = scalar_of(call, WORD_beta);
}

static void place(const struct parallel_call *call, struct blas_call *blas)
{
    for (int i = 0; i < call->routine->signature.matrix_count; i++)
        *slot_of(blas, call->matrices[i].signature->letter) = parallel_whole(&call->matrices[i]);
}

/* The model's times are of operands on the device, which these never are before. */
static void product_plan(const struct parallel_call *call, const struct grid_machine *machine,
                         struct parallel_work *work)
{
    struct blas_call *const blas = &work->product.call;
    struct route_shape *const shape = &work->way.call.sizes;
    fill_call(call, blas);
    place(call, blas);
    const struct predicted_times times = crossover_times(machine->here, blas);
    *shape = (struct route_shape){.family = LAPACK_FAMILY_COUNT, .type = blas->type, .m = blas->m,
                                  .n = blas->n, .k = blas->k};
    count_bytes(call, shape);
    work->way.call.route_times = (struct route_times){
        .host_us = times.host_us / machine->cores, .compute_us = times.resident_us / machine->alone,
        .moving_us = 1e6 * (double)(shape->bytes_up + shape->bytes_down) /
                     (machine->here->link_bandwidth * machine->alone)};
}

static bool describe_product(const struct parallel_call *call, const void *vectors,
                             struct parallel_work *work, struct route *route)
{
    (void)vectors;
    place(call, &work->product.call);
    product_describe(&work->product, route);
    return true;
}

const struct parallel_methods parallel_product_methods = {
    .accepts = product_accepts, .plan = product_plan, .describe = describe_product};

/* As the documentation of syngst and hengst has it (ScaLAPACK 2.2). */
static bool workspace_suffices(const struct parallel_call *call)
{
    const struct distribution *const of = &call->matrices[0].distribution;
    const int64_t rows = distribution_count(of->rows, of->row_block, 0, 0, call->place.rows);
    return !parallel_has(call, WORD_lwork) ||
           parallel_integer(call, WORD_lwork) >= larger(of->row_block * (rows + 1), 3 * of->row_block);
}

static bool reduction_accepts(struct parallel_call *call)
{
    const int32_t itype = parallel_integer(call, WORD_itype);
    return itype >= 1 && itype <= 3 && parallel_integer(call, WORD_n) > 1 &&
           workspace_suffices(call);
}

static void reduction_plan(const struct parallel_call *call, const struct grid_machine *machine,
                           struct parallel_work *work)
{
    const int64_t n = parallel_integer(call, WORD_n);
    struct route_shape *const shape = &work->way.call.sizes;
    work->reduction = (struct reduction_problem){.family = LAPACK_SYGST, .type = call->routine->type,
                                                 .uplo = uplo_of(call),
                                                 .itype = parallel_integer(call, WORD_itype), .n = n};
    *shape = (struct route_shape){
        .family = LAPACK_SYGST, .type = call->routine->type, .m = n, .n = n, .k = n};
    count_bytes(call, shape);
    work->way.call.route_times = route_times_predict(&machine->grid, shape);
}

static bool describe_reduction(const struct parallel_call *call, const void *vectors,
                               struct parallel_work *work, struct route *route)
{
    struct reduction_problem *const problem = &work->reduction;
    (void)vectors;
    work->memory = problem->diagonal = malloc((size_t)problem->n * blas_element_bytes(TYPE_Z));
    if (!work->memory)
        return false;
    problem->a = parallel_whole(&call->matrices[0]);
    problem->b = parallel_whole(&call->matrices[1]);
    reduction_describe(problem, route);
    return true;
}

/* ScaLAPACK scales nothing yet, either. */
static void reduction_take(const struct parallel_call *call, const void *vectors, int64_t found)
{
    const double real = 1;
    const float single = 1;
    (void)vectors, (void)found;
    if (blas_is_single(call->routine->type))
        memcpy(parallel_address(call, WORD_scale), &single, sizeof single);
    else
        memcpy(parallel_address(call, WORD_scale), &real, sizeof real);
}

const struct parallel_methods parallel_reduction_methods = {
    .is_strict = true, .accepts = reduction_accepts, .plan = reduction_plan, .describe = describe_reduction,
    .take = reduction_take};
