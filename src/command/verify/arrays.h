/* arrays.h - the arrays of a LAPACK call that `mublas verify` makes, and which parts of them are results. */
#ifndef MUBLAS_VERIFY_ARRAYS_H
#define MUBLAS_VERIFY_ARRAYS_H

#include "command/lapack_call.h"
#include "command/verify/numbers.h"

/* The arrays of struct lapack_arguments. A vector is one column; elements of w and e are real numbers, those
 * of tau have the routine's type, those of ipiv are integers. */
enum verify_array { ARRAY_A, ARRAY_B, ARRAY_Z, ARRAY_W, ARRAY_E, ARRAY_TAU, ARRAY_IPIV, VERIFY_ARRAYS };

/* The part of an array that may be written: the first rows of the first columns, or a triangle of these. All
 * zero: nothing. */
struct verify_part {
    int64_t rows, columns;
    char uplo; /* 0: all */
    bool but_diagonal;
    bool is_free; /* what the call leaves there is no result */
};

struct verify_parts {
    struct verify_part of[VERIFY_ARRAYS];
};

/* Sets all bytes of all arrays to 0xff, which is NaN, or to 0. */
void verify_arrays_set(const struct lapack_routine *routine, struct lapack_arguments *arguments,
                       bool poisoned);

/* True when both are equal outside these parts. */
bool verify_arrays_kept(const struct lapack_routine *routine, const struct lapack_arguments *after,
                        const struct lapack_arguments *before, const struct verify_parts *parts);

/* The memory of an array, the bytes of an element and of a column, and the number of columns. */
struct verify_place {
    char *memory;
    size_t element, column;
    int64_t columns;
};
struct verify_place verify_arrays_place(const struct lapack_routine *routine,
                                        const struct lapack_arguments *arguments, enum verify_array array);
bool verify_part_has(const struct verify_part *part, int64_t i, int64_t j);

/* The seed of a call: arguments of the same routine and call number get the same numbers. */
uint64_t verify_arrays_seed(const struct lapack_routine *routine, int number);
struct number verify_random(uint64_t *seed); /* real and imaginary part between -1 and 1 */
void verify_fill_random(enum blas_type type, int64_t rows, int64_t columns, char *matrix, int64_t ld,
                        uint64_t *seed);
/* A triangle of a Hermitian matrix; `poisoned`: the diagonal has imaginary parts, which nobody may use. */
void verify_fill_hermitian(enum blas_type type, char uplo, int64_t n, char *matrix, int64_t ld, bool poisoned,
                           uint64_t *seed);
/* A triangle close to the identity, so that it is well conditioned; `unit`: without its diagonal. */
void verify_fill_triangle(enum blas_type type, char uplo, bool unit, int64_t n, char *matrix, int64_t ld,
                          uint64_t *seed);

#endif
