#include "common/own_thread.h"
#include "lapack/route.h"
#include "mirror/host_memory/mapping.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* Compares numbers by their upper 32 bits without the sign: of a double the exponent and 20 bits more. */
typedef int32_t words __attribute__((vector_size(16), aligned(4), may_alias));

static int32_t larger(int32_t one, int32_t other)
{
    return one > other ? one : other;
}

/* `bytes` is a multiple of a number's. */
static int32_t largest_of_rest(const unsigned char *bytes, size_t count, bool is_single)
{
    const size_t step = is_single ? 4 : 8;
    int32_t largest = 0, word;
    for (size_t i = 0; i < count; i += step) {
        memcpy(&word, bytes + i + step - 4, sizeof word);
        largest = larger(largest, word & INT32_MAX);
    }
    return largest;
}

/* Four vectors at a time hide the latency of a comparison and a choice. */
static int32_t largest_of(const unsigned char *bytes, size_t count, bool is_single)
{
    enum { VECTORS = 4, STEP = VECTORS * sizeof(words) };
    const words mask = {is_single ? INT32_MAX : 0, INT32_MAX, is_single ? INT32_MAX : 0, INT32_MAX};
    words largest[VECTORS] = {{0}};
    size_t i = 0;
    for (; i + STEP <= count; i += STEP)
        for (int v = 0; v < VECTORS; v++) {
            const words word = *(const words *)(const void *)(bytes + i + (size_t)v * sizeof(words)) & mask;
            const words is_larger = word > largest[v];
            largest[v] = (word & is_larger) | (largest[v] & ~is_larger);
        }
    int32_t all = largest_of_rest(bytes + i, count - i, is_single);
    for (int v = 0; v < VECTORS; v++)
        for (int lane = 0; lane < 4; lane++)
            all = larger(all, largest[v][lane]);
    return all;
}

/* A matrix whose columns several threads check, each thread a part. */
struct look {
    struct blas_matrix matrix;
    enum blas_type type;
    int64_t columns_each;
    _Atomic int32_t largest;
};

static int32_t largest_in_column(const struct look *look, int64_t column)
{
    const struct blas_matrix *const matrix = &look->matrix;
    const size_t element = blas_element_bytes(look->type);
    const int64_t first = matrix->part == PART_LOWER ? column : 0;
    const int64_t end = matrix->part == PART_UPPER && column + 1 < matrix->rows ? column + 1 : matrix->rows;
    const unsigned char *const bytes =
        (const unsigned char *)matrix->pointer + (size_t)column * (size_t)matrix->ld * element;
    if (first >= end)
        return 0;
    return largest_of(bytes + (size_t)first * element, (size_t)(end - first) * element,
                      blas_is_single(look->type));
}

static void columns_of(const struct look *look, unsigned part, int64_t *begin, int64_t *end)
{
    const int64_t all = look->matrix.columns;
    *begin = (int64_t)part * look->columns_each;
    *end = *begin + look->columns_each < all ? *begin + look->columns_each : all;
}

/* For a helper. */
static bool part_is_reachable(void *context, unsigned part)
{
    const struct look *const look = context;
    const struct blas_matrix *const matrix = &look->matrix;
    const size_t element = blas_element_bytes(look->type), ld = (size_t)matrix->ld * element;
    int64_t begin, end;
    columns_of(look, part, &begin, &end);
    struct memory_rows rows = {.first = (uintptr_t)matrix->pointer + (size_t)begin * ld,
                               .pitch = (ptrdiff_t)ld,
                               .rows = (size_t)(end - begin), .end = (size_t)matrix->rows * element,
                               .high = SIZE_MAX};
    if (matrix->part == PART_LOWER) {
        rows.low = (size_t)begin * element;
        rows.low_step = element;
    } else if (matrix->part == PART_UPPER) {
        rows.high = (size_t)(begin + 1) * element;
        rows.high_step = element;
    }
    return memory_reach_allows(&rows, false);
}

static void look_at_part(void *context, unsigned part)
{
    struct look *const look = context;
    int64_t begin, end;
    columns_of(look, part, &begin, &end);
    int32_t largest = 0, before = atomic_load(&look->largest);
    for (int64_t column = begin; column < end; column++)
        largest = larger(largest, largest_in_column(look, column));
    while (before < largest && !atomic_compare_exchange_weak(&look->largest, &before, largest))
        continue;
}

/* One thread reads memory at a fraction of the machine's speed. */
static int32_t largest_in(const struct blas_matrix *matrix, enum blas_type type)
{
    enum { PART_BYTES = 1 << 20, HELPERS_MOST = 7 };
    const size_t column_bytes = (size_t)matrix->rows * blas_element_bytes(type);
    struct look look = {
        .matrix = *matrix, .type = type, .columns_each = (int64_t)(PART_BYTES / (column_bytes + 1)) + 1};
    const unsigned parts = (unsigned)((matrix->columns + look.columns_each - 1) / look.columns_each);
    const int wanted = parts > 1 ? job_helpers_wanted() : 0;
    const struct job job = {.work = look_at_part, .may = part_is_reachable, .context = &look,
                            .context_bytes = sizeof look, .parts = parts};
    job_helpers_run(&job, wanted < HELPERS_MOST ? wanted : HELPERS_MOST);
    return look.largest;
}

static int32_t upper_word(double number, bool is_single)
{
    const float single = (float)number;
    int32_t word;
    if (is_single) {
        memcpy(&word, &single, sizeof word);
        return word;
    }
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (int32_t)(bits >> 32);
}

/* RMIN and RMAX of dsyevr and ssyevr, a little inside. */
bool route_values_largest_is_safe(uint32_t upper, enum blas_type type)
{
    const bool is_single = blas_is_single(type);
    return upper >= (uint32_t)upper_word(is_single ? 2e-15 : 2e-146, is_single) &&
           upper < (uint32_t)upper_word(is_single ? 2e9 : 5e76, is_single);
}

bool route_values_are_safe(const struct blas_matrix *matrix, enum blas_type type)
{
    return route_values_largest_is_safe((uint32_t)largest_in(matrix, type), type);
}

bool route_values_largest_is_finite(uint32_t upper, enum blas_type type)
{
    return upper < (blas_is_single(type) ? 0x7f800000u : 0x7ff00000u);
}

bool route_values_of_matrix_are_finite(const struct blas_matrix *matrix, enum blas_type type)
{
    return route_values_largest_is_finite((uint32_t)largest_in(matrix, type), type);
}

static bool is_nonzero(const void *elements, int64_t place, enum blas_type type, bool is_to_be_real)
{
    const size_t element = blas_element_bytes(type);
    union blas_scalar scalar;
    memcpy(&scalar, (const unsigned char *)elements + (size_t)place * element, element);
    return !blas_scalar_is_zero(type, scalar) &&
           !(is_to_be_real && blas_scalar_parts(type) == 2 && blas_scalar_bits(type, &scalar, 1) != 0);
}

bool route_values_diagonal_is_nonzero(const struct blas_matrix *matrix, enum blas_type type,
                                      bool is_to_be_real)
{
    for (int64_t i = 0; i < matrix->columns && i < matrix->rows; i++)
        if (!is_nonzero(matrix->pointer, i * matrix->ld + i, type, is_to_be_real))
            return false;
    return true;
}

bool route_values_packed_diagonal_is_nonzero(const void *packed, enum blas_part part, int64_t n,
                                             enum blas_type type, bool is_to_be_real)
{
    for (int64_t i = 0; i < n; i++)
        if (!is_nonzero(packed, packed_diagonal(part, n, i), type, is_to_be_real))
            return false;
    return true;
}

bool route_values_are_finite(const void *numbers, int64_t count, enum blas_type type)
{
    const bool is_single = blas_is_single(type);
    return route_values_largest_is_finite(
        (uint32_t)largest_of(numbers, (size_t)count * (is_single ? 4 : 8), is_single), type);
}
