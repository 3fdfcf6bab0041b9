/* block_columns.h - the triangle of a matrix as blocks that several devices have in turn. Pure.
 *
 * Of a lower triangle a block is some columns from the diagonal down, of an upper one some rows from the
 * diagonal to the right: block b begins at row and column block_begin(b), and is `width` wide but for the
 * last. On its device it is packed: a lower one has its columns one behind the other, an upper one, too. */
#ifndef MUBLAS_LAPACK_BLOCK_COLUMNS_H
#define MUBLAS_LAPACK_BLOCK_COLUMNS_H

#include "common/blas_call.h"
#include "common/device_list.h"

enum { BLOCKS_MOST = 64 };

struct block_columns {
    enum blas_type type;
    enum blas_uplo uplo;
    int64_t n, width;
    int count;
    int owner[BLOCKS_MOST]; /* the number of the device */
    size_t offset[BLOCKS_MOST]; /* of the block in its owner's memory */
    size_t bytes[DEVICES_MAX];  /* of each device's blocks */
};

/* Deals the blocks by the devices' pace, so that all are done with theirs at the same time. False: the matrix
 * is too small to be shared. */
bool block_columns_make(struct block_columns *blocks, enum blas_type type, enum blas_uplo uplo, int64_t n,
                        const double *pace, int devices);

static inline int64_t block_begin(const struct block_columns *blocks, int block)
{
    return blocks->width * block;
}

/* Its order: of its square on the diagonal. */
static inline int64_t block_order(const struct block_columns *blocks, int block)
{
    const int64_t left = blocks->n - block_begin(blocks, block);
    return left < blocks->width ? left : blocks->width;
}

/* From its first row and column to the end of the matrix. */
static inline int64_t block_length(const struct block_columns *blocks, int block)
{
    return blocks->n - block_begin(blocks, block);
}

int64_t block_ld(const struct block_columns *blocks, int block);
size_t block_bytes(const struct block_columns *blocks, int block);

/* Where an element stands that is so far from the block's diagonal, in bytes from the block's beginning:
 * below it, or right of it, in its first columns or rows. */
size_t block_place(const struct block_columns *blocks, int block, int64_t distance);

/* Its square on the diagonal, of which the triangle is meant, or what is below it or right of it, in host
 * memory `a`. */
struct blas_matrix block_square(const struct block_columns *blocks, int block, const struct blas_matrix *a);
struct blas_matrix block_rest(const struct block_columns *blocks, int block, const struct blas_matrix *a);

#endif
