/* entries_fortran.c - where calls of Fortran symbols past the gates of forward.S arrive: one body per routine
 * (blas_entries.inc, which the build makes of common/routines.def), included once per integer width. */
#include "interpose/entries/entry.h"

/* How Fortran passes what blas_entries.inc names: all by reference, flags
 * as letters, and the letters' lengths behind (hidden, size_t; C programs often leave
 * them out, so they are passed on and never read).
 *   FLAG, COUNT, FACTOR         parameter types of flags, integers and scalars
 *   REAL_FACTOR                 the type of a scalar that is real in complex routines too
 *   COUNT_OF, FACTOR_OF         their values; a factor as a union blas_scalar
 *   READ_UPLO, _TRANS, _TRANS_B, _DIAG, _SIDE
 *                               a flag into its member of the call; false: illegal
 *   FLAG_OF                     a flag as a number, whatever it means
 *   LAYOUT_PARAMETER, _ARGUMENT the layout of CBLAS, with its comma, and
 *   READ_LAYOUT                 the call as it is in columns, after the flags; false: illegal
 *   HIDDEN(list)                the list after a comma, for the string lengths
 *   INTERFACES(row, name)       the language's list of symbols.def */
#define FLAG const char *
#define COUNT const INTEGER *
#define FACTOR const SCALAR *
#define REAL_FACTOR const REAL_SCALAR *
#define COUNT_OF(count) (*(count))
#define FLAG_OF(flag) (*(const unsigned char *)(flag))
#define FACTOR_OF(factor) PACK_SCALAR(*(factor))
#define REAL_FACTOR_OF(factor) PACK_REAL(*(factor))

#define READ_UPLO(flag) argument_fortran_uplo(flag, &call->uplo)
#define READ_TRANS(flag) argument_fortran_trans(flag, ELEMENT_TYPE, &call->trans)
#define READ_TRANS_B(flag) argument_fortran_trans(flag, ELEMENT_TYPE, &call->trans_b)
#define READ_SIDE(flag) argument_fortran_side(flag, &call->side)
#define READ_DIAG(flag) argument_fortran_diag(flag, &call->diag)

#define LAYOUT_PARAMETER
#define LAYOUT_ARGUMENT
#define READ_LAYOUT true

#define HIDDEN(...) , __VA_ARGS__

#define INTERFACES(row, name) FORTRAN_INTERFACES(row, name)

#define INTEGER_BITS 32
#include "interpose/entries/blas_entries.inc"
#undef INTEGER_BITS

#define INTEGER_BITS 64
#include "interpose/entries/blas_entries.inc"
