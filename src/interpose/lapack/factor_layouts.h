/* factor_layouts.h - where the routines of factorisations have their arguments, and what these are. */
#ifndef MUBLAS_LAPACK_FACTOR_LAYOUTS_H
#define MUBLAS_LAPACK_FACTOR_LAYOUTS_H

#include "lapack/families.h"

#include <stdbool.h>

/* Numbers of arguments from 1, the same for all types; 0: nowhere. */
struct factor_layout {
    unsigned char uplo, side, trans, diag, m, n, k, a, lda, ipiv, tau, b, ldb, work, lwork, info;
    bool reads_pivots;        /* IPIV is an input */
    bool reads_tau;           /* TAU is an input */
    bool reads_a_only;        /* A is no output */
    const char *trans_real, *trans_complex; /* letters that are served; others are illegal, or the host's */
};

const struct factor_layout *factor_layout_of(enum lapack_family family);

#endif
