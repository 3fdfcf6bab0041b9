#include "command/verify/arrays.h"
#include "command/random_flags.h"
#include "command/verify/dense.h"

#include <string.h>

enum element { ELEMENT, REAL, INTEGER };

/* `ld` is 0 for a vector. */
static const struct {
    size_t pointer, ld;
    enum element element;
} arrays[VERIFY_ARRAYS] = {
#define AT(name) offsetof(struct lapack_arguments, name)
    [ARRAY_A] = {AT(a), AT(lda), ELEMENT}, [ARRAY_B] = {AT(b), AT(ldb), ELEMENT},
    [ARRAY_Z] = {AT(z), AT(ldz), ELEMENT}, [ARRAY_W] = {AT(w), 0, REAL},
    [ARRAY_E] = {AT(e), 0, REAL},          [ARRAY_TAU] = {AT(tau), 0, ELEMENT},
    [ARRAY_IPIV] = {AT(ipiv), 0, INTEGER},
#undef AT
};

struct verify_place verify_arrays_place(const struct lapack_routine *routine,
                                        const struct lapack_arguments *arguments, enum verify_array array)
{
    const char *const base = (const char *)arguments;
    const size_t whole = blas_element_bytes(routine->type),
                 real = whole / (size_t)blas_scalar_parts(routine->type);
    const int64_t columns = lapack_arguments_columns(arguments);
    const size_t bytes[] = {[ELEMENT] = whole, [REAL] = real, [INTEGER] = lapack_integer_bytes()};
    struct verify_place place = {.element = bytes[arrays[array].element], .columns = 1,
                                 .column = (size_t)columns * LAPACK_ELEMENT_MOST};
    memcpy(&place.memory, base + arrays[array].pointer, sizeof place.memory);
    if (arrays[array].ld) {
        int64_t ld;
        memcpy(&ld, base + arrays[array].ld, sizeof ld);
        place.column = (size_t)ld * whole;
        place.columns = columns;
    }
    return place;
}

void verify_arrays_set(const struct lapack_routine *routine, struct lapack_arguments *arguments,
                       bool poisoned)
{
    for (int i = 0; i < VERIFY_ARRAYS; i++) {
        const struct verify_place place = verify_arrays_place(routine, arguments, (enum verify_array)i);
        memset(place.memory, poisoned ? 0xff : 0, (size_t)place.columns * place.column);
    }
}

bool verify_part_has(const struct verify_part *part, int64_t i, int64_t j)
{
    return i < part->rows && j < part->columns && (!part->uplo || dense_is_in_triangle(part->uplo, i, j)) &&
           !(part->but_diagonal && i == j);
}

bool verify_arrays_kept(const struct lapack_routine *routine, const struct lapack_arguments *after,
                        const struct lapack_arguments *before, const struct verify_parts *parts)
{
    for (int array = 0; array < VERIFY_ARRAYS; array++) {
        const struct verify_place now = verify_arrays_place(routine, after, (enum verify_array)array),
                                  then = verify_arrays_place(routine, before, (enum verify_array)array);
        const struct verify_part *const part = &parts->of[array];
        for (int64_t j = 0; j < then.columns; j++)
            for (size_t at = 0; at < then.column; at += then.element) {
                const size_t place = (size_t)j * then.column + at;
                if (!verify_part_has(part, (int64_t)(at / then.element), j) &&
                    memcmp(now.memory + place, then.memory + place, then.element) != 0)
                    return false;
            }
    }
    return true;
}

uint64_t verify_arrays_seed(const struct lapack_routine *routine, int number)
{
    return (uint64_t)number + 1000 * (uint64_t)routine->type;
}

struct number verify_random(uint64_t *seed)
{
    const double re = 2 * random_part(seed) - 1, im = 2 * random_part(seed) - 1;
    return (struct number){re, im};
}

void verify_fill_random(enum blas_type type, int64_t rows, int64_t columns, char *matrix, int64_t ld,
                        uint64_t *seed)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            number_put(type, matrix, i + j * ld, verify_random(seed));
}

void verify_fill_hermitian(enum blas_type type, char uplo, int64_t n, char *matrix, int64_t ld, bool poisoned,
                           uint64_t *seed)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            struct number value = verify_random(seed);
            if (i == j)
                value.im = poisoned ? 1 : 0;
            if (dense_is_in_triangle(uplo, i, j))
                number_put(type, matrix, i + j * ld, value);
        }
}

void verify_fill_triangle(enum blas_type type, char uplo, bool unit, int64_t n, char *matrix, int64_t ld,
                          uint64_t *seed)
{
    const double factor = 0.5 / (double)n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const struct number value = verify_random(seed);
            if (dense_is_in_triangle(uplo, i, j) && !(unit && i == j))
                number_put(type, matrix, i + j * ld,
                           (struct number){factor * value.re + (i == j), i == j ? 0 : factor * value.im});
        }
}
