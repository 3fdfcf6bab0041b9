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

void operand_extents_add_vector(struct operand_extents *operands, const struct blas_vector *vector,
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
    const size_t element = blas_element_bytes(call->type);
    const bool is_update = call->family == FAMILY_SYRK || call->family == FAMILY_HERK;
    struct operand_extents operands = {.count = 0};
    if (blas_is_level3(call)) {
        operand_extents_add_matrix(&operands, &call->c, element);
        operand_extents_add_matrix(&operands, &call->a, element);
        if (!is_update && !blas_is_in_place(call))
            operand_extents_add_matrix(&operands, &call->b, element);
        return operands;
    }
    if (call->family != FAMILY_TRMV)
        operand_extents_add_vector(&operands, &call->y, element);
    operand_extents_add_vector(&operands, &call->x, element);
    if (call->family != FAMILY_AXPY)
        operand_extents_add_matrix(&operands, &call->a, element);
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
