#include "interpose/entries/pack.h"
#include "common/blas_call.h"

/* The extent of `runs` runs, all within the half of the address space that programs
 * have: so nothing that is computed from a legal call's shapes overflows 64 bits. */
static bool make_extent(const void *pointer, int64_t run_elements, int64_t stride_elements, int64_t runs,
                        size_t element_bytes, struct extent *extent)
{
    int64_t element = (int64_t)element_bytes, run_bytes, stride, last;
    if (!pointer || runs < 1 || run_elements < 1 || (uintptr_t)pointer > INT64_MAX ||
        __builtin_mul_overflow(run_elements, element, &run_bytes) ||
        __builtin_mul_overflow(stride_elements, element, &stride) ||
        __builtin_mul_overflow(runs - 1, stride, &last) || __builtin_add_overflow(last, run_bytes, &last) ||
        __builtin_add_overflow(last, (int64_t)(uintptr_t)pointer, &last))
        return false;
    *extent = (struct extent){(uintptr_t)pointer, (size_t)run_bytes, (size_t)stride, (size_t)runs};
    return true;
}

bool extent_of_matrix(const struct blas_matrix *matrix, size_t element_bytes, struct extent *extent)
{
    return make_extent(matrix->pointer, matrix->rows, matrix->ld, matrix->columns, element_bytes, extent);
}

bool extent_of_vector(const struct blas_vector *vector, size_t element_bytes, struct extent *extent)
{
    if (vector->increment == INT64_MIN)
        return false;
    int64_t stride = vector->increment < 0 ? -vector->increment : vector->increment;
    if (stride == 1)
        return make_extent(vector->pointer, vector->length, 1, 1, element_bytes, extent);
    return make_extent(vector->pointer, 1, stride, vector->length, element_bytes, extent);
}

static uintptr_t extent_end(const struct extent *extent)
{
    return extent->start + extent->stride * (extent->runs - 1) + extent->run_bytes;
}

static __int128 floor_divide(__int128 value, __int128 divisor)
{
    __int128 quotient = value / divisor;
    return quotient * divisor > value ? quotient - 1 : quotient;
}

/* With one stride s, run i of the first meets run j of the second exactly when
 * distance - first's bytes < (i - j) * s < distance + second's bytes, distance
 * being from the first's start to the second's. Is there such an i - j? */
static bool runs_meet(const struct extent *first, const struct extent *second, size_t stride)
{
    __int128 distance = (__int128)second->start - (__int128)first->start;
    __int128 lowest = floor_divide(distance - (__int128)first->run_bytes, stride) + 1;
    __int128 highest = floor_divide(distance + (__int128)second->run_bytes - 1, stride);
    if (lowest < 1 - (__int128)second->runs)
        lowest = 1 - (__int128)second->runs;
    if (highest > (__int128)first->runs - 1)
        highest = (__int128)first->runs - 1;
    return lowest <= highest;
}

bool extents_overlap(const struct extent *first, const struct extent *second)
{
    if (!first->runs || !second->runs || first->start >= extent_end(second) ||
        second->start >= extent_end(first))
        return false;
    size_t stride = first->runs > 1 ? first->stride : second->stride;
    bool comparable = first->runs == 1 || second->runs == 1 || first->stride == second->stride;
    return !comparable || stride == 0 || runs_meet(first, second, stride);
}

void operand_extents_add_matrix(struct operand_extents *operands, const struct blas_matrix *matrix,
                                size_t element_bytes)
{
    if (!extent_of_matrix(matrix, element_bytes, &operands->of[operands->count++]))
        operands->lacks_one = true;
}

static void operand_extents_add_vector(struct operand_extents *operands, const struct blas_vector *vector,
                                       size_t element_bytes)
{
    if (!extent_of_vector(vector, element_bytes, &operands->of[operands->count++]))
        operands->lacks_one = true;
}

void operand_extents_add_array(struct operand_extents *operands, void *array, int64_t length,
                               size_t element_bytes)
{
    const struct blas_vector vector = {.pointer = array, .length = length, .increment = 1};
    operand_extents_add_vector(operands, &vector, element_bytes);
}

bool operand_extents_meet(const struct operand_extents *operands)
{
    for (int i = 0; i < operands->count && !operands->lacks_one; i++)
        for (int j = 0; j < i; j++)
            if (extents_overlap(&operands->of[i], &operands->of[j]))
                return true;
    return operands->lacks_one;
}

/* The output first. */
static struct operand_extents operands_of(const struct blas_call *call)
{
    const struct blas_signature *signature = &blas_families[call->family].signature;
    const size_t element = blas_element_bytes(call->type);
    struct operand_extents operands = {.count = 0};
    for (int i = 0; i < signature->operand_count; i++) {
        const enum blas_argument argument = (enum blas_argument)signature->operands[i].argument;
        const struct blas_vector *vector = call_vector(call, argument);
        if (vector)
            operand_extents_add_vector(&operands, vector, element);
        else
            operand_extents_add_matrix(&operands, call_matrix(call, argument), element);
    }
    return operands;
}

bool overlap_is_forbidden(const struct blas_call *call)
{
    const struct operand_extents operands = operands_of(call);
    const struct extent *output = &operands.of[0];
    if (operands.lacks_one || output->stride == 0)
        return true;
    for (int i = 1; i < operands.count; i++)
        if (extents_overlap(output, &operands.of[i]))
            return true;
    return false;
}

static void flip_uplo(struct blas_call *call)
{
    call->uplo = call->uplo == UPLO_UPPER ? UPLO_LOWER : UPLO_UPPER;
}

static void exchange_sizes(struct blas_call *call)
{
    const int64_t m = call->m;
    call->m = call->n;
    call->n = m;
}

/* C^T = op(B)^T op(A)^T: the factors change places; in columns op(A)^T is op of what is stored. */
static void exchange_factors(struct blas_call *call)
{
    const struct blas_matrix a = call->a;
    const enum blas_trans trans = call->trans;
    call->a = call->b;
    call->b = a;
    call->trans = call->trans_b;
    call->trans_b = trans;
}

/* A A^H in rows is A^H A in columns; an illegal transposition stays one. */
static void exchange_adjoint(struct blas_call *call)
{
    if (call->trans != TRANS_TRANSPOSE)
        call->trans = call->trans == TRANS_NONE ? TRANS_CONJUGATE : TRANS_NONE;
}

void pack_row_major(struct blas_call *call)
{
    static const enum blas_trans transposed[] = {
        [TRANS_NONE] = TRANS_TRANSPOSE,
        [TRANS_TRANSPOSE] = TRANS_NONE,
        [TRANS_CONJUGATE] = TRANS_CONJUGATE_ONLY,
        [TRANS_CONJUGATE_ONLY] = TRANS_CONJUGATE,
    };
    switch (blas_full_family(call->family)) {
    case FAMILY_GEMV:
        exchange_sizes(call);
        call->trans = transposed[call->trans];
        break;
    case FAMILY_HEMV: /* the transpose of a Hermitian matrix is its conjugate */
        call->conjugated = !call->conjugated;
        flip_uplo(call);
        break;
    case FAMILY_TRMV:
    case FAMILY_SYRK:
    case FAMILY_SYR2K:
        call->trans = transposed[call->trans];
        flip_uplo(call);
        break;
    case FAMILY_HER2K: /* of alpha A B^H the transpose is alpha conj(B) A^T */
        call->conjugated = true;
        exchange_adjoint(call);
        flip_uplo(call);
        break;
    case FAMILY_HERK:
        exchange_adjoint(call);
        flip_uplo(call);
        break;
    case FAMILY_SYMV:
        flip_uplo(call);
        break;
    case FAMILY_GEMM:
        exchange_sizes(call);
        exchange_factors(call);
        break;
    case FAMILY_SYMM:
    case FAMILY_HEMM:
    case FAMILY_TRMM:
    case FAMILY_TRSM:
        exchange_sizes(call);
        call->side = call->side == SIDE_LEFT ? SIDE_RIGHT : SIDE_LEFT;
        flip_uplo(call);
        break;
    default: break;
    }
}

static bool operand_is_legal(const struct blas_call *call, enum blas_argument argument)
{
    const struct blas_vector *vector = call_vector(call, argument);
    const struct blas_matrix *matrix = call_matrix(call, argument);
    return vector ? vector->length > 0 && vector->increment != 0
                  : matrix->rows > 0 && matrix->columns > 0 && matrix->ld >= matrix->rows;
}

/* Rank-k updates take A and A^T, or A and A^H, never all three. */
static bool trans_is_legal(const struct blas_call *call, enum blas_transpositions transpositions)
{
    return transpositions == TRANSPOSE_ANY || call->trans == TRANS_NONE ||
           call->trans == (transpositions == TRANSPOSE_PLAIN ? TRANS_TRANSPOSE : TRANS_CONJUGATE);
}

bool pack_legal(struct blas_call *call)
{
    const struct blas_signature *signature = &blas_families[call->family].signature;
    bool is_legal = trans_is_legal(call, (enum blas_transpositions)signature->transpositions);
    call_set_shapes(call);
    for (int i = 0; i < signature->operand_count && is_legal; i++)
        is_legal = operand_is_legal(call, (enum blas_argument)signature->operands[i].argument);
    return is_legal;
}

/* Conjugates a scalar of a complex type. */
static void conjugate_scalar(enum blas_type type, union blas_scalar *scalar)
{
    if (type == TYPE_C)
        scalar->c[1] = -scalar->c[1];
    else if (type == TYPE_Z)
        scalar->z[1] = -scalar->z[1];
}

/* An infinite alpha is the host's: alpha * x makes a NaN of every zero in x, which
 * mublas, multiplying the sums by alpha, would not see. */
bool pack_scalars(struct blas_call *call)
{
    if (call->family == FAMILY_HER2K && call->conjugated)
        conjugate_scalar(call->type, &call->alpha);
    if (call->family != FAMILY_TRMV &&
        (blas_scalar_is_zero(call->type, call->alpha) || blas_scalar_is_infinite(call->type, call->alpha)))
        return false;
    return !overlap_is_forbidden(call);
}
