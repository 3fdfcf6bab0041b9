/* matrix_part.h - what routes do to a part of a matrix on the device by kernels of mublas (gpu/kernels/part.cu). */
#ifndef MUBLAS_LAPACK_MATRIX_PART_H
#define MUBLAS_LAPACK_MATRIX_PART_H

#include "common/blas_call.h"
#include "gpu/lane.h"

/* A column-major matrix in device memory; addresses and leading dimensions are any that its real numbers may have. */
struct device_part {
    CUdeviceptr address; /* of element (0, 0) */
    int64_t ld, rows, columns;
    enum blas_part part;
};

/* Queue a copy of the part, nothing beside it, to where element (0, 0) of another matrix is. */
enum status matrix_part_copy(struct lane *lane, const struct device_part *from, CUdeviceptr to, int64_t to_ld, enum blas_type type);

/* Blocks of matrix_part_queue_largest, at most: so many numbers it writes. */
enum { PART_BLOCKS_MOST = 256 };

/* Queue the search for the part's largest modulus: *blocks numbers go to `numbers`, and the largest of them is the upper 32
 * bits, without the sign, of the largest real number; a NaN's are larger than infinity's. */
enum status matrix_part_queue_largest(struct lane *lane, const struct device_part *part, enum blas_type type, CUdeviceptr numbers,
                                      unsigned *blocks);

#endif
