/* parallel_product_methods: level 3 of the PBLAS. */
#include "scalapack/engine.h"

static enum blas_family family_of(const struct parallel_call *call)
{
    return (enum blas_family)call->routine->family;
}

static bool has_letter(const struct parallel_call *call, enum parallel_word word, const char *letters)
{
    return !parallel_has(call, word) || parallel_is_one_of(parallel_letter(call, word), letters);
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
static bool accepts(struct parallel_call *call)
{
    const enum blas_type type = call->routine->type;
    struct parallel_matrix *const c = parallel_matrix_of(call, 'C');
    if (!has_letter(call, WORD_side, "LR") || !has_letter(call, WORD_diag, "UN") ||
        !has_letter(call, WORD_uplo, "UL") || !has_letter(call, WORD_trans, transpositions_of(call)) ||
        !has_letter(call, WORD_transb, "NTC") || blas_scalar_is_zero(type, scalar_of(call, WORD_alpha)) ||
        blas_scalar_is_infinite(type, scalar_of(call, WORD_alpha)))
        return false;
    if (c && blas_scalar_is_zero(type, scalar_of(call, WORD_beta)))
        c->access = PARALLEL_WRITE;
    return true;
}

static size_t vector_bytes(const struct parallel_call *call)
{
    (void)call;
    return 0;
}

static enum blas_trans trans_of(const struct parallel_call *call, enum parallel_word word)
{
    const char letter = parallel_has(call, word) ? parallel_letter(call, word) : 'N';
    if (letter == 'N')
        return TRANS_NONE;
    return letter == 'T' || !blas_is_complex(call->routine->type) ? TRANS_TRANSPOSE : TRANS_CONJUGATE;
}

static int64_t integer_or_none(const struct parallel_call *call, enum parallel_word word)
{
    return parallel_has(call, word) ? parallel_integer(call, word) : 0;
}

/* BLAS' B of trsm and trmm is the result, and stands in c. */
static struct blas_matrix *slot_of(struct blas_call *call, char letter)
{
    return letter == 'A' ? &call->a : letter == 'B' && !blas_is_in_place(call) ? &call->b : &call->c;
}

static void fill_call(const struct parallel_call *call, struct blas_call *blas)
{
    *blas = (struct blas_call){
        .family = family_of(call), .type = call->routine->type,
        .uplo = parallel_has(call, WORD_uplo) ? parallel_uplo(call) : UPLO_LOWER,
        .side = parallel_has(call, WORD_side) && parallel_letter(call, WORD_side) == 'R' ? SIDE_RIGHT
                                                                                         : SIDE_LEFT,
        .diag = parallel_has(call, WORD_diag) && parallel_letter(call, WORD_diag) == 'U' ? DIAG_UNIT
                                                                                         : DIAG_NON_UNIT,
        .trans = trans_of(call, WORD_trans), .trans_b = trans_of(call, WORD_transb),
        .m = integer_or_none(call, WORD_m), .n = integer_or_none(call, WORD_n),
        .k = integer_or_none(call, WORD_k), .alpha = scalar_of(call, WORD_alpha)};
    if (parallel_has(call, WORD_beta))
        blas->beta = scalar_of(call, WORD_beta);
}

static void place(const struct parallel_call *call, struct blas_call *blas)
{
    for (int i = 0; i < call->routine->signature.matrix_count; i++)
        *slot_of(blas, call->matrices[i].signature->letter) = parallel_whole(&call->matrices[i]);
}

/* The model's times are of operands on the device, which these never are before. */
static void plan(const struct parallel_call *call, const struct grid_machine *machine,
                 struct parallel_work *work)
{
    struct blas_call *const blas = &work->product.call;
    struct route_shape *const shape = &work->way.call.sizes;
    fill_call(call, blas);
    place(call, blas);
    const struct predicted_times times = crossover_times(machine->here, blas);
    *shape = (struct route_shape){.family = LAPACK_FAMILY_COUNT, .type = blas->type, .m = blas->m,
                                  .n = blas->n, .k = blas->k};
    for (int i = 0; i < call->routine->signature.matrix_count; i++) {
        const struct blas_matrix whole = parallel_sizes(&call->matrices[i]);
        const uint64_t bytes = blas_part_bytes(&whole, blas->type);
        shape->bytes_up += call->matrices[i].access == PARALLEL_WRITE ? 0 : bytes;
        shape->bytes_down += call->matrices[i].access == PARALLEL_READ ? 0 : bytes;
    }
    work->way.call.route_times = (struct route_times){
        .host_us = times.host_us / machine->cores, .compute_us = times.resident_us / machine->alone,
        .moving_us = 1e6 * (double)(shape->bytes_up + shape->bytes_down) /
                     (machine->here->link_bandwidth * machine->alone)};
}

static bool describe(const struct parallel_call *call, const void *vectors, struct parallel_work *work,
                     struct route *route)
{
    (void)vectors;
    place(call, &work->product.call);
    product_describe(&work->product, route);
    return true;
}

static void publish(const struct parallel_call *call, void *vectors, struct parallel_work *work)
{
    (void)call, (void)vectors, (void)work;
}

static void take(const struct parallel_call *call, const void *vectors, int64_t found)
{
    (void)call, (void)vectors, (void)found;
}

const struct parallel_methods parallel_product_methods = {
    .is_strict = false, .accepts = accepts, .vector_bytes = vector_bytes, .plan = plan,
    .describe = describe, .publish = publish, .take = take};
