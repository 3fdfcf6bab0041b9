#include "command/verify/parallel_content.h"
#include "lapack/families.h"

static enum parallel_content of_factor(int family, char letter)
{
    if (letter == 'B')
        return CONTENT_ANY;
    return family == LAPACK_POTRF ? CONTENT_DEFINITE : family == LAPACK_GETRF ? CONTENT_PIVOTED : CONTENT_FACTOR;
}

static enum parallel_content of_product(int family, char letter)
{
    const bool is_triangular = family == FAMILY_TRSM || family == FAMILY_TRMM;
    if (letter == 'A' && is_triangular)
        return CONTENT_FACTOR;
    const bool is_hermitian = (letter == 'A' && family == FAMILY_HEMM) || (letter == 'C' && family == FAMILY_HERK);
    return is_hermitian ? CONTENT_HERMITIAN : CONTENT_ANY;
}

enum parallel_content parallel_content_of(const struct parallel_routine *routine, char letter)
{
    switch (routine->kind) {
    case KIND_EIGEN: return letter == 'B' ? CONTENT_DEFINITE : CONTENT_HERMITIAN;
    case KIND_FACTOR: return of_factor(routine->family, letter);
    case KIND_REDUCTION: return letter == 'B' ? CONTENT_FACTOR : CONTENT_HERMITIAN;
    case KIND_PRODUCT: return of_product(routine->family, letter);
    }
    return CONTENT_ANY;
}

static double mix(uint64_t *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)(int64_t)(z ^ (z >> 31)) / 0x1p63;
}

/* Between -1 and 1. */
static struct number any(const struct parallel_problem *problem, char letter, int64_t i, int64_t j)
{
    uint64_t seed = ((uint64_t)i << 40) ^ ((uint64_t)j << 20) ^ ((uint64_t)letter << 8) ^ (uint64_t)problem->number;
    struct number value;
    value.re = mix(&seed);
    value.im = blas_is_complex(problem->routine->type) ? mix(&seed) : 0;
    return value;
}

static struct number hermitian(const struct parallel_problem *problem, char letter, int64_t i, int64_t j)
{
    struct number value = any(problem, letter, i < j ? i : j, i < j ? j : i);
    value.im = i == j ? 0 : i < j ? -value.im : value.im;
    return value;
}

static struct number scaled(struct number value, double by)
{
    return (struct number){value.re * by, value.im * by};
}

/* Definite ones and factors are close to a multiple of the identity; one that is pivoted has its large
 * elements on the other diagonal. */
struct number parallel_content_element(const struct parallel_problem *problem, const struct parallel_array *array,
                                       int64_t i, int64_t j)
{
    const char letter = array->signature->letter;
    const double small = 1.0 / (array->rows > array->columns ? array->rows : array->columns);
    struct number value;
    switch (array->content) {
    case CONTENT_HERMITIAN: return hermitian(problem, letter, i, j);
    case CONTENT_DEFINITE:
        value = scaled(hermitian(problem, letter, i, j), small);
        value.re += i == j ? 2 : 0;
        return value;
    case CONTENT_FACTOR:
        value = scaled(any(problem, letter, i, j), small);
        return i == j ? (struct number){1.5 + value.re, 0} : value;
    case CONTENT_PIVOTED:
        value = scaled(any(problem, letter, i, j), small);
        value.re += i == array->columns - 1 - j ? 2 : 0;
        return value;
    case CONTENT_ANY: break;
    }
    return any(problem, letter, i, j);
}
