/* pack.h - from the arguments of a BLAS routine to a legal struct blas_call.
 *
 * An entry fills in what its arguments say: family, type, flags, sizes, pointers, leading
 * dimensions and increments. These functions do the rest, once for every routine,
 * type, integer width and language. Pure; they read no operand. */
#ifndef MUBLAS_PACK_H
#define MUBLAS_PACK_H

#include "common/blas_call.h"

#include <stdbool.h>

/* The call of a row-major caller, read in columns: the transpose of every matrix.
 * Flags and sizes change, pointers and leading dimensions stay. Before pack_legal. */
void pack_row_major(struct blas_call *call);

/* Set shapes, lengths and parts of the operands; true when sizes are positive, leading
 * dimensions legal as in reference BLAS, and no increment is 0 (legal for axpy, but
 * the host knows best what it means). Scalars are not looked at. */
bool pack_legal(struct blas_call *call);

/* Of a complex type: the conjugate. */
void pack_conjugate(enum blas_type type, union blas_scalar *scalar);

/* With the scalars filled in: true when alpha is finite or NaN, not zero, and the operands share no
 * memory in a way that Fortran forbids, nor leave the address space. */
bool pack_has_work(const struct blas_call *call);

#endif
