/* call_work.h - the families of routines, as routines.def has them, and how much a call reads, writes and
 * computes.
 *
 * All functions are pure. They count bytes and operations as doubles: sizes near 2^31 must not overflow. */
#ifndef MUBLAS_CALL_WORK_H
#define MUBLAS_CALL_WORK_H

#include "common/blas_call.h"

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

/* Bytes of the parts of the matrix operands that the call reads or writes. */
double call_work_matrix_bytes(const struct blas_call *call);

/* The address range that a scan must cover, columns and the gaps between them; of that, the gaps. */
double call_work_scanned_bytes(const struct blas_call *call);
double call_work_gap_bytes(const struct blas_call *call);

/* That go to the device and come back. */
double call_work_vector_bytes(const struct blas_call *call);

/* Bytes of the matrix that the call writes. */
double call_work_result_bytes(const struct blas_call *call);

/* Products of elements, which the call sums up. */
double call_work_products(const struct blas_call *call);

/* Floating-point operations, and those of one multiplication and addition. */
double call_work_operations(const struct blas_call *call);
double call_work_per_product(enum blas_type type);

#endif
