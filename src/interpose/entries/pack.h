/* pack.h - from the arguments of a routine to a legal struct blas_call, whose operands share no memory in a
 * way that Fortran forbids. Pure; reads no operand. Routines of LAPACK have the overlap of their operands
 * checked here, too. */
#ifndef MUBLAS_PACK_H
#define MUBLAS_PACK_H

#include "common/blas_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of an operand: `runs` runs of `run_bytes` (0 runs: none), each
 * `stride` after the one before. A matrix is one run per column, a vector with
 * increment 1 is one run, with another increment a run per element. */
struct extent {
    uintptr_t start;
    size_t run_bytes;
    size_t stride;
    size_t runs;
};

/* False when the operand has no address or no element, or its bytes or strides do not
 * fit in 63 bits, which no operand of a running program needs. A
 * matrix counts as its whole rectangle, whichever part is stored. A negative
 * increment covers the same bytes as the positive one. */
bool extent_of_matrix(const struct blas_matrix *matrix, size_t element_bytes, struct extent *extent);
bool extent_of_vector(const struct blas_vector *vector, size_t element_bytes, struct extent *extent);

/* True when a byte may belong to both. Exact when the strides are equal or one of
 * them is a single run, so that a row of a matrix does not overlap the rows beside
 * it; otherwise true when the ranges from first to last byte meet. */
bool extents_overlap(const struct extent *first, const struct extent *second);

/* The operands of a call, in any order. */
enum { OPERAND_EXTENTS_MAX = 5 };
struct operand_extents {
    struct extent of[OPERAND_EXTENTS_MAX];
    int count;
    bool lacks_one; /* an operand has no extent (see above) */
};
void operand_extents_add_matrix(struct operand_extents *operands, const struct blas_matrix *matrix,
                                size_t element_bytes);
void operand_extents_add_array(struct operand_extents *operands, void *array, int64_t length,
                               size_t element_bytes);

/* True when a byte may belong to two of them, or when one has no extent. */
bool operand_extents_meet(const struct operand_extents *operands);

/* True when the output of the call (y, or x for trmv, or c) may share a byte with
 * another operand or, with increment 0, with itself, or when an operand has no
 * extent (see above): such calls are the host's. */
bool overlap_is_forbidden(const struct blas_call *call);

/* An entry fills in what its arguments say: family, type, flags, sizes, pointers, leading
 * dimensions and increments. The functions below do the rest, once for every routine,
 * type, integer width and language. */

/* The call of a row-major caller, read in columns: the transpose of every matrix.
 * Flags and sizes change, pointers and leading dimensions stay. Before pack_legal. */
void pack_row_major(struct blas_call *call);

/* Set shapes, lengths and parts of the operands; true when sizes are positive, leading
 * dimensions legal as in reference BLAS, and no increment is 0 (legal for axpy, but
 * the host knows best what it means). Scalars are not looked at. */
bool pack_legal(struct blas_call *call);

/* With the scalars as the caller passed them: sets what a row-major call makes of alpha; true when alpha
 * is finite or NaN, not zero, and the operands share no memory in a way that Fortran forbids, nor leave
 * the address space. */
bool pack_scalars(struct blas_call *call);

#endif
