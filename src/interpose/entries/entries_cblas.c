/* entries_cblas.c - where calls of CBLAS symbols past the gates of forward.S arrive: one body per routine
 * (blas_entries.inc, which the build makes of common/routines.def), included once per integer width. */
#include "interpose/entries/entry.h"

/* How CBLAS passes what blas_entries.inc names: by value, but complex scalars
 * by reference; flags as enumerators, and the matrix layout in front.
 * entries_fortran.c lists the macros. */
#define FLAG int
#define COUNT INTEGER
#define FACTOR JOIN(FACTOR_, PRECISION_LETTER, )
#define REAL_FACTOR REAL_SCALAR
#define FACTOR_s float
#define FACTOR_d double
#define FACTOR_c const void *
#define FACTOR_z const void *
#define COUNT_OF(count) (count)
#define FLAG_OF(flag) (flag)
#define REAL_FACTOR_OF(factor) PACK_REAL(factor)
#define FACTOR_OF(factor) JOIN(FACTOR_OF_, PRECISION_LETTER, )(factor)
#define FACTOR_OF_s(factor) PACK_SCALAR(factor)
#define FACTOR_OF_d(factor) PACK_SCALAR(factor)
#define FACTOR_OF_c(factor) PACK_SCALAR(*(const SCALAR *)(factor))
#define FACTOR_OF_z(factor) PACK_SCALAR(*(const SCALAR *)(factor))

#define READ_UPLO(flag) argument_cblas_uplo(flag, &call->uplo)
#define READ_TRANS(flag) argument_cblas_trans(flag, ELEMENT_TYPE, &call->trans)
#define READ_TRANS_B(flag) argument_cblas_trans(flag, ELEMENT_TYPE, &call->trans_b)
#define READ_SIDE(flag) argument_cblas_side(flag, &call->side)
#define READ_DIAG(flag) argument_cblas_diag(flag, &call->diag)

#define LAYOUT_PARAMETER int layout,
#define LAYOUT_ARGUMENT layout,
#define READ_LAYOUT argument_cblas_layout(layout, call)

#define HIDDEN(...)

#define INTERFACES(row, name) CBLAS_INTERFACES(row, name)

#define INTEGER_BITS 32
#include "interpose/entries/blas_entries.inc"
#undef INTEGER_BITS

#define INTEGER_BITS 64
#include "interpose/entries/blas_entries.inc"
