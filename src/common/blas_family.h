/* blas_family.h - what families.def says of each family of routines. */
#ifndef MUBLAS_BLAS_FAMILY_H
#define MUBLAS_BLAS_FAMILY_H

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

/* Of S, D, C and Z. */
static inline bool blas_family_has_type(enum blas_family family, enum blas_type type)
{
    const bool is_complex = type == TYPE_C || type == TYPE_Z;
    return is_complex ? blas_families[family].has_complex_types : blas_families[family].has_real_types;
}

#endif
