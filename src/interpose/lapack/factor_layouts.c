#include "interpose/lapack/factor_layouts.h"

static const struct factor_layout layouts[LAPACK_FAMILY_COUNT] = {
    [LAPACK_POTRF] = {.uplo = 1, .n = 2, .a = 3, .lda = 4, .info = 5},
    [LAPACK_POTRS] = {.uplo = 1, .n = 2, .k = 3, .a = 4, .lda = 5, .b = 6, .ldb = 7, .info = 8, .reads_a_only = true},
    [LAPACK_POSV] = {.uplo = 1, .n = 2, .k = 3, .a = 4, .lda = 5, .b = 6, .ldb = 7, .info = 8},
    [LAPACK_POTRI] = {.uplo = 1, .n = 2, .a = 3, .lda = 4, .info = 5},
    [LAPACK_GETRF] = {.m = 1, .n = 2, .a = 3, .lda = 4, .ipiv = 5, .info = 6},
    [LAPACK_GETRS] = {.trans = 1, .n = 2, .k = 3, .a = 4, .lda = 5, .ipiv = 6, .b = 7, .ldb = 8, .info = 9,
                      .reads_pivots = true, .reads_a_only = true, .trans_real = "NTC", .trans_complex = "NTC"},
    [LAPACK_GESV] = {.n = 1, .k = 2, .a = 3, .lda = 4, .ipiv = 5, .b = 6, .ldb = 7, .info = 8},
    [LAPACK_GETRI] = {.n = 1, .a = 2, .lda = 3, .ipiv = 4, .work = 5, .lwork = 6, .info = 7, .reads_pivots = true},
    [LAPACK_GEQRF] = {.m = 1, .n = 2, .a = 3, .lda = 4, .tau = 5, .work = 6, .lwork = 7, .info = 8},
    [LAPACK_ORGQR] = {.m = 1, .n = 2, .k = 3, .a = 4, .lda = 5, .tau = 6, .work = 7, .lwork = 8, .info = 9,
                      .reads_tau = true},
    [LAPACK_ORMQR] = {.side = 1, .trans = 2, .m = 3, .n = 4, .k = 5, .a = 6, .lda = 7, .tau = 8, .b = 9, .ldb = 10,
                      .work = 11, .lwork = 12, .info = 13, .reads_tau = true, .reads_a_only = true, .trans_real = "NT",
                      .trans_complex = "NC"},
    [LAPACK_GELS] = {.trans = 1, .m = 2, .n = 3, .k = 4, .a = 5, .lda = 6, .b = 7, .ldb = 8, .work = 9, .lwork = 10,
                     .info = 11, .trans_real = "N", .trans_complex = "N"},
    [LAPACK_TRTRI] = {.uplo = 1, .diag = 2, .n = 3, .a = 4, .lda = 5, .info = 6},
};

const struct factor_layout *factor_layout_of(enum lapack_family family)
{
    return &layouts[family];
}
