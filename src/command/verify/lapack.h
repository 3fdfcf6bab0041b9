/* lapack.h - the part of `mublas verify` that checks LAPACK's routines. A process under the shim makes the
 * calls; this one, without the shim, makes the same calls on the host's LAPACK and compares values. */
#ifndef MUBLAS_LAPACK_H
#define MUBLAS_LAPACK_H

#include "command/lapack_call.h"
#include "command/verify/dense.h"

#include <stdio.h>

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

struct number verify_random(uint64_t *seed); /* real and imaginary part between -1 and 1 */
void verify_fill_random(enum blas_type type, int64_t rows, int64_t columns, char *matrix, int64_t ld,
                        uint64_t *seed);
/* A triangle of a Hermitian matrix; `poisoned`: the diagonal has imaginary parts, which nobody may use. */
void verify_fill_hermitian(enum blas_type type, char uplo, int64_t n, char *matrix, int64_t ld, bool poisoned,
                           uint64_t *seed);
/* A triangle close to the identity, so that it is well conditioned; `unit`: without its diagonal. */
void verify_fill_triangle(enum blas_type type, char uplo, bool unit, int64_t n, char *matrix, int64_t ld,
                          uint64_t *seed);

enum { VERIFY_SCRATCH = 5, VERIFY_ORDERS = 4, VERIFY_ORDER_MOST = 130 };
static const int verify_orders[VERIFY_ORDERS] = {2, 33, 65, VERIFY_ORDER_MOST};

/* The methods by which a kind of routines is checked. The number of a call determines its flags, sizes and
 * arguments, so that processes agree on them. */
struct verify_lapack_kind {
    /* Chooses flags and sizes of the call. False: the kind has fewer calls. */
    bool (*choose)(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments);
    /* Fills what the call reads, in arrays that hold NaN if `poisoned`, else zeros. */
    void (*fill)(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                 struct lapack_arguments *arguments);
    /* Tells what the call may write. */
    void (*results)(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    struct verify_parts *parts);
    /* The largest error of the results, over the norms by which LAPACK's testers divide it. Each scratch
     * matrix is a square of the largest of the call's sizes. */
    double (*error)(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH]);
    /* NULL, or: copies the results that another LAPACK must find as well, up to rounding, and returns their
     * number, at most two a column. And the norm by which differences are divided. */
    int64_t (*values)(const struct lapack_routine *routine, const struct lapack_arguments *after,
                      double *values);
    double (*norm)(const struct lapack_routine *routine, const struct lapack_arguments *before,
                   struct number *scratch);
};

/* eigen.c has verify_standard and verify_tridiagonal, too, factor.c verify_orthogonal, general.c
 * verify_singular. */
extern const struct verify_lapack_kind verify_eigen, verify_factor, verify_general, verify_orthogonal,
    verify_singular, verify_standard, verify_tridiagonal;

/* Takes the next digit off a number that counts ways of calling. */
static inline int verify_digit(int *number, int radix)
{
    const int digit = *number % radix;
    *number /= radix;
    return digit;
}

const struct verify_lapack_kind *verify_lapack_kind_of(enum lapack_family family);

/* Makes the arguments of a call, and a copy. Free both by lapack_arguments_free in any case. */
enum verify_made { VERIFY_MADE, VERIFY_NO_MORE, VERIFY_NO_MEMORY };
enum verify_made verify_lapack_make(const struct lapack_routine *routine, int number, bool poisoned,
                                    struct lapack_arguments *after, struct lapack_arguments *before);

/* The test ratio of LAPACK's testers: the largest error in units of eps * order * norm (eps: 2^-23 or 2^-52).
 * Infinite if INFO is not 0 or memory is short. */
double verify_lapack_ratio(const struct lapack_routine *routine, const struct lapack_arguments *after,
                           const struct lapack_arguments *before);

/* Under the shim: the routines of `list` (names with commas between, NULL: all). Prints for each
 *   begin NAME
 *   values INFO COUNT NUMBER ...    for each call
 *   done NAME CALLS RATIO KEPT      as in verify.h
 * Returns the exit status. */
int verify_lapack_calls(const char *list);

/* Answers of a checking process for a routine of BLAS or LAPACK; calls 0: nothing. */
struct verify_outcome {
    bool begun, kept;
    int calls;
    double ratio;
};

/* Reads its answers, and calls the host's LAPACK with the same arguments. The ratio is at least that of their
 * difference. */
void verify_lapack_read(FILE *answers, const struct host_library *host, struct verify_outcome *outcomes);

#endif
