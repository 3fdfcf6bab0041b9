/* blas_call.h - one BLAS call, type-erased, and how much it reads, writes and computes.
 *
 * An entry point packs it, and every layer passes it on, with host pointers on the way in (interpose,
 * mirror), and device addresses in the copy handed to launch and level3. Column-major, Fortran conventions
 * (BLAS reference, netlib): a vector's pointer is the argument as passed, so with a negative increment the
 * first element is the last in memory. Sizes are 64-bit whatever the caller's width. */
#ifndef MUBLAS_BLAS_CALL_H
#define MUBLAS_BLAS_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FAMILY_AXPY, FAMILY_GEMV, ...: those of routines.def. Level 3 begins with FAMILY_GEMM. */
enum blas_family {
#define FAMILY(NAME, ...) FAMILY_##NAME,
#include "common/routines.def"
    FAMILY_COUNT
};
/* TYPE_W: double-double, two doubles hi and lo; in FAMILY_SYMV only, by the native API. */
enum blas_type { TYPE_S, TYPE_D, TYPE_C, TYPE_Z, TYPE_W, TYPE_COUNT };
enum blas_uplo { UPLO_LOWER, UPLO_UPPER };
/* op(A): A, its transpose, its conjugate transpose, conj(A) itself (what a row-major
 * caller's conjugate transpose is in columns). Real types use the first two only. */
enum blas_trans { TRANS_NONE, TRANS_TRANSPOSE, TRANS_CONJUGATE, TRANS_CONJUGATE_ONLY };
enum blas_diag { DIAG_NON_UNIT, DIAG_UNIT };
enum blas_side { SIDE_LEFT, SIDE_RIGHT };

/* Which elements of a matrix a routine may touch. */
enum blas_part { PART_FULL, PART_LOWER, PART_UPPER };

union blas_scalar {
    float s;
    double d;
    float c[2];
    double z[2];
    double w[2]; /* hi, lo */
    uint32_t single_bits[2];
    uint64_t double_bits[2];
};

struct blas_matrix {
    void *pointer; /* NULL: the routine has no such operand */
    int64_t rows, columns;
    int64_t ld; /* elements between columns, >= max(1, rows) */
    enum blas_part part;
};

/* The family whose problems the family's are, with the matrix in a square: itself, but for those in packed storage. */
static inline enum blas_family blas_full_family(enum blas_family family)
{
    static const unsigned char full[FAMILY_COUNT] = {
#define FAMILY(NAME, ...) FAMILY_##NAME,
#define PACKED_FAMILY(NAME, FULL, ...) FAMILY_##FULL,
#include "common/routines.def"
    };
    return family < FAMILY_COUNT ? (enum blas_family)full[family] : family;
}

struct blas_vector {
    void *pointer; /* NULL: the routine has no such operand */
    int64_t length;
    int64_t increment; /* elements, not 0 */
};

/* m, n, k as the routine's own arguments; unused ones are 0.
 *   axpy: n, alpha, x, y              y = alpha x + y
 *   gemv: m, n, trans, alpha, a, x, beta, y
 *   symv: n, uplo, alpha, a, x, beta, y
 *   hemv: as symv; the imaginary part of the diagonal is not read; `conjugated`: A is the
 *         conjugate of what is stored (a row-major caller's matrix read in columns)
 *   trmv: n, uplo, trans, diag, a, x  (on the device: x in, y out, see launch.h)
 *   gemm: m, n, k, trans, trans_b, alpha, a, b, beta, c
 *   symm, hemm: m, n, side, uplo, alpha, a, b, beta, c
 *   syrk, herk: n, k, uplo, trans, alpha, a, beta, c; herk's scalars are real (imaginary part 0)
 *   syr2k, her2k: n, k, uplo, trans, alpha, a, b, beta, c; her2k's beta is real;
 *         `conjugated`: alpha is to be the conjugate of what the caller passed
 *   trmm, trsm: m, n, side, uplo, trans, diag, alpha, a, c, which is the routine's B, read and
 *         written; b is empty */
struct blas_call {
    enum blas_family family;
    enum blas_type type;
    enum blas_uplo uplo;
    enum blas_trans trans, trans_b;
    enum blas_diag diag;
    enum blas_side side;
    bool conjugated;
    int64_t m, n, k;
    /* cuBLAS reads a complex scalar of 16 bytes at once, at a multiple of them. */
    union blas_scalar alpha __attribute__((aligned(16)));
    union blas_scalar beta __attribute__((aligned(16)));
    struct blas_matrix a, b, c;
    struct blas_vector x, y;
};

static inline bool blas_is_level3(const struct blas_call *call)
{
    return call->family >= FAMILY_GEMM;
}

/* c is operand and result at once: trmm and trsm write over what they read. */
static inline bool blas_is_in_place(const struct blas_call *call)
{
    return call->family == FAMILY_TRMM || call->family == FAMILY_TRSM;
}

/* syrk, herk, syr2k and her2k: the result is a triangle. */
static inline bool blas_is_update(enum blas_family family)
{
    return family == FAMILY_SYRK || family == FAMILY_HERK || family == FAMILY_SYR2K || family == FAMILY_HER2K;
}

/* symm, hemm, trmm and trsm. */
static inline bool blas_has_side(enum blas_family family)
{
    return family == FAMILY_SYMM || family == FAMILY_HEMM || family == FAMILY_TRMM || family == FAMILY_TRSM;
}

/* Rows and columns of the symmetric or triangular matrix of those. */
static inline int64_t blas_side_order(const struct blas_call *call)
{
    return call->side == SIDE_LEFT ? call->m : call->n;
}

/* SYMV or HEMV, also in packed storage. */
static inline bool blas_is_symmetric(const struct blas_call *call)
{
    const enum blas_family family = blas_full_family(call->family);
    return family == FAMILY_SYMV || family == FAMILY_HEMV;
}

/* A is a triangle in packed storage: `a` has its elements as one column, and `n` the order. */
static inline bool blas_is_packed(const struct blas_call *call)
{
    return blas_full_family(call->family) != call->family;
}

/* The place of a packed triangle's element (row, column). */
static inline int64_t blas_packed_index(enum blas_uplo uplo, int64_t n, int64_t row, int64_t column)
{
    return row + (uplo == UPLO_UPPER ? column * (column + 1) / 2 : column * (2 * n - column - 1) / 2);
}

static inline bool blas_is_transposed(const struct blas_call *call)
{
    return call->trans == TRANS_TRANSPOSE || call->trans == TRANS_CONJUGATE;
}

/* Bytes of one element: 4, 8, 8, 16, 16 for S, D, C, Z, W. */
static inline size_t blas_element_bytes(enum blas_type type)
{
    static const unsigned char bytes[TYPE_COUNT] = {4, 8, 8, 16, 16};
    return bytes[type];
}

/* Bytes of the matrix's part, which a call moves. */
static inline uint64_t blas_part_bytes(const struct blas_matrix *matrix, enum blas_type type)
{
    const uint64_t rows = (uint64_t)matrix->rows, columns = (uint64_t)matrix->columns;
    return (matrix->part == PART_FULL ? rows * columns : columns * (columns + 1) / 2) *
           blas_element_bytes(type);
}

static inline bool blas_is_single(enum blas_type type)
{
    return type == TYPE_S || type == TYPE_C;
}

/* Bytes of a real number of the type's precision: S, D, C or Z. */
static inline size_t blas_real_bytes(enum blas_type type)
{
    return blas_is_single(type) ? sizeof(float) : sizeof(double);
}

/* A real number, in complex types with no imaginary part. */
static inline union blas_scalar blas_scalar_of(enum blas_type type, double value)
{
    union blas_scalar scalar = {.z = {0, 0}};
    if (blas_is_single(type))
        scalar.c[0] = (float)value;
    else
        scalar.z[0] = value;
    return scalar;
}

/* A scalar is judged by its bits: a comparison would raise flags, might trap, and obeys the program's
 * denormals-are-zero.
 *
 * The bits of the real or imaginary part, without its sign. */
static inline uint64_t blas_scalar_bits(enum blas_type type, const union blas_scalar *scalar, int part)
{
    return blas_is_single(type) ? scalar->single_bits[part] & UINT32_C(0x7fffffff)
                                : scalar->double_bits[part] & UINT64_C(0x7fffffffffffffff);
}

static inline bool blas_is_complex(enum blas_type type)
{
    return type == TYPE_C || type == TYPE_Z;
}

/* 1, or 2 for complex types. */
static inline int blas_scalar_parts(enum blas_type type)
{
    return blas_is_complex(type) ? 2 : 1;
}

/* True for 0 and -0, for complex types in both parts. */
static inline bool blas_scalar_is_zero(enum blas_type type, union blas_scalar scalar)
{
    const bool is_second_zero =
        (blas_scalar_parts(type) == 1 && type != TYPE_W) || blas_scalar_bits(type, &scalar, 1) == 0;
    return blas_scalar_bits(type, &scalar, 0) == 0 && is_second_zero;
}

static inline bool blas_scalar_is_infinite(enum blas_type type, union blas_scalar scalar)
{
    const uint64_t infinity = blas_is_single(type) ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
    return blas_scalar_bits(type, &scalar, 0) == infinity ||
           (blas_scalar_parts(type) == 2 && blas_scalar_bits(type, &scalar, 1) == infinity);
}

/* True when a part is not 0 and below the smallest normal number. */
static inline bool blas_scalar_is_denormal(enum blas_type type, union blas_scalar scalar)
{
    const uint64_t smallest_normal = blas_is_single(type) ? UINT64_C(1) << 23 : UINT64_C(1) << 52;
    for (int part = 0; part < blas_scalar_parts(type); part++) {
        const uint64_t bits = blas_scalar_bits(type, &scalar, part);
        if (bits != 0 && bits < smallest_normal)
            return true;
    }
    return false;
}

/* The families of routines, as routines.def has them, and how much a call reads, writes and
 * computes.
 *
 * All functions are pure. They count bytes and operations as doubles: sizes near 2^31 must not overflow. */

/* Products of a call's sizes; ORDER: blas_side_order. */
enum size_product { PRODUCT_N, PRODUCT_NN, PRODUCT_MN, PRODUCT_MNK, PRODUCT_NNK, PRODUCT_MN_ORDER };

/* The arguments of routines as members of struct blas_call; a matrix that is written is c. */
enum blas_argument {
    ARGUMENT_SIDE, ARGUMENT_UPLO, ARGUMENT_TRANS, ARGUMENT_TRANS_B, ARGUMENT_DIAG, ARGUMENT_M, ARGUMENT_N,
    ARGUMENT_K, ARGUMENT_ALPHA, ARGUMENT_BETA, ARGUMENT_A, ARGUMENT_B, ARGUMENT_C, ARGUMENT_LDA,
    ARGUMENT_LDB, ARGUMENT_LDC, ARGUMENT_X, ARGUMENT_Y, ARGUMENT_INCX, ARGUMENT_INCY
};
enum { BLAS_ARGUMENTS_MOST = 13, BLAS_OPERANDS_MOST = 3 };

/* Which of the call's sizes an operand has; ORDER: blas_side_order. */
enum blas_size { SIZE_M, SIZE_N, SIZE_K, SIZE_ORDER };

/* Which transpositions are legal: all, none and the transpose, none and the adjoint. */
enum blas_transpositions { TRANSPOSE_ANY, TRANSPOSE_PLAIN, TRANSPOSE_ADJOINT };

/* The arguments in order, and the operands, the one that is written first. */
struct blas_signature {
    unsigned char arguments[BLAS_ARGUMENTS_MOST], argument_count;
    struct blas_operand {
        unsigned char argument;    /* ARGUMENT_A, _B, _C, _X or _Y */
        unsigned char sizes[2][2]; /* enum blas_size: rows, or a length, and columns; transposed, too */
        bool by_trans_b, is_triangle, is_packed;
    } operands[BLAS_OPERANDS_MOST];
    unsigned char operand_count, transpositions;
};

struct blas_family_row {
    char name[6]; /* "gemm" */
    bool has_real_types, has_complex_types;
    bool computes_half; /* of the products */
    unsigned char gated, products; /* enum size_product */
    struct blas_signature signature;
};
extern const struct blas_family_row blas_families[FAMILY_COUNT];

/* The type is S, D, C or Z. */
static inline bool blas_family_has_type(enum blas_family family, enum blas_type type)
{
    const bool is_complex = type == TYPE_C || type == TYPE_Z;
    return is_complex ? blas_families[family].has_complex_types : blas_families[family].has_real_types;
}

/* The call's operand of that name: a matrix for ARGUMENT_A, _B and _C, a vector for ARGUMENT_X and _Y;
 * else NULL. */
const struct blas_matrix *call_matrix(const struct blas_call *call, enum blas_argument argument);
const struct blas_vector *call_vector(const struct blas_call *call, enum blas_argument argument);

/* Sets rows, columns, parts and lengths of the family's operands by the call's sizes and flags. */
void call_set_shapes(struct blas_call *call);

struct call_work {
    double products;                /* of elements, which the call sums up */
    double operations;              /* floating-point ones */
    double matrix_bytes;            /* of the parts of the matrix operands that it reads or writes */
    double result_bytes;            /* of the matrix that it writes */
    double scanned_bytes, gap_bytes; /* of the columns with the gaps between them, and of these gaps */
    double vector_bytes;            /* that go to the device and come back */
};
struct call_work call_work_of(const struct blas_call *call);

/* The size that floors bound (crossover_floor), as the gates compute it (routines.def, cblas.def): n for
 * axpy, symv, hemv and trmv; m * n for gemv, symm, hemm, trmm and trsm; m * n * k for gemm; n * n * k for
 * syrk, herk, syr2k and her2k. */
uint64_t call_gated_size(const struct blas_call *call);

/* Products alone; and the operations of one multiplication and addition. */
double call_work_products(const struct blas_call *call);
double call_work_per_product(enum blas_type type);

#endif
