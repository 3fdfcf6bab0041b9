#include "interpose/entries/overlap.h"

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
    if (!first->runs || !second->runs || first->start >= extent_end(second) || second->start >= extent_end(first))
        return false;
    size_t stride = first->runs > 1 ? first->stride : second->stride;
    bool comparable = first->runs == 1 || second->runs == 1 || first->stride == second->stride;
    return !comparable || stride == 0 || runs_meet(first, second, stride);
}

/* The operands of a call, the output first. */
struct operand_extents {
    struct extent extents[3];
    int count;
    size_t element_bytes;
};

static bool add_matrix(struct operand_extents *operands, const struct blas_matrix *matrix)
{
    return extent_of_matrix(matrix, operands->element_bytes, &operands->extents[operands->count++]);
}

static bool add_vector(struct operand_extents *operands, const struct blas_vector *vector)
{
    return extent_of_vector(vector, operands->element_bytes, &operands->extents[operands->count++]);
}

static bool add_operands(struct operand_extents *operands, const struct blas_call *call)
{
    switch (call->family) {
    case FAMILY_AXPY: return add_vector(operands, &call->y) && add_vector(operands, &call->x);
    case FAMILY_GEMV:
    case FAMILY_SYMV:
    case FAMILY_HEMV:
        return add_vector(operands, &call->y) && add_matrix(operands, &call->a) && add_vector(operands, &call->x);
    case FAMILY_TRMV: return add_vector(operands, &call->x) && add_matrix(operands, &call->a);
    case FAMILY_GEMM:
    case FAMILY_SYMM:
    case FAMILY_HEMM:
    case FAMILY_SYR2K:
    case FAMILY_HER2K:
        return add_matrix(operands, &call->c) && add_matrix(operands, &call->a) && add_matrix(operands, &call->b);
    case FAMILY_SYRK:
    case FAMILY_HERK:
    case FAMILY_TRMM:
    case FAMILY_TRSM:
        return add_matrix(operands, &call->c) && add_matrix(operands, &call->a);
    case FAMILY_COUNT: break;
    }
    return false;
}

bool overlap_is_forbidden(const struct blas_call *call)
{
    struct operand_extents operands = {.element_bytes = blas_element_bytes(call->type)};
    if (!add_operands(&operands, call))
        return true;
    const struct extent *output = &operands.extents[0];
    if (output->stride == 0)
        return true;
    for (int i = 1; i < operands.count; i++)
        if (extents_overlap(output, &operands.extents[i]))
            return true;
    return false;
}
