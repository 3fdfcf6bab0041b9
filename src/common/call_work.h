/* call_work.h - the families of routines, as families.def has them, and how much a call reads, writes and
 * computes.
 *
 * All functions are pure. They count bytes and operations as doubles: sizes near 2^31 must not overflow. */
#ifndef MUBLAS_CALL_WORK_H
#define MUBLAS_CALL_WORK_H

#include "common/blas_call.h"

/* Products of a call's sizes; ORDER: blas_side_order. */
enum size_product { PRODUCT_N, PRODUCT_NN, PRODUCT_MN, PRODUCT_MNK, PRODUCT_NNK, PRODUCT_MN_ORDER };

enum { FLAG_NONE = 0, FLAG_SIDE = 1, FLAG_UPLO = 2, FLAG_TRANS = 4, FLAG_TRANS_B = 8, FLAG_DIAG = 16 };

struct blas_family_row {
    char name[6]; /* "gemm" */
    bool has_real_types, has_complex_types;
    bool computes_half; /* of the products */
    unsigned char gated, products; /* enum size_product */
    unsigned char flags;
};
extern const struct blas_family_row blas_families[FAMILY_COUNT];

/* The type is S, D, C or Z. */
static inline bool blas_family_has_type(enum blas_family family, enum blas_type type)
{
    const bool is_complex = type == TYPE_C || type == TYPE_Z;
    return is_complex ? blas_families[family].has_complex_types : blas_families[family].has_real_types;
}

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
