/* lapack.h - the part of `mublas verify` that checks LAPACK's routines. A process under the shim makes the
 * calls; this one, without the shim, makes the same calls on the host's LAPACK and compares values.
 *
 * dense.c judges the results: elements of any type as complex numbers in double precision, and small dense
 * matrices of these, without gaps between columns. reflectors.c judges QR factors and tridiagonal forms by
 * Householder reflectors as LAPACK stores them, and their product, a unitary matrix. */
#ifndef MUBLAS_LAPACK_H
#define MUBLAS_LAPACK_H

#include "command/routine_call.h"
#include "common/blas_call.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* An element of any type. */
struct number {
    double re, im;
};

static inline void number_put(enum blas_type type, char *elements, int64_t index, struct number value)
{
    switch (type) {
    case TYPE_S: ((float *)elements)[index] = (float)value.re; break;
    case TYPE_D: ((double *)elements)[index] = value.re; break;
    case TYPE_C:
        ((float *)elements)[2 * index] = (float)value.re;
        ((float *)elements)[2 * index + 1] = (float)value.im;
        break;
    case TYPE_Z:
        ((double *)elements)[2 * index] = value.re;
        ((double *)elements)[2 * index + 1] = value.im;
        break;
    case TYPE_W:
    case TYPE_COUNT: break; /* of no Fortran routine */
    }
}

static inline struct number number_get(enum blas_type type, const char *elements, int64_t index)
{
    const float *singles = (const float *)elements;
    const double *doubles = (const double *)elements;
    switch (type) {
    case TYPE_S: return (struct number){singles[index], 0};
    case TYPE_D: return (struct number){doubles[index], 0};
    case TYPE_C: return (struct number){singles[2 * index], singles[2 * index + 1]};
    case TYPE_Z: return (struct number){doubles[2 * index], doubles[2 * index + 1]};
    case TYPE_W:
    case TYPE_COUNT: break; /* of no Fortran routine */
    }
    return (struct number){0, 0};
}

/* An element of an array of real numbers of the type's precision. */
static inline double number_real(enum blas_type type, const void *reals, int64_t index)
{
    return blas_is_single(type) ? (double)((const float *)reals)[index] : ((const double *)reals)[index];
}

/* |re| + |im|, as LAPACK's testers measure. */
static inline double number_size(struct number value)
{
    return fabs(value.re) + fabs(value.im);
}

/* The index of element i of a vector in its memory. */
static inline int64_t vector_index(const struct blas_vector *vector, int64_t i)
{
    return vector->increment > 0 ? i * vector->increment : (i + 1 - vector->length) * vector->increment;
}

static inline bool matrix_has(const struct blas_matrix *matrix, int64_t i, int64_t j)
{
    return matrix->part == PART_FULL || (matrix->part == PART_LOWER ? i >= j : i <= j);
}

/* True when the routine has a beta and it is 0: it writes results without reading them. */
static inline bool is_overwritten(const struct blas_call *call)
{
    return call->family != FAMILY_TRMV && call->family != FAMILY_AXPY && !blas_is_in_place(call) &&
           blas_scalar_is_zero(call->type, call->beta);
}

/* dense.c has the functions of matrices; those above stand alone. */

/* c = op(a) b: op(a) has `rows` rows, and n terms make each sum. */
void dense_multiply(bool adjoint, int64_t n, int64_t rows, int64_t columns, const struct number *a,
                    const struct number *b, struct number *c);

/* from -= what, each column times its w (NULL: 1). */
void dense_subtract(struct number *from, const struct number *what, const double *w, int64_t rows,
                    int64_t columns);

/* The largest sum of a column's moduli; NaN if an element is NaN. */
double dense_norm(int64_t rows, int64_t columns, const struct number *matrix);

/* The larger of two; NaN is larger than any number. */
double dense_worse(double a, double b);

double dense_ulp(enum blas_type type); /* LAPACK's: eps * base */

bool dense_is_in_triangle(char uplo, int64_t i, int64_t j); /* L, U, or F: everywhere */

/* Copies the elements of a triangle, or all, and zeros elsewhere. `unit`: ones on the diagonal. */
void dense_take(enum blas_type type, char uplo, bool unit, int64_t rows, int64_t columns, const char *matrix,
                int64_t ld, struct number *to);

/* Makes the n x n Hermitian matrix with this triangle. */
void dense_take_hermitian(enum blas_type type, char uplo, int64_t n, const char *matrix, int64_t ld,
                          struct number *to);

bool dense_diagonal_is_real(enum blas_type type, int64_t n, const char *matrix, int64_t ld);

/* Makes the other triangle the adjoint of this one. */
void dense_complete(char uplo, int64_t n, struct number *matrix);

/* to = L L* or U* U; turns `factor` into its adjoint if it is L. */
void dense_multiply_factor(char uplo, int64_t n, struct number *factor, struct number *to);

void dense_set_identity(int64_t rows, int64_t columns, struct number *to);

/* Transposes a square matrix, or transposes and conjugates it. */
void dense_transpose(bool conjugate, int64_t n, struct number *matrix);

/* The norm of X* X - I; X has `rows` rows. */
double dense_orthogonality(int64_t rows, int64_t columns, const struct number *x, struct number *product);

/* The arrays of struct lapack_arguments. A vector is one column; elements of w, e and scale are real numbers,
 * those of tau have the routine's type, those of ipiv are integers. */
enum verify_array {
    ARRAY_A, ARRAY_B, ARRAY_Z, ARRAY_W, ARRAY_E, ARRAY_TAU, ARRAY_SCALE, ARRAY_IPIV, VERIFY_ARRAYS
};

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
    bool (*choose_call)(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments);
    /* Fills what the call reads, in arrays that hold NaN if `poisoned`, else zeros. */
    void (*fill_arrays)(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
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

/* verify_eigen, ...: those that the kinds in routines.def name. eigen.c has verify_standard and
 * verify_tridiagonal, too, factor.c verify_orthogonal, general.c verify_singular. */
#define LAPACK_KIND(NAME, methods, check) extern const struct verify_lapack_kind verify_##check;
#include "common/routines.def"

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

/* The place of reflectors: below the diagonal of QR factors, or below the subdiagonal or above the
 * superdiagonal of a tridiagonal form. */
enum reflector_form { REFLECTORS_QR, REFLECTORS_LOWER, REFLECTORS_UPPER };

/* H(j) = I - tau v v*; their product is H(1) ... H(count), or with REFLECTORS_UPPER H(count) ... H(1). */
struct reflectors {
    enum reflector_form form;
    int64_t order, count;
    struct number *v, *tau; /* order x count with ones and zeros, and count; the caller's memory */
};

/* Writes random vectors to their place in the matrix, and scalars that make each H(j) unitary and, for
 * complex types, not Hermitian. */
void reflectors_fill(const struct reflectors *reflectors, enum blas_type type, char *a, int64_t ld, char *tau,
                     uint64_t *seed);

/* The rest is of the routines that verify_orthogonal checks. */
enum { ORTHOGONAL_NRHS = 5 };

/* geqrf and sytrd; orgqr and orgtr; ormqr and ormtr; gels. */
enum orthogonal_work { ORTHOGONAL_FACTORISES, ORTHOGONAL_MAKES, ORTHOGONAL_APPLIES, ORTHOGONAL_SOLVES };
enum orthogonal_work orthogonal_work_of(const struct lapack_routine *routine);

/* False: it belongs to QR. */
bool orthogonal_is_tridiagonal(const struct lapack_routine *routine);

/* The form and sizes of a call's reflectors, with the memory for vectors and scalars. */
struct reflectors orthogonal_reflectors(const struct lapack_routine *routine,
                                        const struct lapack_arguments *arguments, struct number *v,
                                        struct number *tau);

/* The method `error` of struct verify_lapack_kind. */
double orthogonal_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                        const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH]);

#endif
